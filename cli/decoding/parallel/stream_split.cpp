#include "cli/decoding/parallel/stream_split.h"

#include <algorithm>
#include <new>
#include <utility>

namespace vq::cli {

StreamSplitter::StreamSplitter(std::unique_ptr<EntryFinder> finder, int64_t shortest)
    : finder_(std::move(finder)), shortest_(shortest) {}

void StreamSplitter::push(AvPtr<AVPacket> packet, int64_t number, SplitPacket::Role role) {
  if (role == SplitPacket::Role::kFirst) length_ = 0;
  ++length_;
  ready_.push_back({std::move(packet), number, role});
}

void StreamSplitter::add(AvPtr<AVPacket> packet, int64_t number) {
  using Role = SplitPacket::Role;
  const Entry entry = finder_->look(*packet);
  is_refused_ = is_refused_ || entry == Entry::kRefused;
  if (!open_.empty() && entry == Entry::kLeaning && open_.size() <= kMostLeaning) {
    open_.push_back({std::move(packet), number, Role::kInside});
    return;
  }
  settle(entry != Entry::kLeading && entry != Entry::kLeaning);
  const bool is_first = length_ == 0, may_begin = length_ >= shortest_;
  if (entry == Entry::kOpen && may_begin && !is_first) {
    open_.push_back({std::move(packet), number, Role::kInside});
    return;
  }
  push(std::move(packet), number,
       is_first || (entry == Entry::kClosed && may_begin) ? Role::kFirst : Role::kInside);
}

// Decides on the open entry that waits.
void StreamSplitter::settle(bool may_split) {
  if (open_.empty()) return;
  SplitPacket first = std::move(open_.front());
  open_.pop_front();
  if (!may_split) push(std::move(first.packet), first.number, SplitPacket::Role::kInside);
  if (may_split && !open_.empty()) {
    AvPtr<AVPacket> copy(av_packet_clone(first.packet.get()));
    if (!copy) throw std::bad_alloc();
    push(std::move(copy), first.number, SplitPacket::Role::kBorrowed);
  }
  for (; !open_.empty(); open_.pop_front()) {
    push(std::move(open_.front().packet), open_.front().number, SplitPacket::Role::kInside);
  }
  if (may_split) push(std::move(first.packet), first.number, SplitPacket::Role::kFirst);
}

void StreamSplitter::end() {
  settle(true);
}

std::optional<SplitPacket> StreamSplitter::take() {
  if (ready_.empty()) return std::nullopt;
  SplitPacket packet = std::move(ready_.front());
  ready_.pop_front();
  return packet;
}

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
