// Detection of failed allocations within FFmpeg.
#pragma once

#include <cstdint>

namespace vq::cli {

// Some of FFmpeg's decoders continue after a failed allocation without an error, and return a wrong picture.
// As error codes do not reveal it, failed calls are counted: see allocation_watch.cpp. Each decoder has a
// watch for its lifetime, so that earlier failures, and those of libraries outside FFmpeg, do not count.
class AllocationWatch {
 public:
  AllocationWatch() : before_(failures()) {}
  // Whether one of FFmpeg's allocations has failed since construction: no picture of the decoder can then be
  // trusted. Always false under the sanitizers, which have allocators of their own.
  bool has_failed() const { return failures() != before_; }

 private:
  static uint64_t failures();

  uint64_t before_;
};

}  // namespace vq::cli
