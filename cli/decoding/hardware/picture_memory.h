// Memory for a decoder's pictures from which a device can copy.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cli/decoding/ffmpeg_functions.h"
#include "core/frame_memory.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vq::cli {

// Decoders write into blocks of a store, one for all planes of a picture, with row strides for devices if the
// decoder allows it. If the store is exhausted, ordinary memory with the same layout is used, since many
// decoders assume one stride for all pictures. If the decoder has memory of its own, or there is no store,
// FFmpeg's allocation is unchanged. Pictures may outlive this. May be used from any thread.
class PictureMemory {
 public:
  explicit PictureMemory(std::shared_ptr<FrameStore> store);

  // As AVCodecContext::get_buffer2.
  int get_buffer(AVCodecContext& decoder, AVFrame& picture, int flags);
  // The block of a decoded picture; null if it is elsewhere.
  std::shared_ptr<const HostVisibleMemory> place_of(const AVFrame& picture) const;

 private:
  struct PoolDelete {
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  class Pieces;
  bool fill(AVCodecContext& decoder, AVFrame& picture);
  AVBufferRef* placed_buffer(int64_t bytes) const;
  AVBufferRef* ordinary_buffer(int64_t bytes);

  const std::shared_ptr<FrameStore> store_;
  const std::shared_ptr<Pieces> pieces_;
  std::mutex mutex_;  // for the members below
  std::unique_ptr<AVBufferPool, PoolDelete> ordinary_;
  int64_t ordinary_bytes_ = 0;  // of each of its buffers
};

}  // namespace vq::cli
