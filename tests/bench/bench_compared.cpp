#include "tests/bench/bench_compared.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "core/frame.h"
#include "core/synthetic_frame.h"
#include "core/worker_pool.h"
#include "feature/feature.h"
#include "feature/simd_targets.h"

namespace vq::bench {
namespace {

using benchmark::Counter;
using benchmark::State;

// A frame of both videos, and of each what comes before. Made up when it is first asked for.
class Videos {
 public:
  explicit Videos(const VideoFormat& format) : format_(format) {}
  const VideoFormat& format() const { return format_; }
  const FramePair& pair() {
    if (pair_.reference) return pair_;
    PreviousFrames before({2, 2});
    for (int i = 0; i < 3; ++i) {
      pair_ = synthetic_pair(Synthetic::kFilm, format_, i, {.planes = kMaxPlanes, .reference = true});
      before.give(pair_);
    }
    return pair_;
  }

 private:
  const VideoFormat format_;
  FramePair pair_;
};

void run(State& state, const FeatureInfo& info, Videos& videos, const Execution& execution) {
  WorkerPool pool(1);
  Execution on_one_thread = execution;
  on_one_thread.pool = &pool;
  const OptionSet set(info.options);
  const std::unique_ptr<HostFeature> feature =
      info.make(set, {videos.format(), videos.format()}, on_one_thread);
  const FramePair& pair = videos.pair();
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
      benchmark::RegisterBenchmark(full.c_str(), [=](State& state) {
        run(state, *info, *videos, execution);
      })->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

void add_compared_features() {
  for (const PlaneSize size : {PlaneSize{1920, 1080}, PlaneSize{3840, 2160}}) {
    for (const int depth : {8, 10}) {
      const VideoFormat format = {
          .name = "film", .width = size.width, .height = size.height, .bit_depth = depth};
      add_videos("compared_" + std::to_string(size.width) + "x" + std::to_string(size.height) + "_" +
                     std::to_string(depth) + "b",
                 std::make_shared<Videos>(format));
    }
  }
}

}  // namespace vq::bench
