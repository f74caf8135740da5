// CUDA's view of a Vulkan device's memory, for sources that are built with FFmpeg's headers of CUDA.
#pragma once

#include <unistd.h>

#include "vulkan/context.h"

// Its loader tells of a missing library on the terminal otherwise.
#define FFNV_LOG_FUNC(context, message, ...) static_cast<void>(0)
#define FFNV_DEBUG_LOG_FUNC(context, message, ...) static_cast<void>(0)
// Before FFmpeg's own header, which else wants all of CUDA's.
#include <ffnvcodec/dynlink_loader.h>

namespace vq::vulkan {

// A context made current for a while.
class CurrentCuda {
 public:
  CurrentCuda(const CudaFunctions& cuda, CUcontext context)
      : cuda_(cuda), is_(cuda.cuCtxPushCurrent(context) == CUDA_SUCCESS) {}
  ~CurrentCuda() {
    CUcontext ignored = nullptr;
    if (is_) cuda_.cuCtxPopCurrent(&ignored);
  }
  CurrentCuda(const CurrentCuda&) = delete;
  CurrentCuda& operator=(const CurrentCuda&) = delete;
  explicit operator bool() const { return is_; }

 private:
  const CudaFunctions& cuda_;
  const bool is_;
};

// Shared memory (see Memory::kShared) in a context, until one of both ends.
class CudaMemory {
 public:
  // Whether the driver is new enough.
  static bool is_possible(const CudaFunctions& cuda) {
    return cuda.cuImportExternalMemory != nullptr && cuda.cuExternalMemoryGetMappedBuffer != nullptr &&
           cuda.cuDestroyExternalMemory != nullptr;
  }

  // Needs: it is possible, and the context is current. Throws Error{kBackend} if Vulkan refuses.
  CudaMemory(const CudaFunctions& cuda, CUcontext context, const Buffer& buffer)
      : cuda_(cuda), context_(context) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = buffer.export_memory();
    handle.size = static_cast<unsigned long long>(buffer.allocated_bytes());
    handle.flags = 1;  // CUDA_EXTERNAL_MEMORY_DEDICATED
    result_ = cuda_.cuImportExternalMemory(&memory_, &handle);
    if (result_ != CUDA_SUCCESS) {
      memory_ = nullptr;
      close(handle.handle.fd);  // else it is CUDA's
      return;
    }
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC range{};
    range.size = static_cast<unsigned long long>(buffer.bytes());
    result_ = cuda_.cuExternalMemoryGetMappedBuffer(&pointer_, memory_, &range);
    if (result_ != CUDA_SUCCESS) pointer_ = 0;
  }
  ~CudaMemory() {
    const CurrentCuda current(cuda_, context_);
    if (current && pointer_ != 0) cuda_.cuMemFree(pointer_);
    if (current && memory_ != nullptr) cuda_.cuDestroyExternalMemory(memory_);
  }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  CUresult result() const { return result_; }
  CUdeviceptr pointer() const { return pointer_; }  // 0 if CUDA refuses

 private:
  const CudaFunctions& cuda_;
  const CUcontext context_;
  CUexternalMemory memory_ = nullptr;
  CUdeviceptr pointer_ = 0;
  CUresult result_ = CUDA_SUCCESS;
};

}  // namespace vq::vulkan
