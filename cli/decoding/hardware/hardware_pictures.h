// The pictures of a decoder that hardware works for.
#pragma once

#include <memory>
#include <string>

#include "cli/decoding/allocation_watch.h"
#include "cli/decoding/decoded_picture.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/hardware/hardware_decoder.h"

namespace vq::cli {

// Memory for pictures that are all of about one size, which goes round.
class PictureBuffers {
 public:
  // Null where there is no memory.
  AvPtr<AVBufferRef> take(size_t bytes);

 private:
  AvPtr<AVBufferPool> pool_;
  size_t bytes_ = 0;
};

class HardwarePictures {
 public:
  // So many planes of each picture are of use.
  HardwarePictures(std::unique_ptr<HardwareSession> session, int planes)
      : session_(std::move(session)), planes_(planes) {}

  const HardwareSession& session() const { return *session_; }
  // Before the decoder is opened, whose owner knows this. Throws as HardwareSession::attach().
  void attach(AVCodecContext& decoder);
  // The format that the decoder is to use; AV_PIX_FMT_NONE where hardware has to give up.
  AVPixelFormat choose(const AVCodecContext& decoder, const AVPixelFormat* offered);
  // Makes of a picture at the device the one that decoding in software gives: the same format and the same
  // samples, in the planes that are of use; the others have none, nor has one that stays at the device. 0 or
  // FFmpeg's error code; then failure() or doubt() says more.
  int take(DecodedPicture& picture);
  // Of a call of the decoder that failed, with the first line that it logged.
  void note_error(int code, const std::string& line);

  // Why hardware cannot go on; empty where it can.
  const std::string& failure() const { return failure_; }
  // Why software is to have a look, where hardware does not fail but may not tell all; empty where nothing
  // speaks against it.
  const std::string& doubt() const { return doubt_; }

 private:
  int fail(int code, const std::string& reason);
  int fetch(const AVFrame& picture, const PictureLayout& layout, AVFrame& result);
  AvPtr<AVFrame> host_frame(const HostFormat& format);
  bool add_plane(AVFrame& picture, const AVFrame& host, const ComponentLayout& from, int plane);

  const AllocationWatch allocations_;
  std::unique_ptr<HardwareSession> session_;
  const int planes_;
  AVPixelFormat format_ = AV_PIX_FMT_NONE;  // of pictures that come from software
  PictureBuffers host_buffers_;
  std::array<PictureBuffers, kMaxPlanes> plane_buffers_;
  std::string failure_, doubt_;
};

}  // namespace vq::cli
