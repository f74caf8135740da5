// Takes the packets of a stream apart into segments, each for a decoder that has seen nothing else of the
// stream.
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
    kFirst,  // a segment begins
    // The next segment's first packet. Pictures of this segment come after it and lean on it, but its own
    // belongs to the next: this segment's decoder is given it as well, and what it makes of it is left out.
    kBorrowed,
  };
  AvPtr<AVPacket> packet;
  int64_t number = 0;  // among the packets of the stream, from 1
  Role role = Role::kInside;
};

class StreamSplitter {
 public:
  // Segments have at least so many packets, but for the last. Needs: a finder.
  StreamSplitter(std::unique_ptr<EntryFinder> finder, int64_t shortest);

  // The packets of the stream, in order. Throws std::bad_alloc.
  void add(AvPtr<AVPacket> packet, int64_t number);
  // There are no more.
  void end();
  // The next of those whose role is known: packets wait until it is known whether a segment begins at an open
  // entry.
  std::optional<SplitPacket> take();
  // A packet was added after which the stream should not have been taken apart, be it before that packet.
  bool is_refused() const { return is_refused_; }

 private:
  void settle(bool may_split);
  void push(AvPtr<AVPacket> packet, int64_t number, SplitPacket::Role role);

  const std::unique_ptr<EntryFinder> finder_;
  const int64_t shortest_;
  std::deque<SplitPacket> ready_;
  std::deque<SplitPacket> open_;  // an open entry and what leans on it, where that is still to be decided
  int64_t length_ = 0;            // of the segment so far
  bool is_refused_ = false;
};

}  // namespace vq::cli
