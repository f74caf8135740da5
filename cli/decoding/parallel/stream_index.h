// What the packets of a stream say of its pictures, read once without decoding them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/parallel/stream_part.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// A picture at which a decoder may begin that has seen nothing of what came before.
struct StreamStartPoint {
  int64_t picture = 0;
  int64_t time = 0, seek = 0;  // see StreamPart
};

struct StreamIndex {
  // Why the stream cannot be taken apart, in words that go on after the video's name; empty where it can.
  // Then, but for planar video, everything below is known.
  std::string whole;
  bool is_planar = false;  // uncompressed and of equal frames, so that any frame can be read by itself
  std::optional<int64_t> pictures;       // of the stream
  std::vector<int64_t> times;            // of display, ascending; empty for planar video
  std::vector<StreamStartPoint> starts;  // in order, from the first picture on
  double tick_seconds = 0;               // of a time
  int64_t start_time = 0;                // from which Frame::timestamp counts
  VideoInfo info;
  std::optional<StreamLength> measured;

  // Frame::timestamp of a picture, as far as it is known.
  std::optional<double> timestamp(int64_t picture) const;
  // From the last start at or before `picture` up to `end`, or to the end of the stream where there is no
  // such picture. Needs: `whole` is empty, not planar.
  StreamPart part(int64_t picture, int64_t end) const;
};

// Opens the video and reads all of its packets. Throws as open_video().
StreamIndex index_stream(const SourceOptions& options);

}  // namespace vq::cli
