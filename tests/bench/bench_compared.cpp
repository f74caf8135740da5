#include "tests/bench/bench_compared.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "feature/registry.h"
#include "feature/simd_targets.h"

namespace vq::bench {
namespace {

using benchmark::Counter;
using benchmark::State;

// Waves and noise: detail of every size. The distorted picture has less of the noise.
class Picture {
 public:
  Picture(const VideoFormat& format, int noise) {
    frame_.bit_depth = format.bit_depth;
    for (int i = 0; i < kMaxPlanes; ++i) {
      const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
      draw(size, format.bit_depth, noise, static_cast<size_t>(i));
    }
  }
  const Frame& frame() const { return frame_; }

 private:
  void draw(PlaneSize size, int depth, int noise, size_t plane) {
    std::minstd_rand random(static_cast<unsigned>(plane) + 1);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const double waves = 60 * std::sin(0.01 * x + 0.003 * y) + 30 * std::sin(0.05 * y) * std::cos(0.07 * x);
        const int grain = static_cast<int>((random() >> 8) % static_cast<unsigned>(2 * noise + 1)) - noise;
        const int level = (128 + static_cast<int>(waves) + grain) << (depth - 8);
        if (depth == 8) bytes_[plane].push_back(static_cast<uint8_t>(level));
        if (depth > 8) words_[plane].push_back(static_cast<uint16_t>(level));
      }
    }
    SampleView& view = frame_.planes[plane];
    if (depth == 8) view.u8 = {bytes_[plane].data(), size.width, size.height, size.width};
    if (depth > 8) view.u16 = {words_[plane].data(), size.width, size.height, size.width};
  }

  std::vector<uint8_t> bytes_[kMaxPlanes];
  std::vector<uint16_t> words_[kMaxPlanes];
  Frame frame_;
};

// A frame of both videos, and of each what comes before. Drawn when it is first asked for.
class Videos {
 public:
  explicit Videos(const VideoFormat& format) : format_(format) {}
  const VideoFormat& format() const { return format_; }
  FramePair pair() {
    if (!reference_) reference_ = std::make_unique<Picture>(format_, 20);
    if (!distorted_) distorted_ = std::make_unique<Picture>(format_, 8);
    FramePair pair;
    pair.distorted = distorted_->frame();
    pair.reference = reference_->frame();
    pair.distorted_before = {reference_->frame(), reference_->frame()};
    pair.references_before = {distorted_->frame(), distorted_->frame()};
    return pair;
  }

 private:
  const VideoFormat format_;
  std::unique_ptr<Picture> reference_, distorted_;
};

void run(State& state, const FeatureInfo& info, Videos& videos, const Execution& execution) {
  WorkerPool pool(1);
  Execution on_one_thread = execution;
  on_one_thread.pool = &pool;
  const OptionSet set(info.options);
  const std::unique_ptr<HostFeature> feature = info.make(set, {videos.format(), videos.format()}, on_one_thread);
  const FramePair pair = videos.pair();
  for (auto _ : state) benchmark::DoNotOptimize(feature->score(pair).values.data());
  const double samples = static_cast<double>(videos.format().width) * videos.format().height;
  state.counters["ns/px"] = Counter(samples * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

// The scalar backend, and the best of every group of instruction sets that --cpumask tells apart.
std::vector<Execution> executions() {
  std::vector<Execution> all(1);
  all.front().backend = Backend::kScalar;
  std::string last;
  for (const uint32_t mask : {0U, +kMaskAvx512Icl, +kMaskAvx512, +kMaskAvx2, +kMaskSse41, +kMaskSsse3}) {
    Execution execution;
    execution.cpumask = mask;
    if (host_simd(execution) == last || host_simd(execution) == "scalar") continue;
    last = host_simd(execution);
    all.push_back(execution);
  }
  return all;
}

void add_videos(const std::string& name, const std::shared_ptr<Videos>& videos) {
  for (const FeatureInfo* info : features()) {
    if (!info->needs_reference(OptionSet(info->options))) continue;
    for (const Execution& execution : executions()) {
      const std::string full = name + "/" + std::string(info->name) + "/" + host_simd(execution);
      benchmark::RegisterBenchmark(full.c_str(), [=](State& state) { run(state, *info, *videos, execution); })
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

void add_compared_features() {
  for (const PlaneSize size : {PlaneSize{1920, 1080}, PlaneSize{3840, 2160}}) {
    for (const int depth : {8, 10}) {
      const VideoFormat format = {.name = "drawn", .width = size.width, .height = size.height, .bit_depth = depth};
      add_videos("compared_" + std::to_string(size.width) + "x" + std::to_string(size.height) + "_" + std::to_string(depth) + "b",
                 std::make_shared<Videos>(format));
    }
  }
}

}  // namespace vq::bench
