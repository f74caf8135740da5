#include "tests/bench/bench_histogram.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "feature/histogram/histogram.h"
#include "feature/histogram/plan.h"
#include "tests/support/implementations.h"

namespace vq::histogram::bench {
namespace {

using benchmark::Counter;
using benchmark::State;

// Of flat pictures every sample is counted at one place, of noise every sample at another.
enum class Content { kNoise, kFlat, kDark };

struct Stages {
  CountPlane count_plane;
  CountRgb count_rgb;
};
using Implementation = test::Implementation<Stages>;

std::vector<Implementation> implementations() {
  return test::all_implementations(Stages{scalar::count_plane, scalar::count_rgb}, [](int64_t target) {
    return Stages{simd::count_plane_for(target), simd::count_rgb_for(target)};
  });
}

struct Picture {
  VideoFormat format;
  std::vector<uint8_t> bytes[kMaxPlanes];
  std::vector<uint16_t> words[kMaxPlanes];
  YcbcrPlanes planes;
};

std::shared_ptr<const Picture> make_picture(Content content, int depth) {
  auto picture = std::make_shared<Picture>();
  picture->format.width = 1920;
  picture->format.height = 1080;
  picture->format.bit_depth = depth;
  std::minstd_rand random(1);
  for (int i = 0; i < kMaxPlanes; ++i) {
    const PlaneSize size = plane_size({1920, 1080}, Chroma::k420, i);
    const auto plane = static_cast<size_t>(i);
    for (int k = 0; k < size.width * size.height; ++k) {
      const unsigned noise = random() >> 8;
      const unsigned value = content == Content::kNoise  ? noise % (1U << depth)
                             : content == Content::kDark ? 16 + noise % 3
                                                         : 100;
      if (depth == 8) picture->bytes[plane].push_back(static_cast<uint8_t>(value));
      if (depth > 8) picture->words[plane].push_back(static_cast<uint16_t>(value));
    }
    if (depth == 8)
      picture->planes[plane].u8 = {picture->bytes[plane].data(), size.width, size.height, size.width};
    if (depth > 8)
      picture->planes[plane].u16 = {picture->words[plane].data(), size.width, size.height, size.width};
  }
  return picture;
}

template <typename Count>
void run(State& state, const Picture& picture, Planes planes, const Count& count) {
  const HistogramPlan plan = make_plan({.planes = planes}, picture.format);
  FrameCounts counts(plan);
  for (auto _ : state) {
    count(plan, counts);
    benchmark::ClobberMemory();
  }
  const double samples = double{1920} * 1080;
  state.counters["ns/px"] = Counter(samples * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void add_picture(const std::string& name, const std::shared_ptr<const Picture>& picture) {
  const auto add = [](const std::string& full, auto body) {
    benchmark::RegisterBenchmark(full.c_str(), body)->Unit(benchmark::kMillisecond);
  };
  for (const Implementation& implementation : implementations()) {
    add(name + "/count_plane/" + implementation.name, [=](State& state) {
      run(state, *picture, Planes::kY, [&](const HistogramPlan& plan, FrameCounts& counts) {
        implementation.stages.count_plane(picture->planes[0], plan.bins, counts.channels[0]);
      });
    });
    add(name + "/count_rgb/" + implementation.name, [=](State& state) {
      run(state, *picture, Planes::kRgb, [&](const HistogramPlan& plan, FrameCounts& counts) {
        implementation.stages.count_rgb(picture->planes, plan.rgb, counts.channels);
      });
    });
  }
}

}  // namespace

void add_benchmarks() {
  for (const int depth : {8, 10, 12, 16}) {
    for (const auto& [word, content] :
         {std::pair{"noise", Content::kNoise}, std::pair{"dark", Content::kDark},
          std::pair{"flat", Content::kFlat}}) {
      add_picture("histogram_" + std::string(word) + "_" + std::to_string(depth) + "b",
                  make_picture(content, depth));
    }
  }
}

}  // namespace vq::histogram::bench
