// Owning pointers to FFmpeg's objects.
#pragma once

#include <memory>

#include "cli/decoding/ffmpeg_functions.h"

namespace vq::cli {

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
