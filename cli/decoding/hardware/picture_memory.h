// Memory for a decoder's pictures that a device can fetch them from.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/frame_memory.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vq::cli {

// Decoders write into pieces of a store, one for all planes of a picture, with rows as devices take them
// where the decoder allows it; where the store has none, into ordinary memory in which planes lie in the same
// way, since many decoders take the distance between rows for that of every picture. Where the decoder brings
// its own memory, or there is no store, all is as FFmpeg has it. Pictures may outlive this. Its members may
// be called from any thread.
class PictureMemory {
 public:
  explicit PictureMemory(std::shared_ptr<FrameStore> store);

  // As AVCodecContext::get_buffer2.
  int get_buffer(AVCodecContext& decoder, AVFrame& picture, int flags);
  // The piece that a decoded picture lies in; null where it lies elsewhere.
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
  std::mutex mutex_;  // for what follows
  std::unique_ptr<AVBufferPool, PoolDelete> ordinary_;
  int64_t ordinary_bytes_ = 0;  // of each of its buffers
};

}  // namespace vq::cli
