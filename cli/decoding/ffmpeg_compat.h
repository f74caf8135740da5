// Differences between the supported versions of FFmpeg, 5.1 to 9.0. Nothing else depends on the version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace vq::cli {

// Passes the number of a packet through the decoder to its frame: call carry_numbers() before the decoder is
// opened and set_number() before each packet is sent, but not for the null packet that drains the decoder.
#ifdef AV_CODEC_FLAG_COPY_OPAQUE  // from 6.0; 7.0 has no other way
inline void carry_numbers(AVCodecContext& decoder) {
  decoder.flags |= AV_CODEC_FLAG_COPY_OPAQUE;
}
inline void set_number(AVCodecContext&, AVPacket& packet, int64_t number) {
  packet.opaque = reinterpret_cast<void*>(static_cast<intptr_t>(number));
}
inline int64_t number_of(const AVFrame& frame) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(frame.opaque));
}
#else
inline void carry_numbers(AVCodecContext&) {}
inline void set_number(AVCodecContext& decoder, AVPacket&, int64_t number) {
  decoder.reordered_opaque = number;
}
inline int64_t number_of(const AVFrame& frame) {
  return frame.reordered_opaque;
}
#endif

// Allows the threads of a decoder to call back themselves; from 6.0 they always do.
inline void call_from_any_thread([[maybe_unused]] AVCodecContext& decoder) {
#if FF_API_THREAD_SAFE_CALLBACKS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  decoder.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}

#ifdef AV_FRAME_FLAG_INTERLACED  // from 6.1, which deprecates the member
inline bool is_interlaced(const AVFrame& frame) {
  return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
}
#else
inline bool is_interlaced(const AVFrame& frame) {
  return frame.interlaced_frame != 0;
}
#endif

// Whether the decoder says that it added film grain to a picture.
#ifdef FF_CODEC_PROPERTY_FILM_GRAIN  // deprecated in 8.0, removed in 9.0
inline constexpr bool kTellsOfAddedGrain = true;
inline bool has_added_grain(const AVCodecContext& decoder) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return (decoder.properties & FF_CODEC_PROPERTY_FILM_GRAIN) != 0;
#pragma GCC diagnostic pop
}
#else
inline constexpr bool kTellsOfAddedGrain = false;
inline bool has_added_grain(const AVCodecContext&) {
  return false;
}
#endif

// Side data of the stream that the container declares.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)  // 6.1, which deprecates the members of the stream
inline std::span<const AVPacketSideData> stream_side_data(const AVStream& stream) {
  return {stream.codecpar->coded_side_data, static_cast<size_t>(stream.codecpar->nb_coded_side_data)};
}
#else
inline std::span<const AVPacketSideData> stream_side_data(const AVStream& stream) {
  return {stream.side_data, static_cast<size_t>(stream.nb_side_data)};
}
#endif

}  // namespace vq::cli
