// Pictures that NVIDIA's video decoder made, taken to memory that the Vulkan device on the same GPU reads,
// without the host.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "core/frame_memory.h"
#include "vulkan/shared_picture.h"

struct CUstream_st;  // of CUDA

namespace vq::cli {

// CUDA's functions, opened at run time. Of several threads' use.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
 public:
  // Null where CUDA's library is not there, or lacks what is needed.
  static std::shared_ptr<CudaPictures> open();
  ~CudaPictures();
  CudaPictures(const CudaPictures&) = delete;
  CudaPictures& operator=(const CudaPictures&) = delete;

  // The same device for FFmpeg, with a stream of CUDA's of its own: what waits for one decoder's pictures
  // then does not wait for another's. Null where CUDA refuses. The stream goes with the result's `stream`,
  // after whoever uses the device.
  struct OwnStream {
    AvPtr<AVBufferRef> device;
    std::shared_ptr<void> stream;
  };
  OwnStream with_own_stream(AVBufferRef& device);

  // Copies the first `planes` planes of a picture, whose samples lie as `layout` says, and waits for that, so
  // that the decoder may have its memory back. Null where memory is short or CUDA refuses: then the picture
  // goes through the host. Needs: a frame of AV_PIX_FMT_CUDA on the device of `to`.
  std::shared_ptr<const FrameMemory> take(const AVFrame& frame, const PictureLayout& layout, int planes,
                                          vulkan::SharedPictures& to);

 private:
  struct Functions;
  explicit CudaPictures(std::unique_ptr<Functions> functions);
  void keep(AVBufferRef& device);
  std::nullptr_t give_up(const std::shared_ptr<vulkan::SharedPicture>& picture, CUstream_st* stream);
  std::unique_ptr<Functions> functions_;
  std::mutex mutex_;
  std::vector<AvPtr<AVBufferRef>> devices_;  // whose contexts streams and imported memory are of
  std::vector<std::shared_ptr<vulkan::SharedPicture>> abandoned_;  // that a copy may still write to
};

}  // namespace vq::cli
