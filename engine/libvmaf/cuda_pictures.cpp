#include "engine/libvmaf/picture.h"

#include "core/error.h"
#include "core/text.h"
#include "vulkan/cuda_memory.h"
#include "vulkan/shared_picture.h"

namespace vq::libvmaf {
namespace {

using vulkan::Cuda;

void check(CUresult result, const char* what) {
  constexpr auto kOutOfMemory = static_cast<CUresult>(2);  // CUDA_ERROR_OUT_OF_MEMORY
  if (result == kOutOfMemory) throw std::bad_alloc();
  if (result != CUDA_SUCCESS)
    throw Error(ErrorKind::kBackend, "CUDA: {} failed (error {})", what, static_cast<int>(result));
}

void require(const vulkan::CurrentCuda& current) {
  if (!current) throw Error(ErrorKind::kBackend, "CUDA: the caller's context cannot be used");
}

// CUDA's handle of a block of the Vulkan device's memory. Kept with the block.
class Import {
 public:
  // Needs: the context is current. Throws std::bad_alloc, Error{kBackend}.
  Import(const Cuda& cuda, CUcontext context, const vulkan::Buffer& buffer)
      : cuda_(cuda), context_(context), memory_(*cuda.table, context, buffer) {
    check(memory_.result(), "importing memory");
  }
  ~Import() {
    // A picture may have been given back while it was cleared or filled.
    if (const vulkan::CurrentCuda current(*cuda_.table, context_); current) cuda_.synchronize();
  }
  Import& operator=(Import&&) = delete;

  CUdeviceptr pointer() const { return memory_.pointer(); }

 private:
  const Cuda& cuda_;
  const CUcontext context_;
  const vulkan::CudaMemory memory_;
};

class PicturesOfContext final : public CudaPictureMaker {
 public:
  PicturesOfContext(const Cuda& cuda, CUcontext context, std::shared_ptr<vulkan::SharedPictures> memory)
      : cuda_(cuda), context_(context), memory_(std::move(memory)) {}

  CudaPicture make(const std::array<DevicePlane, kMaxPlanes>& planes, int sample_bytes) override {
    std::vector<vulkan::SharedPlane> layout;
    int64_t bytes = 0;
    for (const DevicePlane& plane : planes) {
      if (plane.size.width == 0 || plane.size.height == 0) break;
      layout.push_back({.size = plane.size,
                        .offset_bytes = bytes,
                        .stride_bytes = round_up(plane.row_bytes, kPlaneAlignment),
                        .sample_bytes = sample_bytes});
      bytes += layout.back().stride_bytes * plane.size.height;
    }
    const std::shared_ptr<vulkan::SharedPicture> picture = memory_->take(bytes);
    if (!picture) throw std::bad_alloc();
    const vulkan::CurrentCuda current(*cuda_.table, context_);
    require(current);
    const CUdeviceptr start =
        import_of(*picture).pointer() + static_cast<CUdeviceptr>(picture->buffer().offset());
    // The caller's own copies follow on the same stream.
    check(cuda_.table->cuMemsetD8Async(start, 0, static_cast<size_t>(bytes), nullptr), "clearing a picture");
    CudaPicture made;
    for (size_t i = 0; i < layout.size(); ++i) {
      made.data[i] = reinterpret_cast<void*>(start + static_cast<CUdeviceptr>(layout[i].offset_bytes));
      made.stride[i] = static_cast<ptrdiff_t>(layout[i].stride_bytes);
    }
    picture->describe(std::move(layout));
    made.memory = picture;
    return made;
  }

  void synchronize() override {
    const vulkan::CurrentCuda current(*cuda_.table, context_);
    require(current);
    check(cuda_.synchronize(), "waiting for the caller's copies");
  }

 private:
  const Import& import_of(const vulkan::SharedPicture& picture) const {
    const std::any import = picture.block().import(context_, [&]() -> std::any {
      return std::make_shared<const Import>(cuda_, context_, picture.block().buffer());
    });
    return *std::any_cast<const std::shared_ptr<const Import>&>(import);
  }

  const Cuda& cuda_;
  const CUcontext context_;
  const std::shared_ptr<vulkan::SharedPictures> memory_;
};

}  // namespace

CudaContext find_cuda_context(void* context) {
  const Cuda* const functions = Cuda::open();
  if (functions == nullptr) throw Error(ErrorKind::kBackend, "CUDA's library is missing or too old");
  const CudaFunctions& table = *functions->table;
  check(table.cuInit(0), "starting");
  CUdevice device = 0;
  auto chosen = static_cast<CUcontext>(context);
  if (chosen == nullptr) {
    check(table.cuDeviceGet(&device, 0), "finding a device");
    check(table.cuDevicePrimaryCtxRetain(&chosen, device), "opening the first device");
  } else {
    const vulkan::CurrentCuda current(*functions->table, chosen);
    require(current);
    check(table.cuCtxGetDevice(&device), "finding the device of the caller's context");
  }
  CUuuid uuid{};
  check(table.cuDeviceGetUuid(&uuid, device), "identifying a device");
  CudaContext found{.context = chosen};
  std::copy_n(reinterpret_cast<const uint8_t*>(uuid.bytes), found.uuid.size(), found.uuid.begin());
  return found;
}

std::shared_ptr<CudaPictureMaker> CudaPictureMaker::open(const CudaContext& context,
                                                         std::shared_ptr<vulkan::Device> device) {
  const Cuda* const functions = Cuda::open();
  if (functions == nullptr || !device->can_share_memory()) return nullptr;
  const auto memory = vulkan::shared_pictures_of({std::move(device)});
  if (memory.empty()) return nullptr;
  return std::make_shared<PicturesOfContext>(*functions, static_cast<CUcontext>(context.context),
                                             memory.front());
}

}  // namespace vq::libvmaf
