// The pictures of a decoder that uses hardware.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "cli/decoding/allocation_watch.h"
#include "cli/decoding/decoded_picture.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/hardware/hardware_decoder.h"

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
  int finish(DecodedPicture& picture);
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

  const AllocationWatch allocations_;
  std::unique_ptr<HardwareSession> session_;
  const int planes_;
  AVPixelFormat format_ = AV_PIX_FMT_NONE;  // of pictures from software decoding
  std::deque<Begun> begun_;
  PictureBuffers host_buffers_;
  std::array<PictureBuffers, kMaxPlanes> plane_buffers_;
  std::string failure_, doubt_;
};

}  // namespace vq::cli
