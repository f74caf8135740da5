// Pictures that callers fill by CUDA and the Vulkan device on the same GPU reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/frame.h"
#include "vulkan/device.h"

namespace vq::libvmaf {

// Which GPU a CUDA context is on.
struct CudaContext {
  void* context = nullptr;            // a CUcontext
  std::array<uint8_t, 16> uuid = {};  // of its device
};

// That context, or the primary one of CUDA's first device if it is null. Throws Error{kBackend} where CUDA is
// missing, too old, or has no such context.
CudaContext find_cuda_context(void* context);

// A plane of a picture, in bytes.
struct DevicePlane {
  PlaneSize size;  // in samples
  int64_t row_bytes = 0;
};

// Maker of such pictures. May be used from several threads.
class CudaPictures {
 public:
  // Null where the device cannot share memory. Needs: it is the context's device, opened.
  static std::shared_ptr<CudaPictures> open(const CudaContext& context,
                                            std::shared_ptr<vulkan::Device> device);
  virtual ~CudaPictures() = default;

  struct Picture {
    std::shared_ptr<const FrameMemory> memory;
    std::array<void*, kMaxPlanes> data = {};        // CUDA's addresses
    std::array<ptrdiff_t, kMaxPlanes> stride = {};  // bytes
  };
  // Of zeros, once what was begun in the context before is over. Throws std::bad_alloc where the device has
  // no memory left, Error{kBackend}.
  virtual Picture make(const std::array<DevicePlane, kMaxPlanes>& planes, int sample_bytes) = 0;

  // Waits for all that was begun in the context. Throws Error{kBackend}.
  virtual void synchronize() = 0;
};

}  // namespace vq::libvmaf
