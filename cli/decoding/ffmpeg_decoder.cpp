#include "cli/decoding/ffmpeg_decoder.h"

#include <new>

#include "cli/decoding/allocation_watch.h"
#include "cli/decoding/ffmpeg_compat.h"
#include "cli/decoding/film_grain.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

AvPtr<AVCodecContext> prepare(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads,
                              DecoderOwner& owner) {
  AvPtr<AVCodecContext> context(avcodec_alloc_context3(&demuxer.codec()));
  if (!context) throw std::bad_alloc();
  const int code = avcodec_parameters_to_context(context.get(), demuxer.stream().codecpar);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  set_owner(*context, owner);
  context->pkt_timebase = demuxer.stream().time_base;
  context->max_pixels = kMaxDecodedSamples;
  context->err_recognition = AV_EF_CRCCHECK;
  context->flags |= AV_CODEC_FLAG_UNALIGNED;  // crop on the left to the sample
  carry_numbers(*context);
  ask_for_film_grain(*context, options.film_grain);
  context->thread_count = threads;
  context->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
  return context;
}

}  // namespace

FfmpegDecoder::FfmpegDecoder(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads)
    : owner_(std::make_unique<DecoderOwner>()), context_(prepare(demuxer, options, threads, *owner_)) {
  const int code = avcodec_open2(context_.get(), &demuxer.codec(), nullptr);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code == AVERROR(EAGAIN)) {
    throw Error(ErrorKind::kResource, shown_path(options.path) + ": the decoder cannot start " +
                                          std::to_string(threads) + " threads. Try: --threads 1");
  }
  if (code < 0) {
    throw Error(ErrorKind::kInput, shown_path(options.path) + " cannot be decoded: " + demuxer.codec().name + ": " +
                                       ffmpeg_reason(code));
  }
}

// A decoder that lacked memory may abort the program while it is closed. The run is about to end anyway.
FfmpegDecoder::~FfmpegDecoder() {
  if (!allocation_has_failed()) return;
  (void)context_.release();
  (void)owner_.release();
}

int FfmpegDecoder::send(AVPacket* packet, int64_t number) {
  if (packet != nullptr) set_number(*context_, *packet, number);
  return avcodec_send_packet(context_.get(), packet);
}

int FfmpegDecoder::receive(DecodedPicture& picture) {
  picture = {AvPtr<AVFrame>(av_frame_alloc())};
  if (!picture.frame) throw std::bad_alloc();
  return avcodec_receive_frame(context_.get(), picture.frame.get());
}

}  // namespace vq::cli
