// Times every stage, every implementation of it, metrics that compare two videos, whole frames and whole
// runs. See docs/performance.md.
//
//   bench [Google Benchmark's options] [VIDEO ...]
//
// Names are video/stage/implementation, video/extractor/threads and video/program/threads.
#include <benchmark/benchmark.h>

#include <iostream>

#include "core/error.h"
#include "feature/simd_targets.h"
#include "tests/bench/bench_compared.h"
#include "tests/bench/bench_histogram.h"
#include "tests/bench/bench_pairs.h"
#include "tests/bench/bench_stages.h"

namespace vq::cambi::bench {
namespace {

constexpr int kMostThreads = 2;

struct Implementation {
  std::string name;
  CambiStages stages;
  fingerprint::PlaneSums plane_sums;
  vif::VifStages vif = {};
  motion::BlurredDifference blurred_difference = motion::scalar::blurred_difference;
};

std::vector<Implementation> implementations() {
  std::vector<Implementation> list = {
      {.name = "scalar", .stages = scalar_stages(), .plane_sums = fingerprint::scalar::plane_sums}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    list.push_back({.name = target.name,
                    .stages = simd_stages(target.id),
                    .plane_sums = fingerprint::simd::plane_sums_for(target.id),
                    .vif = {.decimate = vif::simd::decimate_for(target.id),
                            .statistics = vif::simd::statistics_for(target.id)},
                    .blurred_difference = motion::simd::blurred_difference_for(target.id)});
  }
  return list;
}

template <typename Run>
benchmark::internal::Benchmark* add(const std::string& name, Run run) {
  return benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

void add_stage(const Video& video, const StageRun& stage, const std::vector<Implementation>& list) {
  for (const Implementation& implementation : list) {
    add(video.name + "/" + stage.name + "/" + implementation.name,
        [&](benchmark::State& state) { stage.run(state, video, implementation.stages); });
  }
}

void add_file(const Video& video, const std::vector<Implementation>& list) {
  for (const StageRun& stage : stage_runs()) add_stage(video, stage, list);
  for (const Implementation& implementation : list) {
    add(video.name + "/fingerprint/" + implementation.name,
        [&](benchmark::State& state) { run_fingerprint(state, video, implementation.plane_sums); });
    add(video.name + "/vif/" + implementation.name,
        [&](benchmark::State& state) { run_vif(state, video, implementation.vif); });
    add(video.name + "/motion/" + implementation.name,
        [&](benchmark::State& state) { run_motion(state, video, implementation.blurred_difference); });
  }
  add(video.name + "/repeated_frame", [&](benchmark::State& state) { run_repeated_frame(state, video); });
  add(video.name + "/changed_last_sample",
      [&](benchmark::State& state) { run_changed_last_sample(state, video); });
  add(video.name + "/next_frame", [&](benchmark::State& state) { run_next_frame(state, video); });
  for (int threads = 1; threads <= kMostThreads; ++threads) {
    add(video.name + "/extractor/" + std::to_string(threads), [&video, threads](benchmark::State& state) {
      run_extractor(state, video, threads);
    })->UseRealTime();
    add(video.name + "/program/" + std::to_string(threads), [&video, threads](benchmark::State& state) {
      run_program(state, video, threads);
    })->UseRealTime();
  }
}

int run(std::span<char*> paths) {
  const std::vector<Implementation> list = implementations();
  std::vector<Video> files;
  for (const char* path : paths) files.push_back(read_video(path));
  const std::vector<Video> hard = worst_cases();
  add("memory_copy", run_memory_copy);
  for (const Video& video : files) add_file(video, list);
  for (const Video& video : hard) add_stage(video, c_values_run(), list);
  histogram::bench::add_benchmarks();
  vq::bench::add_compared_features();
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
