#include "cli/decoding/parallel/stream_split.h"

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

}  // namespace vq::cli
