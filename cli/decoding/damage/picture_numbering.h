// Numbers the packets and pictures of a stream, and derives from their times how far it was read.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/decoding/picture_stream.h"
#include "core/worker_pool.h"

namespace vq::cli {

// Detects whether the last picture of a stream is truncated, if neither the container nor the decoder does.

// The data of a picture in H.264, HEVC or VVC mark their own end: a complete picture decodes to the same
// samples whatever follows, a truncated one does not, since the decoder takes what follows for data. FFmpeg's
// decoders append zeros and report nothing. So the end of the stream is decoded again with ones appended: an
// arithmetic decoder with the same result for zeros and ones has the same result for anything.
class LastPicture {
 public:
  // `demuxer` outlives this. `stop` is asked while the end is decoded again.
  explicit LastPicture(const FfmpegDemuxer& demuxer, StopToken stop = {});

  // Takes the packets of the stream, in order, before they are decoded. Throws std::bad_alloc.
  void add(const AVPacket& packet);
  // Whether `frame`, which began `packets_before_last` packets before the last one, is truncated. Null: it
  // has film grain, which is not reproducible, so the end is decoded again without grain. False also if
  // undecidable: for other codecs, if the container declares the sizes of packets, if the end of the stream
  // is too large to be kept, or if `stop` is requested. Throws std::bad_alloc.
  bool is_cut(const AVFrame* frame, int64_t packets_before_last) const;

 private:
  void forget_before(size_t first);
  enum class End { kAsItIs, kContinued };
  AvPtr<AVFrame> decode_again(int64_t packets_before_last, End end) const;

  const FfmpegDemuxer& demuxer_;
  StopToken stop_;
  const bool applies_;
  // Packets from the last key frame but one: pictures displayed before a key frame may follow it, and
  // reference earlier ones.
  std::deque<AvPtr<AVPacket>> end_;
  size_t last_key_ = 0;     // index of the last key frame
  int64_t keys_ = 0;        // number of key frames since packets were last dropped for their size
  bool from_start_ = true;  // none were dropped
  int64_t end_bytes_ = 0;
};

// The place of pictures in display order as the streams themselves count it, for containers that have no
// times of display. Counts start anew now and then; between two starts they rise in display order.
class PictureCount {
 public:
  explicit PictureCount(const AVCodecParameters& stream);

  // Takes the packets of the stream in order. The count of the packet's picture; nothing if the codec has
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
  // in between; nothing if that cannot be told.
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
