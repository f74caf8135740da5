// Stands in for CUDA in a build without it.
#include "core/error.h"
#include "engine/libvmaf/picture.h"

namespace vq::libvmaf {

CudaContext find_cuda_context(void*) {
  throw Error(ErrorKind::kBackend, "this build has no CUDA (CAMBI_CUDA=OFF)");
}

std::shared_ptr<CudaPictureMaker> CudaPictureMaker::open(const CudaContext&,
                                                         std::shared_ptr<vulkan::Device>) {
  return nullptr;
}

}  // namespace vq::libvmaf
