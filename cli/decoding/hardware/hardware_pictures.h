// Decoding of a stream by hardware, which FFmpeg calls hwaccel.
#pragma once

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/video_source.h"
#include "core/error.h"
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
std::vector<std::string> hwaccels_for(const vulkan::DeviceInfo& device);

// Copies pictures of NVIDIA's video decoder to memory that the Vulkan device on the same GPU reads, without
// the host. May be used from several threads.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
 public:
  // Null if CUDA's library is missing, or lacks a function.
  static std::shared_ptr<CudaPictures> open();
  CudaPictures& operator=(CudaPictures&&) = delete;

  // The same device for FFmpeg, with a CUDA stream of its own, so that waiting for one decoder's pictures
  // does not wait for another's. Null if CUDA refuses. The result's `stream` is destroyed after all users of
  // the device.
  struct OwnStream {
    AvPtr<AVBufferRef> device;
    std::shared_ptr<void> stream;
  };
  OwnStream with_own_stream(AVBufferRef& device);

  // Begins to copy the first `planes` planes of a picture of this layout, on its device's stream, and `rows`
  // of its luma to the host; signature::sampled_lines() if there are none, or if it is smaller. Null if
  // memory is short or CUDA refuses: the picture is then copied through the host. Needs: a frame of
  // AV_PIX_FMT_CUDA on the device of `to`.
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

// A pool of buffers of about one size, which are zeros at first.
class PictureBuffers {
 public:
  // Null if memory is exhausted.
  AvPtr<AVBufferRef> take(size_t bytes);

 private:
  AvPtr<AVBufferPool> pool_;
  size_t bytes_ = 0;
};

// The pictures of a decoder that uses hardware.
class HardwarePictures {
 public:
  // `planes`: number of planes that are used.
  HardwarePictures(std::unique_ptr<HardwareSession> session, int planes)
      : session_(std::move(session)), planes_(planes) {}

  const HardwareSession& session() const { return *session_; }
  // Before the decoder, whose owner refers to this, is opened. Throws as HardwareSession::attach().
  void attach(AVCodecContext& decoder);
  // The format for the decoder; AV_PIX_FMT_NONE if hardware must give up.
  AVPixelFormat choose(const AVCodecContext& decoder, const AVPixelFormat* offered);
  // Converts pictures on the device to those of software decoding: the same format and samples, in the used
  // planes only; a picture that stays on the device has no planes. Both return 0 or FFmpeg's error code;
  // failure() or doubt() then says more.
  int begin(AvPtr<AVFrame> picture);
  // The first of those that were begun. Needs: has_any().
  int finish(Picture& picture);
  bool has_any() const { return !begun_.empty(); }
  // Whether the first one should be finished before another is begun: copies of a few may be under way.
  bool has_enough() const;
  // Gives up those that were begun.
  void drop() { begun_.clear(); }
  // Records a failed call of the decoder, with the first line that it logged.
  void note_error(int code, const std::string& line);

  // Why hardware cannot continue; empty if it can.
  const std::string& failure() const { return failure_; }
  // Why software must check the stream, although hardware does not fail; empty if there is no reason.
  const std::string& doubt() const { return doubt_; }

 private:
  struct Begun {
    AvPtr<AVFrame> picture, result;
    PictureLayout layout;
    std::unique_ptr<PictureCopy> copy;  // null: it is fetched
  };
  int fail(int code, const std::string& reason);
  int fetch(const AVFrame& picture, const PictureLayout& layout, AVFrame& result);
  AvPtr<AVFrame> host_frame(const HostFormat& format);
  bool add_plane(AVFrame& picture, const AVFrame& host, const ComponentLayout& from, int plane);

  std::unique_ptr<HardwareSession> session_;
  const int planes_;
  AVPixelFormat format_ = AV_PIX_FMT_NONE;  // of pictures from software decoding
  std::deque<Begun> begun_;
  PictureBuffers host_buffers_;
  std::array<PictureBuffers, kMaxPlanes> plane_buffers_;
  std::string failure_, doubt_;
};

// Memory for a decoder's pictures from which a device can copy. Decoders write into blocks of a store, one
// for all planes of a picture, with row strides for devices if the decoder allows it. If the store is
// exhausted, ordinary memory with the same layout is used, since many decoders assume one stride for all
// pictures. If the decoder has memory of its own, or there is no store, FFmpeg's allocation is unchanged.
// Pictures may outlive this. May be used from any thread.
class PictureMemory {
 public:
  explicit PictureMemory(std::shared_ptr<FrameStore> store);

  // As AVCodecContext::get_buffer2.
  int get_buffer(AVCodecContext& decoder, AVFrame& picture, int flags);
  // The block of a decoded picture; null if it is elsewhere.
  std::shared_ptr<const HostVisibleMemory> place_of(const AVFrame& picture) const;

 private:
  class Pieces;
  bool fill(AVCodecContext& decoder, AVFrame& picture);
  AVBufferRef* placed_buffer(int64_t bytes) const;
  AVBufferRef* ordinary_buffer(int64_t bytes);

  const std::shared_ptr<FrameStore> store_;
  const std::shared_ptr<Pieces> pieces_;
  std::mutex mutex_;  // for the next
  PictureBuffers ordinary_;
};

// Memory for pictures that stay on a run's devices, which are opened beside the decoders. May be used from
// any thread.
class DeferredSharedPictures {
 public:
  using Devices = std::vector<std::shared_ptr<vulkan::Device>>;

  DeferredSharedPictures() = default;  // has none
  explicit DeferredSharedPictures(std::shared_future<Devices> opened) : opened_(std::move(opened)) {}

  // Whether the devices are open, or were given up.
  bool is_known() const {
    const std::lock_guard lock(mutex_);
    return look();
  }

  // For the device with that UUID; null if there is none, or not yet.
  std::shared_ptr<vulkan::SharedPictures> find(const std::array<uint8_t, 16>& uuid) const {
    const std::lock_guard lock(mutex_);
    if (!look()) return nullptr;
    for (const auto& pictures : pictures_) {
      if (pictures->device().info().uuid == uuid) return pictures;
    }
    return nullptr;
  }

  // From now on there is none.
  void give_up() {
    const std::lock_guard lock(mutex_);
    pictures_.clear();
    is_known_ = true;
  }

 private:
  bool look() const {
    if (is_known_ || !opened_.valid()) return true;
    if (opened_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return false;
    is_known_ = true;
    try {
      pictures_ = vulkan::shared_pictures_of(opened_.get());
    } catch (const Error&) {  // whoever needs the devices says so
    }
    return true;
  }

  const std::shared_future<Devices> opened_;
  mutable std::mutex mutex_;  // of the members below
  mutable std::vector<std::shared_ptr<vulkan::SharedPictures>> pictures_;
  mutable bool is_known_ = false;
};

}  // namespace vq::cli
