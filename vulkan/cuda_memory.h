// CUDA's view of a Vulkan device's memory, for sources that are built with FFmpeg's headers of CUDA.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <type_traits>

#include "vulkan/context.h"

// Its loader tells of a missing library on the terminal otherwise.
#define FFNV_LOG_FUNC(context, message, ...) static_cast<void>(0)
#define FFNV_DEBUG_LOG_FUNC(context, message, ...) static_cast<void>(0)
// Before FFmpeg's own header, which else wants all of CUDA's.
#include <ffnvcodec/dynlink_loader.h>

namespace vq::vulkan {

// CUDA's functions: FFmpeg's table of them, and some that it lacks.
struct Cuda {
  CudaFunctions* table = nullptr;
  // Memory of the host to and from which copies are asynchronous; both null if the driver lacks one.
  CUresult (*allocate_host)(void** memory, size_t bytes, unsigned flags) = nullptr;
  CUresult (*release_host)(void* memory) = nullptr;
  CUresult (*synchronize)() = nullptr;  // the current context

  // Null if CUDA's library is missing, or too old to import memory. It stays loaded: drivers have threads.
  static const Cuda* open() {
    static const Cuda cuda = load();
    const CudaFunctions* const table = cuda.table;
    const bool is_whole = table != nullptr && table->cuDeviceGetUuid != nullptr &&
                          cuda.synchronize != nullptr && table->cuImportExternalMemory != nullptr &&
                          table->cuExternalMemoryGetMappedBuffer != nullptr &&
                          table->cuDestroyExternalMemory != nullptr;
    return is_whole ? &cuda : nullptr;
  }

 private:
  static Cuda load() {
    Cuda cuda;
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library == nullptr || cuda_load_functions(&cuda.table, nullptr) < 0) return {};
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(cuda.allocate_host, "cuMemHostAlloc");
    find(cuda.release_host, "cuMemFreeHost");
    find(cuda.synchronize, "cuCtxSynchronize");
    if (cuda.release_host == nullptr) cuda.allocate_host = nullptr;
    return cuda;
  }
};

// A context made current for a while.
class CurrentCuda {
 public:
  CurrentCuda(const CudaFunctions& cuda, CUcontext context)
      : cuda_(cuda), is_(cuda.cuCtxPushCurrent(context) == CUDA_SUCCESS) {}
  ~CurrentCuda() {
    CUcontext ignored = nullptr;
    if (is_) cuda_.cuCtxPopCurrent(&ignored);
  }
  CurrentCuda& operator=(CurrentCuda&&) = delete;
  explicit operator bool() const { return is_; }

 private:
  const CudaFunctions& cuda_;
  const bool is_;
};

// Shared memory (see Memory::kShared) in a context, until one of both ends.
class CudaMemory {
 public:
  // Needs: the context is current. Throws Error{kBackend} if Vulkan refuses.
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
  CudaMemory& operator=(CudaMemory&&) = delete;

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
