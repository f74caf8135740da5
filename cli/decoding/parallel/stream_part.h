// A stretch of a coded stream that can be decoded without what precedes it.
#pragma once

#include <cstdint>
#include <optional>

namespace vq::cli {

// Times are those of packets, in the time base of the stream. Numbers count the pictures of the stream from
// 0, in display order; each has one packet, and all times are different.
struct StreamPart {
  int64_t picture = 0;                   // of the packet at which decoding starts
  int64_t time = 0;                      // display time of that packet
  int64_t seek = 0;                      // a time with which a container finds that packet
  int64_t end = 0;                       // the first picture after the part
  std::optional<int64_t> end_time = {};  // its display time; none if the stream ends before it
  bool operator==(const StreamPart&) const = default;
};

}  // namespace vq::cli
