#include "cli/decoding/ffmpeg_decoder.h"

#include <new>

#include "cli/decoding/ffmpeg_compat.h"
#include "cli/decoding/film_grain.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {

AvPtr<AVCodecContext> open_decoder(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads, FfmpegLog& log) {
  AvPtr<AVCodecContext> decoder(avcodec_alloc_context3(&demuxer.codec()));
  if (!decoder) throw std::bad_alloc();
  int code = avcodec_parameters_to_context(decoder.get(), demuxer.stream().codecpar);
  decoder->opaque = &log;
  decoder->pkt_timebase = demuxer.stream().time_base;
  decoder->max_pixels = kMaxDecodedSamples;
  decoder->err_recognition = AV_EF_CRCCHECK;
  decoder->flags |= AV_CODEC_FLAG_UNALIGNED;  // crop on the left to the sample
  carry_numbers(*decoder);
  ask_for_film_grain(*decoder, options.film_grain);
  decoder->thread_count = threads;
  decoder->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
  if (code >= 0) code = avcodec_open2(decoder.get(), &demuxer.codec(), nullptr);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code == AVERROR(EAGAIN)) {
    throw Error(ErrorKind::kResource, shown_path(options.path) + ": the decoder cannot start " +
                                          std::to_string(threads) + " threads. Try: --threads 1");
  }
  if (code < 0) {
    throw Error(ErrorKind::kInput, shown_path(options.path) + " cannot be decoded: " + demuxer.codec().name + ": " +
                                       ffmpeg_reason(code));
  }
  return decoder;
}

}  // namespace vq::cli
