// A build without CUDA or without Vulkan: pictures of NVIDIA's decoder go through the host.
#include "cli/decoding/hardware/hardware_pictures.h"

namespace vq::cli {

std::shared_ptr<CudaPictures> CudaPictures::open() { return nullptr; }

CudaPictures::OwnStream CudaPictures::with_own_stream(AVBufferRef&) { return {}; }

std::unique_ptr<PictureCopy> CudaPictures::copy(const AVFrame&, const PictureLayout&, int, std::vector<int>,
                                                vulkan::SharedPictures&) {
  return nullptr;
}

}  // namespace vq::cli
