// The golden cases of XPSNR: pairs of clips, or a clip and what becomes of it by a formula, with the filter's
// figures of every frame and of the run, and the integers that they are made from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cli/decoding/open_video.h"
#include "core/frame.h"
#include "feature/xpsnr/xpsnr.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/golden_cases.h"

namespace vq::xpsnr::test {

using namespace cli::test;

inline const json& xpsnr_cases() {
  static const json kCases = [] {
    std::ifstream stream(testdata("golden/xpsnr.json"));
    return json::parse(stream).at("cases");
  }();
  return kCases;
}

// As --feature takes it.
inline std::string text_of_feature(const json& golden) {
  return "xpsnr=fps=" + golden.at("options").at("fps").dump();
}

struct Video {
  VideoFormat format;
  std::vector<Frame> frames;
};

inline Video decoded(const std::string& clip) {
  cli::SourceOptions options;
  options.path = testdata("clips/" + clip);
  options.threads = 1;
  options.planes = kMaxPlanes;
  const std::unique_ptr<cli::VideoSource> source = cli::open_video(options);
  Video video{.format = source->info().named_format(), .frames = {}};
  for (std::optional<Frame> frame = source->read(); frame; frame = source->read())
    video.frames.push_back(std::move(*frame));
  return video;
}

inline Video stirred(const Video& video) {
  Video result{.format = video.format, .frames = {}};
  const int depth = video.format.bit_depth;
  for (const Frame& frame : video.frames) {
    const auto n = static_cast<int>(result.frames.size());
    result.frames.push_back(vq::test::drawn_frame(video.format, [&](int plane, int x, int y) {
      const SampleView& view = frame.planes[static_cast<size_t>(plane)];
      const int sample = view.is_u8() ? view.u8.row(y)[x] : view.u16.row(y)[x];
      const int stir = ((7 * x + 13 * y + 5 * n + 3 * plane) % 9 - 4) * (1 << (depth - 8));
      return std::clamp(sample + stir, 0, (1 << depth) - 1);
    }));
  }
  return result;
}

// A golden figure; null is infinite.
inline double figure(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

// The names of the planes' figures, and of the integers that they are made from.
inline constexpr const char* kFigures[] = {"xpsnr_y", "xpsnr_u", "xpsnr_v"};
inline constexpr const char* kIntegers[] = {"wsse_y", "wsse_u", "wsse_v"};

}  // namespace vq::xpsnr::test
