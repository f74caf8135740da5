// FFmpeg's functions under their own names, found when they are called: its libraries bring some 130 others,
// which take longer to load than a short y4m takes to score. Calls within vq::cli find these before FFmpeg's
// declarations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/buffer.h>
#include <libavutil/crc.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/frame.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include "feature/simd_targets.h"  // VQ_FOR_EACH

namespace vq::cli {

enum class FfmpegLibrary { kAvformat, kAvcodec, kAvutil };

// The address of a function. Opens its library if need be, for good. May be called from any thread. Throws
// Error{kResource} with the system's reason.
void* ffmpeg_function(FfmpegLibrary library, const char* name);

template <size_t kLength>
struct FfmpegName {
  consteval FfmpegName(const char (&name)[kLength]) {
    for (size_t i = 0; i < kLength; ++i) text[i] = name[i];
  }
  char text[kLength] = {};
};

template <FfmpegLibrary kLibrary, FfmpegName kName, typename Function>
struct FfmpegFunction;

// Called as the function is. Throws as ffmpeg_function().
template <FfmpegLibrary kLibrary, FfmpegName kName, typename Result, typename... Arguments>
struct FfmpegFunction<kLibrary, kName, Result(Arguments...)> {
  Result operator()(Arguments... arguments) const {
    static const auto function =
        reinterpret_cast<Result (*)(Arguments...)>(ffmpeg_function(kLibrary, kName.text));
    return function(arguments...);
  }
};

#ifndef CAMBI_LINKS_FFMPEG

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // such as that for results that must be used
#define VQ_FFMPEG_FUNCTION(library, name) \
  inline constexpr FfmpegFunction<FfmpegLibrary::library, #name, decltype(::name)> name;
#define VQ_AVFORMAT(name) VQ_FFMPEG_FUNCTION(kAvformat, name)
#define VQ_AVCODEC(name) VQ_FFMPEG_FUNCTION(kAvcodec, name)
#define VQ_AVUTIL(name) VQ_FFMPEG_FUNCTION(kAvutil, name)

VQ_FOR_EACH(VQ_AVFORMAT, av_find_best_stream, av_guess_format, av_interleaved_write_frame,
            av_probe_input_buffer2, av_read_frame, av_seek_frame, av_write_trailer, avformat_alloc_context,
            avformat_close_input, avformat_find_stream_info, avformat_free_context)
VQ_FOR_EACH(VQ_AVFORMAT, avformat_get_class, avformat_index_get_entries_count, avformat_index_get_entry,
            avformat_new_stream, avformat_open_input, avformat_write_header, avio_alloc_context,
            avio_context_free, avio_feof, avio_flush)
VQ_FOR_EACH(VQ_AVCODEC, av_codec_is_decoder, av_codec_iterate, av_grow_packet, av_new_packet, av_packet_alloc,
            av_packet_clone, av_packet_free, av_packet_get_side_data, av_packet_move_ref,
            av_packet_rescale_ts, av_packet_side_data_name, av_packet_unref)
VQ_FOR_EACH(VQ_AVCODEC, av_parser_close, av_parser_init, av_parser_parse2, avcodec_align_dimensions2,
            avcodec_alloc_context3, avcodec_default_get_buffer2, avcodec_descriptor_get, avcodec_find_decoder,
            avcodec_find_encoder, avcodec_find_encoder_by_name, avcodec_flush_buffers, avcodec_free_context)
VQ_FOR_EACH(VQ_AVCODEC, avcodec_get_class, avcodec_get_hw_config, avcodec_get_name, avcodec_open2,
            avcodec_parameters_from_context, avcodec_parameters_to_context, avcodec_profile_name,
            avcodec_receive_frame, avcodec_receive_packet, avcodec_send_frame, avcodec_send_packet)
VQ_FOR_EACH(VQ_AVUTIL, av_buffer_allocz, av_buffer_create, av_buffer_pool_get, av_buffer_pool_init,
            av_buffer_pool_uninit, av_buffer_ref, av_buffer_unref, av_chroma_location_name,
            av_color_primaries_name, av_color_range_name, av_color_space_name, av_color_transfer_name, av_crc)
VQ_FOR_EACH(VQ_AVUTIL, av_crc_get_table, av_d2q, av_dict_free, av_dict_get, av_dict_set, av_dict_set_int,
            av_display_rotation_get, av_fourcc_make_string, av_frame_alloc, av_frame_clone,
            av_frame_copy_props, av_frame_free, av_frame_get_buffer)
VQ_FOR_EACH(VQ_AVUTIL, av_frame_get_side_data, av_frame_side_data_name, av_free, av_freep,
            av_get_pix_fmt_name, av_get_time_base_q, av_hwdevice_ctx_alloc, av_hwdevice_ctx_create,
            av_hwdevice_ctx_init, av_hwdevice_find_type_by_name, av_hwdevice_get_type_name,
            av_hwdevice_iterate_types)
VQ_FOR_EACH(VQ_AVUTIL, av_hwframe_transfer_data, av_image_fill_arrays, av_image_fill_linesizes,
            av_image_fill_plane_sizes, av_image_get_buffer_size, av_image_get_linesize, av_log_set_callback,
            av_malloc, av_opt_set, av_opt_set_int, av_pix_fmt_desc_get, av_reduce, av_strerror)
#undef VQ_AVFORMAT
#undef VQ_AVCODEC
#undef VQ_AVUTIL
#undef VQ_FFMPEG_FUNCTION
#pragma GCC diagnostic pop

#endif

// Differences between the supported versions of FFmpeg, 5.1 to 9.0. Nothing else depends on the version.

// Passes the number of a packet through the decoder to its frame: call carry_numbers() before the decoder is
// opened and set_number() before each packet is sent, but not for the null packet that drains the decoder.
#ifdef AV_CODEC_FLAG_COPY_OPAQUE  // from 6.0; 7.0 has no other way
inline void carry_numbers(AVCodecContext& decoder) { decoder.flags |= AV_CODEC_FLAG_COPY_OPAQUE; }
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
inline int64_t number_of(const AVFrame& frame) { return frame.reordered_opaque; }
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
inline bool is_interlaced(const AVFrame& frame) { return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0; }
#else
inline bool is_interlaced(const AVFrame& frame) { return frame.interlaced_frame != 0; }
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
inline bool has_added_grain(const AVCodecContext&) { return false; }
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

// One of FFmpeg's values in other terms; `other` if the list does not have it.
template <typename From, typename To, size_t count>
To meaning(From value, const std::pair<From, To> (&list)[count], To other) {
  const auto found = std::ranges::find(list, value, &std::pair<From, To>::first);
  return found == std::end(list) ? other : found->second;
}

// Owning pointers to FFmpeg's objects.

struct AvDeleter {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVCodecParserContext* parser) const { av_parser_close(parser); }
  void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
  void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
  void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  void operator()(AVIOContext* context) const {
    av_freep(&context->buffer);
    avio_context_free(&context);
  }
};

template <typename T>
using AvPtr = std::unique_ptr<T, AvDeleter>;

// The next three throw std::bad_alloc.
template <typename T>
AvPtr<T> owned(T* made) {
  return made != nullptr ? AvPtr<T>(made) : throw std::bad_alloc();
}
inline AvPtr<AVPacket> new_packet() { return owned(av_packet_alloc()); }
inline AvPtr<AVPacket> copy_of(const AVPacket& packet) { return owned(av_packet_clone(&packet)); }
inline AvPtr<AVFrame> new_frame() { return owned(av_frame_alloc()); }

}  // namespace vq::cli
