// Copies pictures of NVIDIA's video decoder to memory that the Vulkan device on the same GPU reads, without
// the host.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/hardware/hardware_decoder.h"
#include "core/frame.h"
#include "vulkan/shared_picture.h"

namespace vq::cli {

// CUDA's functions, loaded at run time. May be used from several threads.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
 public:
  // Null if CUDA's library is missing, or lacks a function.
  static std::shared_ptr<CudaPictures> open();
  ~CudaPictures();
  CudaPictures(const CudaPictures&) = delete;
  CudaPictures& operator=(const CudaPictures&) = delete;

  // The same device for FFmpeg, with a CUDA stream of its own, so that waiting for one decoder's pictures
  // does not wait for another's. Null if CUDA refuses. The result's `stream` is destroyed after all users of
  // the device.
  struct OwnStream {
    AvPtr<AVBufferRef> device;
    std::shared_ptr<void> stream;
  };
  OwnStream with_own_stream(AVBufferRef& device);

  // Begins to copy the first `planes` planes of a picture of this layout, on its device's stream. Null if
  // memory is short or CUDA refuses: the picture is then copied through the host. Needs: a frame of
  // AV_PIX_FMT_CUDA on the device of `to`.
  std::unique_ptr<PictureCopy> copy(const AVFrame& frame, const PictureLayout& layout, int planes,
                                    vulkan::SharedPictures& to);

 private:
  struct HostMemoryFunctions;
  struct Functions;
  class Import;
  class Copy;
  explicit CudaPictures(std::unique_ptr<Functions> functions);
  void keep(AVBufferRef& device);
  void abandon(std::shared_ptr<vulkan::SharedPicture> picture);
  std::unique_ptr<Functions> functions_;
  std::mutex mutex_;
  std::vector<AvPtr<AVBufferRef>> devices_;  // that own the contexts of streams and imported memory
  std::vector<std::shared_ptr<vulkan::SharedPicture>> abandoned_;  // to which a copy may still write
};

}  // namespace vq::cli
