// Detects whether the last picture of a stream is truncated, if neither the container nor the decoder does.
#pragma once

#include <cstdint>
#include <deque>

#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "core/stop_token.h"

namespace vq::cli {

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

}  // namespace vq::cli
