// What is timed of one video: each stage under one implementation, and whole pictures.
#pragma once

#include <benchmark/benchmark.h>

#include <span>

#include "feature/cambi/host.h"
#include "tests/bench/bench_video.h"

namespace vq::cambi::bench {

// Something to time with one implementation's stages.
struct StageRun {
  const char* name;
  void (*run)(benchmark::State& state, const Video& video, const CambiStages& stages);
};

// Sets the counter ns/px.
void count_pixels(benchmark::State& state, int64_t pixels);

// Counters: ns/px of the encode size, and GB/s of the bytes a stage must read and write, each once.
std::span<const StageRun> stage_runs();
// c_values alone, for pictures that are made for it.
const StageRun& c_values_run();

// Pictures in turn through the extractor of the CPU, on `threads` threads. Real time.
void run_extractor(benchmark::State& state, const Video& video, int threads);
// A picture through the comparison with the one before: equal to it, as long as that takes; different in the
// last sample alone, which takes as long; and the video's next picture.
void run_repeated_frame(benchmark::State& state, const Video& video);
void run_changed_last_sample(benchmark::State& state, const Video& video);
void run_next_frame(benchmark::State& state, const Video& video);
// The program on the video's file, from the file to a report in JSON. Real time; the counter cpu_ms is what
// all its threads took.
void run_program(benchmark::State& state, const Video& video, int threads);
// The yardstick for GB/s.
void run_memory_copy(benchmark::State& state);

}  // namespace vq::cambi::bench
