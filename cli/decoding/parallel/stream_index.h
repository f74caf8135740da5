// Properties of a stream's pictures according to its packets, read once without decoding.
#pragma once

#include "cli/decoding/video_source.h"

namespace vq::cli {

// A picture at which a decoder without history may start.
struct StreamStartPoint {
  int64_t picture = 0;
  int64_t time = 0, seek = 0;  // see StreamPart
};

struct StreamIndex {
  // Why the stream cannot be split, as a text that follows the video's name; empty if it can. Then all
  // members below are known, unless the stream is planar.
  std::string whole;
  bool is_planar = false;  // uncompressed with frames of equal size, so that any frame can be read directly
  std::optional<int64_t> pictures;       // of the stream
  std::vector<int64_t> times;            // display times, ascending; empty for planar video
  std::vector<bool> is_needed;           // of each picture: others depend on it; empty for planar video
  std::vector<StreamStartPoint> starts;  // in order, from the first picture on
  double tick_seconds = 0;               // unit of the times
  int64_t start_time = 0;                // origin of Frame::timestamp
  VideoInfo info;
  std::optional<StreamLength> measured;
  std::vector<int64_t> packet_bytes;  // in the order of decoding; empty for planar video

  // Frame::timestamp of a picture, if known.
  std::optional<double> timestamp(int64_t picture) const;
  // From the last start at or before `picture` up to `end`, or to the end of the stream if there is no such
  // picture. Needs: `whole` is empty, not planar.
  StreamPart part(int64_t picture, int64_t end) const;
  // The same, of which nothing before `picture` is wanted.
  StreamPart part_from(int64_t picture, int64_t end) const;
};

// Whether index_stream() may find that the stream can be split, as far as an open video tells.
bool may_be_cut(const VideoInfo& video);

// Opens the video and reads all of its packets. Throws as open_video().
StreamIndex index_stream(const SourceOptions& options);

// A number that these pictures of the video decide: their count, the sizes of all packets, and the bytes of
// the first picture, the middle one and the last. Needs: the index is that of the video and can be split; at
// least one picture. Throws as open_video().
uint64_t content_seed(const SourceOptions& options, const StreamIndex& index, int64_t first,
                      int64_t pictures);

}  // namespace vq::cli
