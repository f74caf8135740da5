// Splits the packets of a stream into segments, each for a decoder without history.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "cli/decoding/ffmpeg_functions.h"
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

// Packets that a decoder drops at the start of a stream that does not begin at a key frame.

// Counts the packets without a picture before the first picture in display order, about which decoders are
// silent: frames before the first key frame, and those that follow it but are displayed before it.
class StreamStart {
 public:
  // Each packet of the stream in decoding order, before its pictures.
  void add_packet(const AVPacket& packet);
  // Each picture in display order, with the number of its packet (from 1).
  void add_picture(const AVFrame& picture, int64_t packet);
  // No pictures follow.
  void end() { is_settled_ = true; }

  // Whether lost() is final.
  bool is_settled() const { return is_settled_; }
  int64_t lost() const;

 private:
  struct Packet {
    std::optional<int64_t> time;
    bool is_shown;
  };
  bool has_times() const;

  std::vector<Packet> packets_;  // until it is settled
  std::optional<int64_t> first_time_;
  int64_t pictures_ = 0;
  int64_t lowest_packet_ = 0;  // of the pictures so far
  bool is_settled_ = false;
};

}  // namespace vq::cli
