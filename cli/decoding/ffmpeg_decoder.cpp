#include "cli/decoding/ffmpeg_decoder.h"

#include "cli/decoding/stream_facts.h"
#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"

namespace vq::cli {

static AvPtr<AVCodecContext> prepare(const AVCodec& codec, const FfmpegDemuxer& demuxer,
                                     const SourceOptions& options) {
  AvPtr<AVCodecContext> context = owned(avcodec_alloc_context3(&codec));
  const int code = avcodec_parameters_to_context(context.get(), demuxer.stream().codecpar);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  context->pkt_timebase = demuxer.stream().time_base;
  context->max_pixels = kMaxDecodedSamples;
  context->err_recognition = AV_EF_CRCCHECK;
  context->flags |= AV_CODEC_FLAG_UNALIGNED;  // crop on the left to the sample
  carry_numbers(*context);
  ask_for_film_grain(*context, options.film_grain);
  return context;
}

static int get_buffer(AVCodecContext* decoder, AVFrame* picture, int flags) {
  return owner_of(*decoder).memory->get_buffer(*decoder, *picture, flags);
}

// Without a word if it was left to the program, and the run is on no GPU.
bool may_be_hardware(const HardwareRequest& request) {
  return request.decoder == DecoderRequest::kHardware ||
         (request.decoder == DecoderRequest::kAuto && request.api && !request.devices.empty());
}

FfmpegDecoder::FfmpegDecoder(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads, int nth)
    : memory_(std::make_unique<PictureMemory>(options.store)), owner_(std::make_unique<DecoderOwner>()) {
  owner_->memory = memory_.get();
  open_hardware(demuxer, options, nth);
  const int code = open(demuxer, options, threads);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code == AVERROR(EAGAIN)) {
    throw Error(ErrorKind::kResource, "{}: the decoder cannot start {} threads. Try: --threads 1",
                shown_path(options.path), threads);
  }
  if (code < 0) {
    throw Error(ErrorKind::kInput, "{} cannot be decoded: {}: {}", shown_path(options.path),
                demuxer.codec().name, ffmpeg_reason(code));
  }
  name_ = context_->codec->name + (hardware_ ? words(" ({})", hardware_->session().hwaccel()) : "");
  owner_->begin();
}

void FfmpegDecoder::open_hardware(const FfmpegDemuxer& demuxer, const SourceOptions& options, int nth) {
  const HardwareRequest& request = options.hardware;
  if (!may_be_hardware(request)) return;
  // Nothing is lost that could have been hoped for.
  if (request.decoder == DecoderRequest::kAuto && !is_exact(demuxer.codec().id)) return;
  try {
    if (!request.api) throw HardwareRefusal("none is within reach");
    hardware_ = std::make_unique<HardwarePictures>(request.api->open(request, demuxer.codec().id, nth),
                                                   options.planes);
    const int code = open(demuxer, options, 1);
    if (code < 0) throw HardwareRefusal(ffmpeg_reason(code));
  } catch (const HardwareRefusal& refusal) {
    if (request.decoder == DecoderRequest::kHardware) {
      throw Error(ErrorKind::kBackend, "{} cannot be decoded by hardware: {}. Try: --decoder auto",
                  shown_path(options.path), printable(refusal.what(), kMostReason));
    }
    refusal_ = printable(refusal.what(), kMostReason);
    context_.reset();
    hardware_.reset();
  }
}

// 0 or FFmpeg's error code. Does nothing if it is open already.
int FfmpegDecoder::open(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads) {
  if (context_) return 0;
  const AVCodec& codec = hardware_ ? hardware_->session().codec() : demuxer.codec();
  context_ = prepare(codec, demuxer, options);
  context_->thread_count = threads;
  context_->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
  set_owner(*context_, *owner_);
  owner_->hardware = hardware_.get();
  if (hardware_) {
    hardware_->attach(*context_);
  } else {
    context_->get_buffer2 = get_buffer;
    call_from_any_thread(*context_);
  }
  return avcodec_open2(context_.get(), &codec, nullptr);
}

// A decoder that lacked memory may abort the program while it is closed. The run is about to end anyway.
FfmpegDecoder::~FfmpegDecoder() {
  if (!lacks_memory_) {
    close();
    return;
  }
  (void)context_.release();
  (void)hardware_.release();
  (void)owner_.release();
  (void)memory_.release();
}

void FfmpegDecoder::close() {
  const TraceSpan span("close a decoder");
  if (hardware_) hardware_->drop();
  context_.reset();
}

int FfmpegDecoder::note(int code) {
  const bool has_failed = code < 0 && code != AVERROR(EAGAIN) && code != AVERROR_EOF;
  if (hardware_ && has_failed) hardware_->note_error(code, owner_->first());
  if (code != AVERROR(ENOMEM)) return code;
  if (hardware_) return AVERROR_EXTERNAL;  // the device's memory; if it is the host's, software finds out
  lacks_memory_ = true;
  return code;
}

int FfmpegDecoder::send(AVPacket* packet, int64_t number) {
  if (packet != nullptr) set_number(*context_, *packet, number);
  const TraceSpan span("send a packet", number - 1);
  return note(avcodec_send_packet(context_.get(), packet));
}

int FfmpegDecoder::receive(Picture& picture) {
  while (!hardware_ || !hardware_->has_enough()) {
    picture = {.frame = new_frame()};
    const int code = [&] {
      const TraceSpan span("receive a picture");
      return note(avcodec_receive_frame(context_.get(), picture.frame.get()));
    }();
    if (code == AVERROR_EOF && hardware_ && hardware_->has_any()) break;
    if (code >= 0 && !hardware_) {
      picture.place = memory_->place_of(*picture.frame);
      picture.packet = number_of(*picture.frame);
    }
    if (code < 0 || !hardware_) return code;
    if (const int begun = hardware_->begin(std::move(picture.frame)); begun < 0) return begun;
  }
  const int code = hardware_->finish(picture);
  if (code >= 0) picture.packet = number_of(*picture.frame);
  return code;
}

void FfmpegDecoder::flush() {
  if (hardware_) hardware_->drop();
  avcodec_flush_buffers(context_.get());
}

}  // namespace vq::cli
