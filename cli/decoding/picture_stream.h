// The pictures of a stream in display order, for any kind of decoder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/decoding/video_source.h"
#include "core/frame.h"

namespace vq::cli {

struct Picture {
  AvPtr<AVFrame> frame;                           // none if the picture was lost
  std::shared_ptr<const FrameMemory> place = {};  // see DecodedPicture
  int64_t index = 0;                              // lost pictures are counted
  bool damaged = false;
  std::string reason;  // of the damage
  int64_t packet = 0;  // number of the one it began with, from 1
};

class PictureStream {
 public:
  virtual ~PictureStream() = default;
  // The next picture; nothing at the end, and if reading failed (see FfmpegDemuxer::read_failure()).
  virtual std::optional<Picture> next() = 0;
  // Recent or coming pictures of next() may be damaged, and this stream cannot decide: decoding must start
  // again in a simpler way. Pictures returned before are the same there.
  virtual bool is_suspect() const = 0;
  // As FfmpegDecoder::name().
  virtual std::string decoder_name() const = 0;
  virtual const DecodeProgress& progress() const = 0;
  // The latest cause of damage; empty if there was none.
  virtual const std::string& last_reason() const = 0;
  // The state of grain in the pictures so far.
  virtual FilmGrain film_grain() const = 0;
  // Packets without picture and number at the start.
  virtual const StreamStart& start() const = 0;

  // Number of pictures missing between the last ones, because the stream ends before them. They have numbers,
  // so that later displayed pictures keep theirs. None if the container counts its packets and all were read:
  // the writer then left the pictures out.
  int64_t missing_at_end() const { return progress().missing_pictures; }
};

// A picture as returned by a decoder.

// Properties of the picture, and its samples: in `frame`, unless `place` has them if the host cannot see
// them. If `place` is a HostVisibleMemory, `frame` refers to that memory.
struct DecodedPicture {
  AvPtr<AVFrame> frame;
  std::shared_ptr<const FrameMemory> place = {};
};

}  // namespace vq::cli
