// The pictures of a stream that several decoders share.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/damage/picture_numbering.h"
#include "cli/decoding/parallel/decoder_plan.h"
#include "cli/decoding/parallel/segment_decoders.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/decoding/picture_stream.h"

namespace vq::cli {

// Reads the stream once, from its start, without seeking and without an index: each segment's packets go to
// one decoder. For an intact stream the result is bit-identical to that of FfmpegPictures. Damage is not
// judged: anything unusual makes the stream suspect, and it delivers nothing more.
class SegmentPictures final : public PictureStream {
 public:
  // `demuxer` and `options` outlive this. Needs: plan_decoders() found that the stream can be split.
  SegmentPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan);

  std::optional<Picture> next() override;
  bool is_suspect() const override { return is_suspect_; }
  std::string decoder_name() const override {
    return decoders_.first() != nullptr ? decoders_.first()->name() : demuxer_.codec().name;
  }
  // Null for software decoders, or if none has started.
  const HardwarePictures* hardware() const {
    return decoders_.first() != nullptr ? decoders_.first()->hardware() : nullptr;
  }
  const DecodeProgress& progress() const override { return numbering_.progress(); }
  const std::string& last_reason() const override { return reason_; }
  FilmGrain film_grain() const override { return film_grain_; }
  const StreamStart& start() const override { return numbering_.start(); }
  // See SegmentDecoders.
  void limit_pictures(int64_t pictures) { decoders_.limit_pictures(pictures); }

  // Limit for waiting packets, per decoder.
  static constexpr int64_t kPacketBytes = int64_t{16} << 20;

 private:
  bool may_read();
  bool is_read_beyond(const SegmentPicture& picture) const;
  void read_packet();
  void split(AvPtr<AVPacket> packet);
  void pass_on();
  void end_reading(int code);
  void advance_to(int64_t packet);
  void clock_next();
  void add_waiting();
  std::optional<Picture> deliver(SegmentPicture picture);
  void number(Picture& picture);
  bool is_as_before(const AVFrame& frame);
  bool finish();

  FfmpegDemuxer& demuxer_;
  const DecoderPlan plan_;
  PictureNumbering numbering_;
  StreamSplitter splitter_;
  SegmentDecoders decoders_;
  std::deque<AvPtr<AVPacket>> unclocked_;  // of all streams
  AvPtr<AVPacket> waiting_;  // clocked and not added: the last packet must be known to be the last
  int64_t bytes_ = 0;        // of both
  int64_t packets_ = 0;      // number of packets of the stream that were read
  bool is_all_read_ = false, is_clocked_ = false, is_finished_ = false;
  std::optional<SegmentPicture> taken_;
  std::vector<Picture> last_;  // after the last packet
  std::deque<Picture> ready_;  // of these, once it is known that none was truncated
  AvPtr<AVFrame> first_;       // without its samples
  std::optional<int64_t> last_time_;
  FilmGrain film_grain_ = FilmGrain::kUnknown;
  std::string reason_;
  bool is_suspect_ = false;
};

}  // namespace vq::cli
