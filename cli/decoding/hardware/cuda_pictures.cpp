#include "cli/decoding/hardware/cuda_pictures.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/analysis/signature.h"

// Its loader tells of a missing library on the terminal otherwise.
#define FFNV_LOG_FUNC(context, message, ...) static_cast<void>(0)
#define FFNV_DEBUG_LOG_FUNC(context, message, ...) static_cast<void>(0)
// Before FFmpeg's own header, which else wants all of CUDA's.
#include <ffnvcodec/dynlink_loader.h>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace vq::cli {
namespace {

int64_t aligned(int64_t bytes) {
  return (bytes + kStoreAlignment - 1) / kStoreAlignment * kStoreAlignment;
}

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
    const auto is_it = [&](const MemoryPlane& plane) { return plane.number == component.plane; };
    auto found = std::find_if(result.memory.begin(), result.memory.end(), is_it);
    if (found == result.memory.end()) {
      const ChromaShifts shifts = i == 0 ? ChromaShifts() : chroma_shifts(layout.chroma);
      MemoryPlane plane{
          .number = component.plane,
          .offset_bytes = result.bytes,
          .row_bytes = int64_t{size.width} * component.step_bytes,
          .left_bytes = static_cast<int64_t>(frame.crop_left >> shifts.x) * component.step_bytes,
          .rows = size.height,
          .top = static_cast<int>(frame.crop_top >> shifts.y)};
      plane.stride_bytes = aligned(plane.row_bytes);
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

// What one copy can take of some rows, and where these are in their list. The cells of a signature are of one
// height, or of two that differ by a row, so the first rows of all cells often lie evenly, and the second,
// and so on.
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

}  // namespace

struct CudaPictures::Functions {
  CudaFunctions* table = nullptr;

  ~Functions() { cuda_free_functions(&table); }
};

namespace {

// A context made current for a while.
class Current {
 public:
  Current(const CudaFunctions& cuda, CUcontext context)
      : cuda_(cuda), is_(cuda.cuCtxPushCurrent(context) == CUDA_SUCCESS) {}
  ~Current() {
    CUcontext ignored = nullptr;
    if (is_) cuda_.cuCtxPopCurrent(&ignored);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  explicit operator bool() const { return is_; }

 private:
  const CudaFunctions& cuda_;
  const bool is_;
};

// What CUDA calls a piece of shared memory, in one of its contexts. Kept with the piece.
class Import {
 public:
  // Needs: the device's context is current. `pointer()` is 0 where CUDA refuses.
  Import(std::shared_ptr<CudaPictures> owner, const CudaFunctions& cuda, AVBufferRef* device,
         const vulkan::Buffer& buffer)
      : owner_(std::move(owner)), cuda_(cuda), device_(av_buffer_ref(device)) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = buffer.export_memory();
    handle.size = static_cast<unsigned long long>(buffer.allocated_bytes());
    handle.flags = kDedicated;
    if (cuda_.cuImportExternalMemory(&memory_, &handle) != CUDA_SUCCESS) {
      memory_ = nullptr;
      close(handle.handle.fd);  // else it is CUDA's
      return;
    }
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC range{};
    range.size = static_cast<unsigned long long>(buffer.bytes());
    if (cuda_.cuExternalMemoryGetMappedBuffer(&pointer_, memory_, &range) != CUDA_SUCCESS) pointer_ = 0;
  }
  ~Import() {
    if (const Current current(cuda_, context()); current && memory_ != nullptr) {
      if (pointer_ != 0) cuda_.cuMemFree(pointer_);
      cuda_.cuDestroyExternalMemory(memory_);
    }
    av_buffer_unref(&device_);
  }
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  CUdeviceptr pointer() const { return pointer_; }
  CUcontext context() const {
    const auto* const device = reinterpret_cast<const AVHWDeviceContext*>(device_->data);
    return static_cast<const AVCUDADeviceContext*>(device->hwctx)->cuda_ctx;
  }

