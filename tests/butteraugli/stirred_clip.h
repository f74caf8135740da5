// A clip's first frame with a little added to each sample, as golden cases have it.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "cli/decoding/open_video.h"
#include "tests/support/test_video.h"

namespace vq::butteraugli::test {

inline uint16_t sample_of(const SampleView& plane, int x, int y) {
  return plane.is_u8() ? plane.u8.row(y)[x] : plane.u16.row(y)[x];
}

// Writes frame 0 as y4m, with ((7x + 13y + 3p) mod 9 - 4) 2^(d-8) added to plane p, clamped to d bits.
inline void write_stirred(const std::string& clip, const std::string& to) {
  cli::SourceOptions options;
  options.path = clip;
  options.planes = kMaxPlanes;
  const std::unique_ptr<cli::VideoSource> source = cli::open_video(options);
  const VideoFormat& format = source->info().format;
  const Frame frame = source->read().value();
  std::string chroma(to_string(format.chroma));
  std::erase(chroma, ':');
  std::ofstream file(to, std::ios::binary);
  file << cli::test::y4m_header({.width = format.width,
                                 .height = format.height,
                                 .frames = 1,
                                 .bit_depth = format.bit_depth,
                                 .chroma = chroma})
       << "FRAME\n";
  const int top = (1 << format.bit_depth) - 1;
  for (int p = 0; p < plane_count(format.chroma); ++p) {
    const SampleView& plane = frame.planes[static_cast<size_t>(p)];
    for (int y = 0; y < plane.height(); ++y) {
      for (int x = 0; x < plane.width(); ++x) {
        const int more = ((7 * x + 13 * y + 3 * p) % 9 - 4) * (1 << (format.bit_depth - 8));
        const int value = std::clamp(sample_of(plane, x, y) + more, 0, top);
        file.put(static_cast<char>(value & 0xFF));
        if (format.bit_depth > 8) file.put(static_cast<char>(value >> 8));
      }
    }
  }
}

}  // namespace vq::butteraugli::test
