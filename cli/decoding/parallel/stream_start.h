// Packets that a decoder drops at the start of a stream that does not begin at a key frame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

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
