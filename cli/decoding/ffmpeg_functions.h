// FFmpeg's functions under their own names, found when they are called: its libraries bring some 130 others,
// which take longer to load than a short y4m takes to score. Calls within vq::cli find these before FFmpeg's
// declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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
  inline constexpr FfmpegFunction<FfmpegLibrary::k##library, #name, decltype(::name)> name

VQ_FFMPEG_FUNCTION(Avformat, av_find_best_stream);
VQ_FFMPEG_FUNCTION(Avformat, av_guess_format);
VQ_FFMPEG_FUNCTION(Avformat, av_interleaved_write_frame);
VQ_FFMPEG_FUNCTION(Avformat, av_probe_input_buffer2);
VQ_FFMPEG_FUNCTION(Avformat, av_read_frame);
VQ_FFMPEG_FUNCTION(Avformat, av_seek_frame);
VQ_FFMPEG_FUNCTION(Avformat, av_write_trailer);
VQ_FFMPEG_FUNCTION(Avformat, avformat_alloc_context);
VQ_FFMPEG_FUNCTION(Avformat, avformat_close_input);
VQ_FFMPEG_FUNCTION(Avformat, avformat_find_stream_info);
VQ_FFMPEG_FUNCTION(Avformat, avformat_free_context);
VQ_FFMPEG_FUNCTION(Avformat, avformat_get_class);
VQ_FFMPEG_FUNCTION(Avformat, avformat_index_get_entries_count);
VQ_FFMPEG_FUNCTION(Avformat, avformat_index_get_entry);
VQ_FFMPEG_FUNCTION(Avformat, avformat_new_stream);
VQ_FFMPEG_FUNCTION(Avformat, avformat_open_input);
VQ_FFMPEG_FUNCTION(Avformat, avformat_write_header);
VQ_FFMPEG_FUNCTION(Avformat, avio_alloc_context);
VQ_FFMPEG_FUNCTION(Avformat, avio_context_free);
VQ_FFMPEG_FUNCTION(Avformat, avio_feof);
VQ_FFMPEG_FUNCTION(Avformat, avio_flush);

VQ_FFMPEG_FUNCTION(Avcodec, av_codec_is_decoder);
VQ_FFMPEG_FUNCTION(Avcodec, av_codec_iterate);
VQ_FFMPEG_FUNCTION(Avcodec, av_grow_packet);
VQ_FFMPEG_FUNCTION(Avcodec, av_new_packet);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_alloc);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_clone);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_free);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_get_side_data);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_move_ref);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_rescale_ts);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_side_data_name);
VQ_FFMPEG_FUNCTION(Avcodec, av_packet_unref);
VQ_FFMPEG_FUNCTION(Avcodec, av_parser_close);
VQ_FFMPEG_FUNCTION(Avcodec, av_parser_init);
VQ_FFMPEG_FUNCTION(Avcodec, av_parser_parse2);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_align_dimensions2);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_alloc_context3);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_default_get_buffer2);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_descriptor_get);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_find_decoder);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_find_encoder);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_find_encoder_by_name);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_flush_buffers);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_free_context);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_get_class);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_get_hw_config);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_get_name);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_open2);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_parameters_from_context);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_parameters_to_context);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_profile_name);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_receive_frame);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_receive_packet);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_send_frame);
VQ_FFMPEG_FUNCTION(Avcodec, avcodec_send_packet);

VQ_FFMPEG_FUNCTION(Avutil, av_buffer_allocz);
VQ_FFMPEG_FUNCTION(Avutil, av_buffer_create);
VQ_FFMPEG_FUNCTION(Avutil, av_buffer_pool_get);
VQ_FFMPEG_FUNCTION(Avutil, av_buffer_pool_init);
VQ_FFMPEG_FUNCTION(Avutil, av_buffer_pool_uninit);
VQ_FFMPEG_FUNCTION(Avutil, av_buffer_ref);
VQ_FFMPEG_FUNCTION(Avutil, av_buffer_unref);
VQ_FFMPEG_FUNCTION(Avutil, av_chroma_location_name);
VQ_FFMPEG_FUNCTION(Avutil, av_color_primaries_name);
VQ_FFMPEG_FUNCTION(Avutil, av_color_range_name);
VQ_FFMPEG_FUNCTION(Avutil, av_color_space_name);
VQ_FFMPEG_FUNCTION(Avutil, av_color_transfer_name);
VQ_FFMPEG_FUNCTION(Avutil, av_crc);
VQ_FFMPEG_FUNCTION(Avutil, av_crc_get_table);
VQ_FFMPEG_FUNCTION(Avutil, av_d2q);
VQ_FFMPEG_FUNCTION(Avutil, av_dict_free);
VQ_FFMPEG_FUNCTION(Avutil, av_dict_get);
VQ_FFMPEG_FUNCTION(Avutil, av_dict_set);
VQ_FFMPEG_FUNCTION(Avutil, av_dict_set_int);
VQ_FFMPEG_FUNCTION(Avutil, av_display_rotation_get);
VQ_FFMPEG_FUNCTION(Avutil, av_fourcc_make_string);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_alloc);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_clone);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_copy_props);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_free);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_get_buffer);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_get_side_data);
VQ_FFMPEG_FUNCTION(Avutil, av_frame_side_data_name);
VQ_FFMPEG_FUNCTION(Avutil, av_free);
VQ_FFMPEG_FUNCTION(Avutil, av_freep);
VQ_FFMPEG_FUNCTION(Avutil, av_get_pix_fmt);
VQ_FFMPEG_FUNCTION(Avutil, av_get_pix_fmt_name);
VQ_FFMPEG_FUNCTION(Avutil, av_get_time_base_q);
VQ_FFMPEG_FUNCTION(Avutil, av_hwdevice_ctx_alloc);
VQ_FFMPEG_FUNCTION(Avutil, av_hwdevice_ctx_create);
VQ_FFMPEG_FUNCTION(Avutil, av_hwdevice_ctx_init);
VQ_FFMPEG_FUNCTION(Avutil, av_hwdevice_find_type_by_name);
VQ_FFMPEG_FUNCTION(Avutil, av_hwdevice_get_type_name);
VQ_FFMPEG_FUNCTION(Avutil, av_hwdevice_iterate_types);
VQ_FFMPEG_FUNCTION(Avutil, av_hwframe_transfer_data);
VQ_FFMPEG_FUNCTION(Avutil, av_image_fill_arrays);
VQ_FFMPEG_FUNCTION(Avutil, av_image_fill_linesizes);
VQ_FFMPEG_FUNCTION(Avutil, av_image_fill_plane_sizes);
VQ_FFMPEG_FUNCTION(Avutil, av_image_get_buffer_size);
VQ_FFMPEG_FUNCTION(Avutil, av_image_get_linesize);
VQ_FFMPEG_FUNCTION(Avutil, av_log_set_callback);
VQ_FFMPEG_FUNCTION(Avutil, av_malloc);
VQ_FFMPEG_FUNCTION(Avutil, av_opt_set);
VQ_FFMPEG_FUNCTION(Avutil, av_opt_set_int);
VQ_FFMPEG_FUNCTION(Avutil, av_pix_fmt_desc_get);
VQ_FFMPEG_FUNCTION(Avutil, av_reduce);
VQ_FFMPEG_FUNCTION(Avutil, av_strerror);


#undef VQ_FFMPEG_FUNCTION
#pragma GCC diagnostic pop

#endif

// Differences between the supported versions of FFmpeg, 5.1 to 9.0. Nothing else depends on the version.

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

}  // namespace vq::cli
