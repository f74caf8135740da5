#include "feature/luma_range.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/frame_memory.h"
#include "core/ordered_frames.h"

namespace vq {

void require_luma_in_range(const Frame& frame, const VideoFormat& video) {
  const PlaneView<const uint16_t>& luma = frame.luma().u16;
  const unsigned most = (1U << video.bit_depth) - 1;
  if (luma.data == nullptr || video.bit_depth >= 16) return;
  for (int y = 0; y < luma.height; ++y) {
    const uint16_t* const row = luma.row(y);
    uint16_t bits = 0;  // of 16 bits, so that compilers work on whole vectors of samples
    for (int x = 0; x < luma.width; ++x) bits = static_cast<uint16_t>(bits | row[x]);
    if (bits <= most) continue;
    const auto x = std::find_if(row, row + luma.width, [&](uint16_t sample) { return sample > most; }) - row;
    const Error error(ErrorKind::kMismatch, "luma sample " + std::to_string(row[x]) +
                                                " at x=" + std::to_string(x) + ", y=" + std::to_string(y) +
                                                " exceeds " + std::to_string(most) + ", the maximum of " +
                                                std::to_string(video.bit_depth) + "-bit video.");
    throw at_frame(error, video.name, frame.index);
  }
}

void refuse_luma(std::initializer_list<VideoFrame> frames) {
  for (const VideoFrame& each : frames) require_luma_in_range(on_host(each.frame), each.video);
  const VideoFrame& first = *frames.begin();
  throw at_frame(Error(ErrorKind::kBackend,
                       "the device reported a luma sample above its depth's maximum, but there is none"),
                 first.video.name, first.frame.index);
}

}  // namespace vq
