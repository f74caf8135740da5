// Tells whether the last picture of a stream is whole, where neither the container nor the decoder does.
#pragma once

#include <cstdint>
#include <deque>

#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "core/stop_token.h"

namespace vq::cli {

// A picture of H.264, HEVC or VVC says itself where its data end: a whole one is decoded to the same samples
// whatever follows them, and one that was cut is not, since the decoder then takes what follows for data.
// FFmpeg's decoders go on with zeros there and say nothing. So the end of the stream is decoded once more,
// with the last packet continued by ones: an arithmetic decoder that comes to the same with zeros and with
// ones comes to the same with anything.
class LastPicture {
 public:
  // `demuxer` outlives this. `stop` is asked while the end is decoded once more.
  explicit LastPicture(const FfmpegDemuxer& demuxer, StopToken stop = {});

  // Takes the packets of the stream, in order, before they are decoded. Throws std::bad_alloc.
  void add(const AVPacket& packet);
  // Whether `frame`, which began `packets_before_last` packets before the last one, was cut. Null: it has
  // film grain, which may not come out the same again, so the end is decoded once more without. False also
  // where that cannot be known: where the codec is another, the container gives the size of its packets, the
  // end of the stream is too large to be kept, or `stop` is requested. Throws std::bad_alloc.
  bool is_cut(const AVFrame* frame, int64_t packets_before_last) const;

 private:
  void forget_before(size_t first);
  enum class End { kAsItIs, kContinued };
  AvPtr<AVFrame> decode_again(int64_t packets_before_last, End end) const;

  const FfmpegDemuxer& demuxer_;
  StopToken stop_;
  const bool applies_;
  // Packets from the last key frame but one: pictures shown before a key frame may come after it, and need
  // what was before.
  std::deque<AvPtr<AVPacket>> end_;
  size_t last_key_ = 0;     // place of the last key frame
  int64_t keys_ = 0;        // key frames since packets were last forgotten for their size
  bool from_start_ = true;  // none were
  int64_t end_bytes_ = 0;
};

}  // namespace vq::cli
