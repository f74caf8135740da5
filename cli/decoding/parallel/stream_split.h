// Splits the packets of a stream into segments, each for a decoder without history.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/parallel/stream_entry.h"

namespace vq::cli {

struct SplitPacket {
  enum class Role {
    kInside,
    kFirst,  // starts a segment
    // The next segment's first packet. Pictures of this segment follow it and depend on it, so this segment's
    // decoder receives it too, and its picture is dropped.
    kBorrowed,
  };
  AvPtr<AVPacket> packet;
  int64_t number = 0;  // in the stream, from 1
  Role role = Role::kInside;
};

class StreamSplitter {
 public:
  // Every segment but the last has at least this number of packets. Needs: a finder.
  StreamSplitter(std::unique_ptr<EntryFinder> finder, int64_t shortest);

  // The packets of the stream, in order. Throws std::bad_alloc.
  void add(AvPtr<AVPacket> packet, int64_t number);
  // No packets follow.
  void end();
  // The next packet with a known role: packets wait until it is known whether a segment begins at an open
  // entry.
  std::optional<SplitPacket> take();
  // A packet was added because of which the stream should not have been split, even before that packet.
  bool is_refused() const { return is_refused_; }

 private:
  void settle(bool may_split);
  void push(AvPtr<AVPacket> packet, int64_t number, SplitPacket::Role role);

  const std::unique_ptr<EntryFinder> finder_;
  const int64_t shortest_;
  std::deque<SplitPacket> ready_;
  std::deque<SplitPacket> open_;  // an undecided open entry and its dependents
  int64_t length_ = 0;            // of the current segment
  bool is_refused_ = false;
};

}  // namespace vq::cli
