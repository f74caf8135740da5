#include "cli/decoding/parallel/stream_start.h"

#include <algorithm>

namespace vq::cli {
namespace {

// Pictures after which nothing of what was decoded before the first is still to come: with times, those that
// are shown earlier are decoded before the second; without, the most that H.264 and HEVC reorder, and one.
constexpr int64_t kPicturesWithTimes = 2;
constexpr int64_t kPicturesWithout = 17;

std::optional<int64_t> known(int64_t time) {
  return time == AV_NOPTS_VALUE ? std::nullopt : std::optional(time);
}

}  // namespace

void StreamStart::add_packet(const AVPacket& packet) {
  if (is_settled_) return;
  // What an edit list leaves out is no loss.
  packets_.push_back({known(packet.pts), (packet.flags & AV_PKT_FLAG_DISCARD) == 0});
}

void StreamStart::add_picture(const AVFrame& picture, int64_t packet) {
  if (is_settled_) return;
  if (pictures_ == 0) first_time_ = known(picture.pts);
  lowest_packet_ = pictures_ == 0 ? packet : std::min(lowest_packet_, packet);
  is_settled_ = ++pictures_ >= (has_times() ? kPicturesWithTimes : kPicturesWithout);
}

bool StreamStart::has_times() const {
  return first_time_ && std::all_of(packets_.begin(), packets_.end(),
                                    [](const Packet& packet) { return packet.time.has_value(); });
}

int64_t StreamStart::lost() const {
  if (pictures_ == 0) return 0;
  const bool by_time = has_times();
  int64_t count = 0;
  for (size_t i = 0; i < packets_.size(); ++i) {
    const bool is_before =
        by_time ? *packets_[i].time < *first_time_ : static_cast<int64_t>(i) + 1 < lowest_packet_;
    if (is_before && packets_[i].is_shown) ++count;
  }
  return count;
}

}  // namespace vq::cli
