// Times every stage of CAMBI and every implementation of it, all features, whole frames and whole runs. See
// docs/performance.md.
//
//   bench [Google Benchmark's options] [VIDEO ...]
//
// Names are video/stage/implementation, film_SIZE/feature/implementation, video/extractor/threads and
// video/program/threads.
#include <benchmark/benchmark.h>

#include <iostream>

#include "core/error.h"
#include "core/frame.h"
#include "core/synthetic_frame.h"
#include "core/worker_pool.h"
#include "feature/feature.h"
#include "feature/simd_targets.h"
#include "tests/bench/bench_stages.h"
#include "tests/support/implementations.h"

namespace vq::cambi::bench {
namespace {

using benchmark::State;

constexpr int kMostThreads = 2;

using Implementation = vq::test::Implementation<CambiStages>;

template <typename Run>
benchmark::internal::Benchmark* add(const std::string& name, Run run) {
  return benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

void add_stage(const Video& video, const StageRun& stage, const std::vector<Implementation>& list) {
  for (const Implementation& implementation : list) {
    add(video.name + "/" + stage.name + "/" + implementation.name,
        [&](State& state) { stage.run(state, video, implementation.stages); });
  }
}

void add_file(const Video& video, const std::vector<Implementation>& list) {
  for (const StageRun& stage : stage_runs()) add_stage(video, stage, list);
  add(video.name + "/repeated_frame", [&](State& state) { run_repeated_frame(state, video); });
  add(video.name + "/changed_last_sample", [&](State& state) { run_changed_last_sample(state, video); });
  add(video.name + "/next_frame", [&](State& state) { run_next_frame(state, video); });
  for (int threads = 1; threads <= kMostThreads; ++threads) {
    add(video.name + "/extractor/" + std::to_string(threads), [&video, threads](State& state) {
      run_extractor(state, video, threads);
    })->UseRealTime();
    add(video.name + "/program/" + std::to_string(threads), [&video, threads](State& state) {
      run_program(state, video, threads);
    })->UseRealTime();
  }
}

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

void run_feature(State& state, const FeatureInfo& info, Videos& videos, const Execution& execution) {
  WorkerPool pool(1);
  Execution on_one_thread = execution;
  on_one_thread.pool = &pool;
  const OptionSet set(info.options);
  const std::unique_ptr<HostFeature> feature =
      info.make(set, {videos.format(), videos.format()}, on_one_thread);
  const FramePair& pair = videos.pair();
  for (auto _ : state) benchmark::DoNotOptimize(feature->score(pair).values.data());
  count_pixels(state, int64_t{videos.format().width} * videos.format().height);
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

void add_features() {
  for (const PlaneSize size : {PlaneSize{1920, 1080}, PlaneSize{3840, 2160}}) {
    for (const int depth : {8, 10}) {
      const auto videos = std::make_shared<Videos>(
          VideoFormat{.name = "film", .width = size.width, .height = size.height, .bit_depth = depth});
      const std::string name = "film_" + std::to_string(size.width) + "x" + std::to_string(size.height) +
                               "_" + std::to_string(depth) + "b/";
      for (const FeatureInfo* info : features()) {
        for (const Execution& execution : executions()) {
          add(name + std::string(info->name) + "/" + host_simd(execution),
              [=](State& state) { run_feature(state, *info, *videos, execution); });
        }
      }
    }
  }
}

int run(std::span<char*> paths) {
  const auto list = vq::test::all_implementations(scalar_stages(), simd_stages);
  std::vector<Video> files;
  for (const char* path : paths) files.push_back(read_video(path));
  const std::vector<Video> hard = worst_cases();
  add("memory_copy", run_memory_copy);
  for (const Video& video : files) add_file(video, list);
  for (const Video& video : hard) add_stage(video, c_values_run(), list);
  add_features();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace vq::cambi::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  try {
    return vq::cambi::bench::run({argv + 1, static_cast<size_t>(argc - 1)});
  } catch (const vq::Error& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 1;
  }
}
