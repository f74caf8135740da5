// Numbers the packets and pictures of a stream, and derives from their times how far it was read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "cli/decoding/damage/declared_length.h"
#include "cli/decoding/damage/last_picture.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/parallel/stream_start.h"
#include "cli/decoding/picture_stream.h"

namespace vq::cli {

// The place of pictures in display order as the streams themselves count it, for containers that have no
// times of display. Counts start anew now and then; between two starts they rise in display order.
class PictureCount {
 public:
  explicit PictureCount(const AVCodecParameters& stream);

  // Takes the packets of the stream in order. The count of the packet's picture; nothing where the codec has
  // none (H.264, HEVC, MPEG-1 and MPEG-2 do).
  std::optional<int64_t> of(const AVPacket& packet);

 private:
  bool has_temporal_reference_;
  AvPtr<AVCodecParserContext> parser_;  // none for codecs without a count
  AvPtr<AVCodecContext> context_;
};

// Whether pictures in display order follow one another at the same distance, and how many are missing if not.
// Times are in any unit: of a clock, or counts such as the picture order count of H.264.
class DisplayOrder {
 public:
  // Takes the next picture. A time that does not rise starts a new count.
  void add(std::optional<int64_t> time);
  // The same for a picture of which it is known that others may be missing before it. Says how many would fit
  // in between; nothing where that cannot be told.
  std::optional<int64_t> add_after_gap(std::optional<int64_t> time);
  // The distance that is usual, of a stream of which too few pictures came to tell. Needs: step > 0.
  void assume_step(int64_t step);
  // Every picture had a time and was at the usual distance from the one before, but for gaps, and there were
  // enough of them to speak of one.
  bool is_regular() const { return !irregular_ && steps_ >= kEnoughSteps; }
  // The usual distance. Needs: is_regular().
  int64_t step() const { return step_; }

 private:
  bool fits(int64_t distance, int64_t steps) const;

  static constexpr int kEnoughSteps = 3;

  std::optional<int64_t> last_;
  int64_t step_ = 0;
  int64_t steps_ = 0;  // of that distance
  bool irregular_ = false;
};

// Maximum number of packets by which a picture may be delayed; the limit of H.264 and HEVC.
inline constexpr int64_t kMaxReordering = 16;

// Decoders report packets and pictures in the order in which a single decoder takes and returns them.
class PictureNumbering {
 public:
  // `demuxer` outlives this and has not been read from.
  PictureNumbering(FfmpegDemuxer& demuxer, const SourceOptions& options);

  // Every packet from the demuxer, of any stream. `reordered`: AVCodecContext::has_b_frames.
  void clock(const AVPacket& packet, int reordered);
  // A packet without data, which stands for a repeated picture.
  void add_empty() { ++progress_.packets; }
  // The next packet of the stream to be decoded.
  void add_packet(const AVPacket& packet);
  // All packets were read; `unadded` of them are still to be added, with pictures in between.
  void foresee_end(int64_t unadded);
  // The same if at most the last is still to be added, and all were passed to clock().
  void end_packets(int64_t unadded);
  // The number of the packet that was added last, from 1.
  int64_t number() const { return number_; }

  // Gives a number to a lost picture.
  int64_t add_lost() { return next_index_++; }
  // Numbers a picture and the missing ones before it, which may be `after_lost` ones.
  void add_picture(Picture& picture, bool after_lost);
  // The newest of the pictures after the last packet, if its data were truncated (see LastPicture); otherwise
  // null.
  Picture* find_cut(std::span<Picture* const> last, bool has_grain) const;
  // No packets or pictures follow.
  void finish();

  const DecodeProgress& progress() const { return progress_; }
  const StreamStart& start() const { return start_; }

 private:
  int64_t count_missing(const Picture& picture, bool after_lost);
  std::optional<int64_t> take_count(int64_t packet);
  DecodeProgress with_packets(int64_t more) const;
  void assume_declared_rate();

  FfmpegDemuxer& demuxer_;
  LastPicture last_picture_;
  PictureCount counts_;
  StreamStart start_;
  std::map<int64_t, int64_t> count_of_packet_;  // of pictures still to come
  DisplayOrder order_, counted_order_;
  std::optional<int64_t> last_;  // number of the last packet, once it is known
  bool may_miss_ = false;        // pictures before the end
  int64_t number_ = 0;
  int64_t next_index_ = 0;
  DecodeProgress progress_;
};

}  // namespace vq::cli
