#include "cli/decoding/hardware/hardware_pictures.h"

#include "core/trace.h"
#include "engine/analysis/signature.h"
#include "vulkan/cuda_memory.h"

extern "C" {
#include <libavutil/hwcontext_cuda.h>
}

namespace vq::cli {
namespace {

// The planes of memory that the wanted ones lie in, in the order in which they are kept.
struct MemoryPlane {
  int number = 0;  // of AVFrame::data
  int64_t offset_bytes = 0, stride_bytes = 0, row_bytes = 0;
  int64_t left_bytes = 0;  // cut off from each row
  int rows = 0, top = 0;   // and of the rows
};

struct Arrangement {
  std::vector<MemoryPlane> memory;
  std::vector<vulkan::SharedPlane> planes;
  int64_t bytes = 0;
};

Arrangement arrange(const AVFrame& frame, const PictureLayout& layout, int count) {
  Arrangement result;
  for (int i = 0; i < count; ++i) {
    const ComponentLayout& component = layout.components[static_cast<size_t>(i)];
    const PlaneSize size = plane_size(
        {frame.width - static_cast<int>(frame.crop_left), frame.height - static_cast<int>(frame.crop_top)},
        layout.chroma, i);
    auto found = std::ranges::find(result.memory, component.plane, &MemoryPlane::number);
    if (found == result.memory.end()) {
      const ChromaShifts shifts = i == 0 ? ChromaShifts() : chroma_shifts(layout.chroma);
      MemoryPlane plane{
          .number = component.plane,
          .offset_bytes = result.bytes,
          .row_bytes = int64_t{size.width} * component.step_bytes,
          .left_bytes = static_cast<int64_t>(frame.crop_left >> shifts.x) * component.step_bytes,
          .rows = size.height,
          .top = static_cast<int>(frame.crop_top >> shifts.y)};
      plane.stride_bytes = round_up(plane.row_bytes, kStoreAlignment);
      result.bytes += plane.stride_bytes * plane.rows;
      found = result.memory.insert(result.memory.end(), plane);
    }
    result.planes.push_back({.size = size,
                             .offset_bytes = found->offset_bytes,
                             .stride_bytes = found->stride_bytes,
                             .sample_bytes = component.word_bytes,
                             .step = component.step_bytes / component.word_bytes,
                             .first = component.offset_bytes / component.word_bytes,
                             .shift = component.shift});
  }
  return result;
}

// Every step-th row, from the first on.
struct Rows {
  int first = 0, step = 1, count = 0;
};

CUDA_MEMCPY2D rows_of(const AVFrame& frame, const MemoryPlane& plane, const Rows& rows) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(frame.data[plane.number] + int64_t{plane.top + rows.first} *
                                                                                frame.linesize[plane.number]);
  copy.srcPitch = static_cast<size_t>(frame.linesize[plane.number]) * static_cast<size_t>(rows.step);
  copy.srcXInBytes = static_cast<size_t>(plane.left_bytes);
  copy.WidthInBytes = static_cast<size_t>(plane.row_bytes);
  copy.Height = static_cast<size_t>(rows.count);
  return copy;
}

// Rows that one copy can take, and their positions in the list. The cells of a signature are of one height,
// or of two that differ by a row, so the first rows of all cells often lie evenly, and the second, and so on.
std::vector<std::pair<Rows, Rows>> in_runs(const std::vector<int>& rows) {
  const auto count = static_cast<int>(rows.size());
  const int cells = count % kSignatureSide == 0 ? kSignatureSide : 1;
  const int lanes = count / cells;
  std::vector<std::pair<Rows, Rows>> runs;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int cell = 0; cell < cells; ++cell) {
      const int at = cell * lanes + lane;
      const int row = rows[static_cast<size_t>(at)];
      if (cell > 0) {
        Rows& taken = runs.back().first;
        const int step = row - (taken.first + (taken.count - 1) * taken.step);
        if (taken.count == 1) taken.step = std::max(step, 1);
        if (step == taken.step) {
          ++taken.count;
          continue;
        }
      }
      runs.push_back({{.first = row, .count = 1}, {.first = at, .step = lanes}});
    }
  }
  return runs;
}

const AVHWFramesContext& frames_of(const AVFrame& frame) {
  return *reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
}

// Begins a copy of rows to memory of the host, one after another.
bool copy_rows(const CudaFunctions& cuda, CUstream stream, const AVFrame& frame, const MemoryPlane& luma,
               const std::vector<int>& numbers, std::byte* to) {
  for (const auto& [rows, at] : in_runs(numbers)) {
    CUDA_MEMCPY2D copy = rows_of(frame, luma, rows);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to + at.first * luma.stride_bytes;
    copy.dstPitch = static_cast<size_t>(at.step * luma.stride_bytes);
    if (cuda.cuMemcpy2DAsync(&copy, stream) != CUDA_SUCCESS) return false;
  }
  return true;
}