 private:
  static constexpr unsigned kDedicated = 1;  // CUDA_EXTERNAL_MEMORY_DEDICATED
  const std::shared_ptr<CudaPictures> owner_;
  const CudaFunctions& cuda_;
  AVBufferRef* device_;  // keeps the context
  CUexternalMemory memory_ = nullptr;
  CUdeviceptr pointer_ = 0;
};

}  // namespace

CudaPictures::CudaPictures(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
CudaPictures::~CudaPictures() = default;

std::shared_ptr<CudaPictures> CudaPictures::open() {
  auto functions = std::make_unique<Functions>();
  if (cuda_load_functions(&functions->table, nullptr) < 0) return nullptr;
  const CudaFunctions& cuda = *functions->table;
  if (cuda.cuImportExternalMemory == nullptr || cuda.cuExternalMemoryGetMappedBuffer == nullptr ||
      cuda.cuDestroyExternalMemory == nullptr) {
    return nullptr;
  }
  return std::shared_ptr<CudaPictures>(new CudaPictures(std::move(functions)));
}

void CudaPictures::keep(AVBufferRef& device) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const AvPtr<AVBufferRef>& kept) { return kept->data == device.data; };
  if (std::none_of(devices_.begin(), devices_.end(), is_it)) devices_.emplace_back(av_buffer_ref(&device));
}

CudaPictures::OwnStream CudaPictures::with_own_stream(AVBufferRef& device) {
  const CudaFunctions& cuda = *functions_->table;
  const auto& base = *reinterpret_cast<const AVHWDeviceContext*>(device.data);
  const CUcontext context = static_cast<const AVCUDADeviceContext*>(base.hwctx)->cuda_ctx;
  const Current current(cuda, context);
  CUstream made = nullptr;
  if (!current || cuda.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return {};
  keep(device);
  const auto end_stream = [owner = shared_from_this(), context, &cuda](CUstream stream) {
    if (const Current its(cuda, context); its) cuda.cuStreamDestroy(stream);
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

// Copies that began may still write: only where they are known to be over does the memory go back to its
// pool.
std::nullptr_t CudaPictures::give_up(const std::shared_ptr<vulkan::SharedPicture>& picture,
                                     CUstream_st* stream) {
  if (functions_->table->cuStreamSynchronize(stream) == CUDA_SUCCESS) return nullptr;
  const std::lock_guard lock(mutex_);
  abandoned_.push_back(picture);
  return nullptr;
}

std::shared_ptr<const FrameMemory> CudaPictures::take(const AVFrame& frame, const PictureLayout& layout,
                                                      int planes, vulkan::SharedPictures& to) {
  const CudaFunctions& cuda = *functions_->table;
  const Arrangement arrangement = arrange(frame, layout, planes);
  const std::shared_ptr<vulkan::SharedPicture> picture = to.take(arrangement.bytes);
  if (!picture) return nullptr;
  const auto& device = *static_cast<const AVCUDADeviceContext*>(frames_of(frame).device_ctx->hwctx);
  const Current current(cuda, device.cuda_ctx);
  if (!current) return nullptr;
  auto* import = std::any_cast<std::shared_ptr<Import>>(&picture->import());
  if (import == nullptr || (*import)->context() != device.cuda_ctx) {
    picture->import() =
        std::make_shared<Import>(shared_from_this(), cuda, frames_of(frame).device_ref, picture->buffer());
    import = std::any_cast<std::shared_ptr<Import>>(&picture->import());
  }
  if ((*import)->pointer() == 0) return nullptr;
  for (const MemoryPlane& plane : arrangement.memory) {
    CUDA_MEMCPY2D copy = rows_of(frame, plane, {0, 1, plane.rows});
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = (*import)->pointer() + static_cast<CUdeviceptr>(plane.offset_bytes);
    copy.dstPitch = static_cast<size_t>(plane.stride_bytes);
    if (cuda.cuMemcpy2DAsync(&copy, device.stream) != CUDA_SUCCESS) return give_up(picture, device.stream);
  }
  const MemoryPlane& luma = arrangement.memory.front();
  vulkan::KnownRows known{.rows = signature::sampled_rows_of(luma.rows), .samples = {}};
  known.samples.resize(known.rows.size() * static_cast<size_t>(luma.stride_bytes));
  for (const auto& [rows, at] : in_runs(known.rows)) {
    CUDA_MEMCPY2D copy = rows_of(frame, luma, rows);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = known.samples.data() + at.first * luma.stride_bytes;
    copy.dstPitch = static_cast<size_t>(at.step * luma.stride_bytes);
    if (cuda.cuMemcpy2DAsync(&copy, device.stream) != CUDA_SUCCESS) return give_up(picture, device.stream);
  }
  if (cuda.cuStreamSynchronize(device.stream) != CUDA_SUCCESS) return give_up(picture, device.stream);
  picture->describe(arrangement.planes, std::move(known));
  return picture;
}

}  // namespace vq::cli
