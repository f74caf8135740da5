// Stands in for hardware that decodes: software decodes, but pictures come out as hardware hands them out,
// and what hardware can fail at fails on request.
#pragma once

#include <atomic>

#include "cli/decoding/hardware/hardware_pictures.h"

namespace vq::cli {

struct HardwarePlan {
  std::string refuses_to_open = {};      // with these words; empty: it opens
  int refuses_format_at = -1;            // at so many questions for a format, from 0; -1: never
  std::string logs_before_refusal = {};  // as FFmpeg's hwaccels do
  int fails_at = -1;                     // at so many pictures, from 0; -1: never
  int code = AVERROR_EXTERNAL;           // of that failure
  std::string logs_at_failure = {};      // by the decoder, which then gives the picture all the same
  int keeps_from = -1;  // pictures from this one on, from 0, stay where the host does not see them; -1: none
};

class HardwareDouble final : public HardwareApi {
 public:
  explicit HardwareDouble(HardwarePlan plan = {}) : plan_(std::move(plan)) {}
  std::unique_ptr<HardwareSession> open(const HardwareRequest& request, AVCodecID codec, int nth) override;

  int sessions() const { return sessions_; }      // that were asked for
  int pictures() const { return pictures_; }      // that were handed out
  std::string device() const { return device_; }  // the latest that was asked for
  const std::map<std::string, int>& sessions_of_devices() const { return sessions_of_devices_; }

 private:
  const HardwarePlan plan_;
  std::atomic<int> sessions_ = 0, pictures_ = 0;
  std::string device_;
  std::map<std::string, int> sessions_of_devices_;
};

// How hardware lays out what software decodes to that format: chroma of 4:2:0 and 4:2:2 interleaved, samples
// of more than 8 bits in the high bits of words. 4:4:4 is planar, as NVIDIA's decoder gives it.
// AV_PIX_FMT_NONE where the double knows none.
AVPixelFormat hardware_layout(AVPixelFormat software);

// The same picture in that layout. Needs: memory in `host`, at least as large.
void lay_out(const AVFrame& software, AVFrame& host);

}  // namespace vq::cli
