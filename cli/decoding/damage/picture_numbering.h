// Numbers the packets and pictures of a stream, and derives from their times how far it was read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "cli/decoding/damage/declared_length.h"
#include "cli/decoding/damage/display_order.h"
#include "cli/decoding/damage/last_picture.h"
#include "cli/decoding/damage/picture_count.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/parallel/stream_start.h"
#include "cli/decoding/picture_stream.h"

namespace vq::cli {

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
