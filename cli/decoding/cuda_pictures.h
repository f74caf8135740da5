// Pictures that NVIDIA's video decoder made, taken to memory that the Vulkan device on the same GPU reads, without the host.
#pragma once

#include <memory>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "core/frame_place.h"
#include "vulkan/shared_picture.h"

namespace vq::cli {

// CUDA's functions, opened at run time. Of several threads' use.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
 public:
  // Null where CUDA's library is not there, or lacks what is needed.
  static std::shared_ptr<CudaPictures> open();
  ~CudaPictures();
  CudaPictures(const CudaPictures&) = delete;
  CudaPictures& operator=(const CudaPictures&) = delete;

  // Copies the first `planes` planes of a picture, whose samples lie as `layout` says, and waits for that, so that the decoder
  // may have its memory back. Null where memory is short or CUDA refuses: then the picture goes through the host. Needs: a frame
  // of AV_PIX_FMT_CUDA on the device of `to`.
  std::shared_ptr<const FramePlace> take(const AVFrame& frame, const PictureLayout& layout, int planes, vulkan::SharedPictures& to);

 private:
  struct Functions;
  explicit CudaPictures(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

}  // namespace vq::cli
