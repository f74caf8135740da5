// Decoding of a stream by hardware, which FFmpeg calls hwaccel.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/video_source.h"
#include "core/frame.h"
#include "vulkan/shared_picture.h"

namespace vq::vulkan {
struct Cuda;
}

namespace vq::cli {

// Hardware does not decode this stream; what() is the reason, as a text to follow a colon.
class HardwareRefusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Format of memory to which a device's picture can be copied: of the size of whole coded pictures, before
// cropping.
struct HostFormat {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  int width = 0, height = 0;
};

// A copy of a picture to memory of the run's device, which may still be under way. The picture must not be
// released before this.
class PictureCopy {
 public:
  virtual ~PictureCopy() = default;  // waits
  // Waits for the end of the copy. Null if it failed: the picture is then fetched. Once.
  virtual std::shared_ptr<const FrameMemory> finish() = 0;
};

// The hardware's part of one decoder.
class HardwareSession {
 public:
  virtual ~HardwareSession() = default;
  virtual const std::string& hwaccel() const = 0;  // "cuda", ...
  // FFmpeg's decoder for this hardware; for AV1 it differs from the software decoder.
  virtual const AVCodec& codec() const = 0;
  // Before the decoder is opened. Throws HardwareRefusal, std::bad_alloc.
  virtual void attach(AVCodecContext& decoder) = 0;
  // Chooses one of the formats that the decoder offers, a list terminated by AV_PIX_FMT_NONE, which is
  // returned if none can be used.
  virtual AVPixelFormat choose(const AVCodecContext& decoder, const AVPixelFormat* offered) = 0;
  virtual HostFormat host_format(const AVFrame& picture) const = 0;
  // Copies the samples to `host`, which has that format and memory. Returns 0, or FFmpeg's error code with
  // its text.
  struct Fetched {
    int code = 0;
    std::string reason = {};
  };
  virtual Fetched fetch(const AVFrame& picture, AVFrame& host) = 0;
  // Begins to copy the first planes of a picture of this layout to memory of the run's device. Null if that
  // is impossible: the picture is then fetched.
  virtual std::unique_ptr<PictureCopy> keep(const AVFrame&, const PictureLayout&, int /*planes*/) {
    return nullptr;
  }
};

// Factory of sessions. Keeps opened devices for later sessions. May be used from any thread.
class HardwareApi {
 public:
  virtual ~HardwareApi() = default;
  // For the `nth` of the requested devices, modulo their number. Throws HardwareRefusal.
  virtual std::unique_ptr<HardwareSession> open(const HardwareRequest& request, AVCodecID codec, int nth) = 0;
};

// FFmpeg's hardware, of which there is one in a process.
std::shared_ptr<HardwareApi> ffmpeg_hardware();
std::vector<std::string> hwaccel_names();

// Whether the standard defines every sample exactly, so that all decoders agree.
bool is_exact(AVCodecID codec);

// Names of FFmpeg's hwaccels for a GPU, the best first.
std::vector<std::string> hwaccels_for(const HardwareDevice& device);

// Copies pictures of NVIDIA's video decoder to memory that the Vulkan device on the same GPU reads, without
// the host.

// May be used from several threads.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
 public:
  // Null if CUDA's library is missing, or lacks a function.
  static std::shared_ptr<CudaPictures> open();
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

  // Begins to copy the first `planes` planes of a picture of this layout, on its device's stream, and `rows`
  // of its luma to the host; those of its signature if there are none, or if it is smaller. Null if memory is
  // short or CUDA refuses: the picture is then copied through the host. Needs: a frame of AV_PIX_FMT_CUDA on
  // the device of `to`.
  std::unique_ptr<PictureCopy> copy(const AVFrame& frame, const PictureLayout& layout, int planes,
                                    std::vector<int> rows, vulkan::SharedPictures& to);

 private:
  class Import;
  class Copy;
  explicit CudaPictures(const vulkan::Cuda& cuda) : cuda_(cuda) {}
  void keep(AVBufferRef& device);
  void abandon(std::shared_ptr<vulkan::SharedPicture> picture);
  const vulkan::Cuda& cuda_;
  std::mutex mutex_;
  std::vector<AvPtr<AVBufferRef>> devices_;  // that own the contexts of streams and imported memory
  std::vector<std::shared_ptr<vulkan::SharedPicture>> abandoned_;  // to which a copy may still write
};

}  // namespace vq::cli