bool copy_planes(const CudaFunctions& cuda, CUstream stream, const AVFrame& frame,
                 const std::vector<MemoryPlane>& planes, CUdeviceptr to) {
  for (const MemoryPlane& plane : planes) {
    CUDA_MEMCPY2D copy = rows_of(frame, plane, {0, 1, plane.rows});
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to + static_cast<CUdeviceptr>(plane.offset_bytes);
    copy.dstPitch = static_cast<size_t>(plane.stride_bytes);
    if (cuda.cuMemcpy2DAsync(&copy, stream) != CUDA_SUCCESS) return false;
  }
  return true;
}

}  // namespace

// CUDA's handle of a block of shared memory in one of its contexts, with memory of the host for some rows of
// each picture. Kept with the block.
class CudaPictures::Import {
 public:
  // Needs: the device's context is current. `pointer()` is 0 if CUDA refuses.
  Import(std::shared_ptr<CudaPictures> owner, const vulkan::Cuda& cuda, AVBufferRef* device,
         const vulkan::SharedBlock& block, int64_t rows_bytes)
      : owner_(std::move(owner)),
        cuda_(cuda),
        device_(av_buffer_ref(device)),
        memory_(*cuda.table, context(), block.buffer()),
        rows_bytes_(rows_bytes) {
    if (memory_.pointer() == 0) return;
    const auto rows = static_cast<size_t>(rows_bytes * block.pictures());
    if (cuda_.allocate_host == nullptr || cuda_.allocate_host(&rows_, rows, kPortable) != CUDA_SUCCESS)
      rows_ = nullptr;
  }
  ~Import() {
    const vulkan::CurrentCuda current(*cuda_.table, context());
    if (current && rows_ != nullptr) cuda_.release_host(rows_);
  }
  Import& operator=(Import&&) = delete;

  CUdeviceptr pointer() const { return memory_.pointer(); }
  // Room for the rows of the picture with this number in the block; null if there are more bytes than room.
  std::byte* rows(int64_t number, int64_t bytes) const {
    return rows_ != nullptr && bytes <= rows_bytes_ ? static_cast<std::byte*>(rows_) + rows_bytes_ * number
                                                    : nullptr;
  }

 private:
  static constexpr unsigned kPortable = 1;  // CU_MEMHOSTALLOC_PORTABLE
  CUcontext context() const {
    const auto* const device = reinterpret_cast<const AVHWDeviceContext*>(device_->data);
    return static_cast<const AVCUDADeviceContext*>(device->hwctx)->cuda_ctx;
  }

  const std::shared_ptr<CudaPictures> owner_;
  const vulkan::Cuda& cuda_;
  const AvPtr<AVBufferRef> device_;  // keeps the context
  const vulkan::CudaMemory memory_;
  const int64_t rows_bytes_;
  void* rows_ = nullptr;
};

std::shared_ptr<CudaPictures> CudaPictures::open() {
  const vulkan::Cuda* const cuda = vulkan::Cuda::open();
  return cuda != nullptr ? std::shared_ptr<CudaPictures>(new CudaPictures(*cuda)) : nullptr;
}

void CudaPictures::keep(AVBufferRef& device) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const AvPtr<AVBufferRef>& kept) { return kept->data == device.data; };
  if (std::ranges::none_of(devices_, is_it)) devices_.emplace_back(av_buffer_ref(&device));
}

CudaPictures::OwnStream CudaPictures::with_own_stream(AVBufferRef& device) {
  const CudaFunctions& cuda = *cuda_.table;
  const auto& base = *reinterpret_cast<const AVHWDeviceContext*>(device.data);
  const CUcontext context = static_cast<const AVCUDADeviceContext*>(base.hwctx)->cuda_ctx;
  const vulkan::CurrentCuda current(cuda, context);
  CUstream made = nullptr;
  if (!current || cuda.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return {};
  keep(device);
  const auto end_stream = [owner = shared_from_this(), context, &cuda](CUstream stream) {
    if (const vulkan::CurrentCuda its(cuda, context); its) cuda.cuStreamDestroy(stream);
  };
  OwnStream own{.device = AvPtr<AVBufferRef>(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA)),
                .stream = std::shared_ptr<std::remove_pointer_t<CUstream>>(made, end_stream)};
  if (!own.device) return {};
  auto& hardware =
      *static_cast<AVCUDADeviceContext*>(reinterpret_cast<AVHWDeviceContext*>(own.device->data)->hwctx);
  hardware.cuda_ctx = context;
  hardware.stream = made;
  return av_hwdevice_ctx_init(own.device.get()) < 0 ? OwnStream() : std::move(own);
}

void CudaPictures::abandon(std::shared_ptr<vulkan::SharedPicture> picture) {
  const std::lock_guard lock(mutex_);
  abandoned_.push_back(std::move(picture));
}

