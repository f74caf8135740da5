// Notices allocations that fail within FFmpeg.
#pragma once

#include <cstdint>

namespace vq::cli {

// Some of FFmpeg's decoders go on where an allocation fails, say nothing, and hand out a picture that is not
// the video's. Their error codes do not tell, so calls are counted that failed: see allocation_watch.cpp. A
// decoder has a watch of its own from its beginning to its end, so that what failed before it, or in a
// library that is no part of FFmpeg, does not count.
class AllocationWatch {
 public:
  AllocationWatch() : before_(failures()) {}
  // Whether one of FFmpeg's allocations has failed since: then no picture of the decoder can be trusted.
  // Always false under the sanitizers, which have allocators of their own.
  bool has_failed() const { return failures() != before_; }

 private:
  static uint64_t failures();

  uint64_t before_;
};

}  // namespace vq::cli
