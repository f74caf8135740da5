// A stretch of a coded stream that can be decoded without what lies before it.
#pragma once

#include <cstdint>
#include <optional>

namespace vq::cli {

// Times are those of packets, in the time base of the stream. Numbers count the pictures of the stream from
// 0, in order of display; each has one packet, and all have different times.
struct StreamPart {
  int64_t picture = 0;                   // the first: of the packet at which decoding begins
  int64_t time = 0;                      // of display, of that packet
  int64_t seek = 0;                      // a time from which on a container finds that packet
  int64_t end = 0;                       // the first picture that is not wanted
  std::optional<int64_t> end_time = {};  // of display, of that; none where the stream ends before it
  bool operator==(const StreamPart&) const = default;
};

}  // namespace vq::cli
