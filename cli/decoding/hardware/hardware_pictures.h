// The pictures of a decoder that uses hardware.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/hardware/hardware_decoder.h"
#include "core/error.h"
#include "core/frame.h"
#include "vulkan/shared_picture.h"

namespace vq::cli {

// A pool of buffers of about one size.
class PictureBuffers {
 public:
  // Null if memory is exhausted.
  AvPtr<AVBufferRef> take(size_t bytes);

 private:
  AvPtr<AVBufferPool> pool_;
  size_t bytes_ = 0;
};

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

// Memory for a decoder's pictures from which a device can copy.

// Decoders write into blocks of a store, one for all planes of a picture, with row strides for devices if the
// decoder allows it. If the store is exhausted, ordinary memory with the same layout is used, since many
// decoders assume one stride for all pictures. If the decoder has memory of its own, or there is no store,
// FFmpeg's allocation is unchanged. Pictures may outlive this. May be used from any thread.
class PictureMemory {
 public:
  explicit PictureMemory(std::shared_ptr<FrameStore> store);

  // As AVCodecContext::get_buffer2.
  int get_buffer(AVCodecContext& decoder, AVFrame& picture, int flags);
  // The block of a decoded picture; null if it is elsewhere.
  std::shared_ptr<const HostVisibleMemory> place_of(const AVFrame& picture) const;

 private:
  struct PoolDelete {
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  class Pieces;
  bool fill(AVCodecContext& decoder, AVFrame& picture);
  AVBufferRef* placed_buffer(int64_t bytes) const;
  AVBufferRef* ordinary_buffer(int64_t bytes);

  const std::shared_ptr<FrameStore> store_;
  const std::shared_ptr<Pieces> pieces_;
  std::mutex mutex_;  // for the members below
  std::unique_ptr<AVBufferPool, PoolDelete> ordinary_;
  int64_t ordinary_bytes_ = 0;  // of each of its buffers
};

// Memory for pictures that stay on a run's devices, which are opened beside the decoders.

// May be used from any thread.
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
