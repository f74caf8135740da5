// A stream decoded by hardware: what FFmpeg calls an hwaccel.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/hardware/hardware_request.h"
#include "core/frame_memory.h"

namespace vq::cli {

// Hardware does not decode this stream; what() says why, in words that follow a colon.
class HardwareRefusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Memory that a picture at the device can be copied to: of the size of whole coded pictures, before they are
// cropped.
struct HostFormat {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  int width = 0, height = 0;
};

// Of one decoder.
class HardwareSession {
 public:
  virtual ~HardwareSession() = default;
  virtual const std::string& hwaccel() const = 0;  // "cuda", ...
  // FFmpeg's decoder that can use it; for AV1 not the one that decodes in software.
  virtual const AVCodec& codec() const = 0;
  // Before the decoder is opened. Throws HardwareRefusal, std::bad_alloc.
  virtual void attach(AVCodecContext& decoder) = 0;
  // One of the formats that the decoder offers, which end with AV_PIX_FMT_NONE; that itself where none can be
  // used.
  virtual AVPixelFormat choose(const AVCodecContext& decoder, const AVPixelFormat* offered) = 0;
  virtual HostFormat host_format(const AVFrame& picture) const = 0;
  // Copies the samples to `host`, which has that format and memory. 0, or FFmpeg's error code with its reason
  // in words.
  struct Fetched {
    int code = 0;
    std::string reason = {};
  };
  virtual Fetched fetch(const AVFrame& picture, AVFrame& host) = 0;
  // The first planes of a picture, whose samples lie as the layout says, where the run's device reads them.
  // Null where that cannot be: then it is fetched.
  virtual std::shared_ptr<const FrameMemory> keep(const AVFrame&, const PictureLayout&, int /*planes*/) {
    return nullptr;
  }
};

// Where sessions come from. Keeps the devices that were opened once, for the next who need them. May be used
// from any thread.
class HardwareApi {
 public:
  virtual ~HardwareApi() = default;
  // For the `nth` of the devices that are requested for, counted round and round. Throws HardwareRefusal.
  virtual std::unique_ptr<HardwareSession> open(const HardwareRequest& request, AVCodecID codec, int nth) = 0;
};

// What FFmpeg has.
std::shared_ptr<HardwareApi> ffmpeg_hardware();
std::vector<std::string> hwaccel_names();

// Whether the standard leaves a decoder no choice of any sample, so that all decoders give the same.
bool is_exact(AVCodecID codec);

// What FFmpeg's hwaccels for a GPU are called, the best first.
std::vector<std::string> hwaccels_for(const HardwareDevice& device);

}  // namespace vq::cli
