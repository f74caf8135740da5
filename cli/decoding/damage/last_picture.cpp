#include "cli/decoding/damage/last_picture.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "cli/decoding/ffmpeg_compat.h"
#include "cli/decoding/film_grain.h"

extern "C" {
#include <libavutil/imgutils.h>
}

namespace vq::cli {
namespace {

// Two groups of five seconds at 25 Mbit/s.
constexpr int64_t kMaxKeptBytes = int64_t{32} << 20;
// What follows the last packet. A difference shows within a few bits.
constexpr int kFillBytes = 64;
// Samples that no slice was there for stay as they were, and differ from those of the first decoding.
constexpr int kUndecoded = 0xA5;

bool applies_to(const FfmpegDemuxer& demuxer) {
  // Where packets are found by looking at the data, or are shortened without a word.
  constexpr std::array<std::string_view, 6> kContainers = {"h264", "hevc", "vvc", "mpegts", "mpeg", "nut"};
  constexpr std::array<AVCodecID, 3> kCodecs = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VVC};
  const std::string_view container = demuxer.container().iformat->name;
  return std::find(kContainers.begin(), kContainers.end(), container) != kContainers.end() &&
         std::find(kCodecs.begin(), kCodecs.end(), demuxer.stream().codecpar->codec_id) != kCodecs.end();
}

int get_marked_buffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  const int code = avcodec_default_get_buffer2(decoder, frame, flags);
  if (code >= 0) std::memset(frame->buf[0]->data, kUndecoded, frame->buf[0]->size);
  return code;
}

AvPtr<AVCodecContext> open_decoder(const FfmpegDemuxer& demuxer) {
  AvPtr<AVCodecContext> decoder(avcodec_alloc_context3(&demuxer.codec()));
  if (!decoder) throw std::bad_alloc();
  if (avcodec_parameters_to_context(decoder.get(), demuxer.stream().codecpar) < 0) return nullptr;
  decoder->max_pixels = kMaxDecodedSamples;
  decoder->flags |= AV_CODEC_FLAG_UNALIGNED;
  decoder->thread_count = 1;
  decoder->get_buffer2 = get_marked_buffer;
  carry_numbers(*decoder);
  ask_for_film_grain(*decoder, false);
  return avcodec_open2(decoder.get(), &demuxer.codec(), nullptr) < 0 ? nullptr : std::move(decoder);
}

AvPtr<AVPacket> with_fill(const AVPacket& packet) {
  AvPtr<AVPacket> longer(av_packet_clone(&packet));
  if (!longer || av_grow_packet(longer.get(), kFillBytes) < 0) throw std::bad_alloc();
  std::memset(longer->data + packet.size, 0xFF, kFillBytes);
  return longer;
}

bool same_luma(const AVFrame& a, const AVFrame& b) {
  if (a.width != b.width || a.height != b.height || a.format != b.format) return false;
  const int bytes = av_image_get_linesize(static_cast<AVPixelFormat>(a.format), a.width, 0);
  for (int y = 0; y < a.height; ++y) {
    const uint8_t* const row_a = a.data[0] + ptrdiff_t{a.linesize[0]} * y;
    const uint8_t* const row_b = b.data[0] + ptrdiff_t{b.linesize[0]} * y;
    if (std::memcmp(row_a, row_b, static_cast<size_t>(std::max(bytes, 0))) != 0) return false;
  }
  return true;
}

}  // namespace

LastPicture::LastPicture(const FfmpegDemuxer& demuxer, StopToken stop)
    : demuxer_(demuxer), stop_(std::move(stop)), applies_(applies_to(demuxer)) {}

void LastPicture::forget_before(size_t first) {
  for (; first > 0; --first) {
    end_bytes_ -= end_.front()->size;
    end_.pop_front();
  }
}

void LastPicture::add(const AVPacket& packet) {
  if (!applies_) return;
  if ((packet.flags & AV_PKT_FLAG_KEY) != 0) {
    forget_before(last_key_);
    last_key_ = end_.size();
    ++keys_;
  }
  if (end_bytes_ + packet.size > kMaxKeptBytes) {
    forget_before(end_.size());
    last_key_ = 0;
    keys_ = 0;
    from_start_ = false;
  }
  if (keys_ == 0 && !from_start_) return;  // of no use without a key frame before it
  AvPtr<AVPacket> copy(av_packet_clone(&packet));
  if (!copy) throw std::bad_alloc();
  end_bytes_ += packet.size;
  end_.push_back(std::move(copy));
}

// The frame that begins with that packet; nothing where the decoder gives none.
AvPtr<AVFrame> LastPicture::decode_again(int64_t packets_before_last, End end) const {
  const AvPtr<AVCodecContext> decoder = open_decoder(demuxer_);
  if (!decoder) return nullptr;
  const auto count = static_cast<int64_t>(end_.size());
  AvPtr<AVFrame> found;
  const auto receive = [&] {
    for (;;) {
      AvPtr<AVFrame> frame(av_frame_alloc());
      if (!frame) throw std::bad_alloc();
      if (avcodec_receive_frame(decoder.get(), frame.get()) < 0) return;
      if (number_of(*frame) == count - packets_before_last) found = std::move(frame);
    }
  };
  int64_t number = 0;
  for (const AvPtr<AVPacket>& packet : end_) {
    if (stop_.is_requested()) return nullptr;
    AvPtr<AVPacket> copy = ++number == count && end == End::kContinued
                               ? with_fill(*packet)
                               : AvPtr<AVPacket>(av_packet_clone(packet.get()));
    if (!copy) throw std::bad_alloc();
    set_number(*decoder, *copy, number);
    avcodec_send_packet(decoder.get(), copy.get());
    receive();
  }
  avcodec_send_packet(decoder.get(), nullptr);
  receive();
  return found;
}

bool LastPicture::is_cut(const AVFrame* frame, int64_t packets_before_last) const {
  const bool is_known = from_start_ || keys_ >= 2;
  if (!applies_ || !is_known || end_.empty()) return false;
  const AvPtr<AVFrame> without_grain =
      frame == nullptr ? decode_again(packets_before_last, End::kAsItIs) : nullptr;
  if (without_grain) frame = without_grain.get();
  const AvPtr<AVFrame> again = decode_again(packets_before_last, End::kContinued);
  if (stop_.is_requested()) return false;
  return again == nullptr || frame == nullptr || !same_luma(*frame, *again);
}

}  // namespace vq::cli