// Memory of copies that are not known to be over does not go back to its pool.
class CudaPictures::Copy final : public PictureCopy {
 public:
  Copy(std::shared_ptr<CudaPictures> owner, const AVCUDADeviceContext& device,
       std::shared_ptr<vulkan::SharedPicture> picture, std::shared_ptr<Import> import)
      : owner_(std::move(owner)),
        cuda_(*owner_->cuda_.table),
        device_(device),
        picture_(std::move(picture)),
        import_(std::move(import)) {}
  ~Copy() override {
    if (const vulkan::CurrentCuda current(cuda_, device_.cuda_ctx); current && event_ != nullptr) {
      if (is_running_ && cuda_.cuEventSynchronize(event_) == CUDA_SUCCESS) is_running_ = false;
      cuda_.cuEventDestroy(event_);
    }
    if (is_running_) owner_->abandon(std::move(picture_));
  }
  Copy& operator=(Copy&&) = delete;

  // False if CUDA refuses. Needs: the context is current. Once.
  bool begin(const AVFrame& frame, Arrangement arrangement, std::vector<int> numbers) {
    // Without the flag waiting would keep a core busy.
    if (cuda_.cuEventCreate(&event_, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
      event_ = nullptr;
      return false;
    }
    planes_ = std::move(arrangement.planes);
    const MemoryPlane& luma = arrangement.memory.front();
    const int64_t bytes = static_cast<int64_t>(numbers.size()) * luma.stride_bytes;
    std::byte* const rows = import_->rows(picture_->number(), bytes);
    const CUdeviceptr to = import_->pointer() + static_cast<CUdeviceptr>(picture_->buffer().offset());
    is_running_ = true;
    const bool has_begun = copy_planes(cuda_, device_.stream, frame, arrangement.memory, to) &&
                           (rows == nullptr || copy_rows(cuda_, device_.stream, frame, luma, numbers, rows));
    if (cuda_.cuEventRecord(event_, device_.stream) != CUDA_SUCCESS || !has_begun) {
      is_running_ = cuda_.cuStreamSynchronize(device_.stream) != CUDA_SUCCESS;
      cuda_.cuEventDestroy(std::exchange(event_, nullptr));
      return false;
    }
    if (rows != nullptr) known_ = {std::move(numbers), {rows, static_cast<size_t>(bytes)}, import_};
    return true;
  }

  std::shared_ptr<const FrameMemory> finish() override {
    const TraceSpan span("wait for the copy");
    const vulkan::CurrentCuda current(cuda_, device_.cuda_ctx);
    if (!current) return nullptr;
    if (cuda_.cuEventQuery(event_) != CUDA_SUCCESS && cuda_.cuEventSynchronize(event_) != CUDA_SUCCESS)
      return nullptr;
    is_running_ = false;
    picture_->describe(std::move(planes_), std::move(known_));
    return std::move(picture_);
  }

 private:
  const std::shared_ptr<CudaPictures> owner_;
  const CudaFunctions& cuda_;
  const AVCUDADeviceContext& device_;  // of the frame, which outlives this
  std::shared_ptr<vulkan::SharedPicture> picture_;
  const std::shared_ptr<Import> import_;
  std::vector<vulkan::SharedPlane> planes_;
  vulkan::KnownRows known_;
  CUevent event_ = nullptr;
  bool is_running_ = false;
};

std::unique_ptr<PictureCopy> CudaPictures::copy(const AVFrame& frame, const PictureLayout& layout, int planes,
                                                std::vector<int> rows, vulkan::SharedPictures& to) {
  const TraceSpan span("begin a copy");
  Arrangement arrangement = arrange(frame, layout, planes);
  std::shared_ptr<vulkan::SharedPicture> picture = to.take(arrangement.bytes);
  if (!picture) return nullptr;
  const auto& device = *static_cast<const AVCUDADeviceContext*>(frames_of(frame).device_ctx->hwctx);
  const vulkan::CurrentCuda current(*cuda_.table, device.cuda_ctx);
  if (!current) return nullptr;
  const MemoryPlane& luma = arrangement.memory.front();
  const auto is_beyond = [&](int row) { return row < 0 || row >= luma.rows; };
  if (rows.empty() || std::ranges::any_of(rows, is_beyond))
    rows = signature::sampled_lines({1, luma.rows}).rows;
  const std::any import = picture->block().import(device.cuda_ctx, [&]() -> std::any {
    const TraceSpan importing("import memory");
    return std::make_shared<Import>(shared_from_this(), cuda_, frames_of(frame).device_ref, picture->block(),
                                    static_cast<int64_t>(rows.size()) * luma.stride_bytes);
  });
  auto its = std::any_cast<std::shared_ptr<Import>>(import);
  if (its->pointer() == 0) return nullptr;
  auto copy = std::make_unique<Copy>(shared_from_this(), device, std::move(picture), std::move(its));
  return copy->begin(frame, std::move(arrangement), std::move(rows)) ? std::move(copy) : nullptr;
}

}  // namespace vq::cli
