// A part of a video, decoded without the pictures before it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/damage/picture_numbering.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/parallel/segment_decoders.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Delivers the pictures of SourceOptions::part with the numbers, times and samples of a source of the whole
// video, and the same properties. If anything is unusual, the whole video is read up to the end of the part,
// and its result counts. Needs: the part belongs to this video; nothing before it is read, and skip() reaches
// at least its first picture. Throws as open_video(), and while reading Error{kIncomplete} if the video has
// other pictures at these times than the part says.
std::unique_ptr<VideoSource> open_part(const SourceOptions& options);

// Decodes a part of a stream, from its first packet on.

class PartPictures {
 public:
  // `options` outlives this. Throws as open_video().
  PartPictures(const SourceOptions& options, const StreamPart& part);

  // The pictures of the part in order, each with its number; nothing at the end, and if the stream is not
  // intact: is_suspect(). Throws errors of the decoder.
  struct Numbered {
    SegmentPicture picture;
    int64_t index = 0;
  };
  std::optional<Numbered> next();
  bool is_suspect() const { return is_suspect_; }
  const AVStream& stream() const { return demuxer_.stream(); }
  std::string decoder_name() const;

 private:
  bool find_start();
  bool may_feed();
  void feed();
  bool read_packet(AvPtr<AVPacket>& packet);
  void push(AvPtr<AVPacket> packet);
  void end_feeding();
  std::optional<Numbered> take(SegmentPicture picture);
  bool is_whole_at_end();

  const SourceOptions& options_;
  const StreamPart part_;
  ByteReader reader_;
  FfmpegDemuxer demuxer_;
  LastPicture last_picture_;
  SegmentDecoders decoders_;
  std::deque<Numbered> held_;    // after the last packet of the stream
  int64_t packets_ = 0;          // given to the decoder
  int64_t wanted_ = 0;           // number of these whose pictures belong to the part
  int64_t pictures_ = 0;         // returned by the decoder
  std::optional<int64_t> time_;  // of the last one
  bool has_begun_ = false, is_all_fed_ = false, is_checked_ = false, is_suspect_ = false;
};

}  // namespace vq::cli
