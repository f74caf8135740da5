// What a benchmark measures with: frames of a video, or made-up ones.
#pragma once

#include <optional>
#include <vector>

#include "cli/bench/bench_figures.h"
#include "cli/inputs/run_options.h"
#include "core/frame.h"
#include "core/synthetic_frame.h"
#include "feature/feature.h"

namespace vq::cli {

struct BenchInput {
  BenchVideo facts;                  // without backends
  std::string decoder;               // empty where it is made up
  std::optional<double> decode_fps;  // alone; none where it is made up
  int64_t decoded_frames = 0;        // each time
  VideoFormats formats;
  std::optional<double> reference_rate;  // frames a second; none where it is made up or does not say
  std::vector<FeatureRequest> features;  // with what was left to the program
  std::vector<FramePair> frames;         // a few in memory; at least one
};

// How long and how often to measure.
struct BenchTime {
  int64_t frames = 0;  // of each round; 0: as many as fit `seconds`
  double seconds = 0.3;
  int rounds = 3;  // of which the median counts; one where it takes longer than it should
};

// Decodes the video of the run, and its reference, several times, as the run with its backend does. Ends
// early on an interrupt; then there may be no frame. Throws what opening and reading throw.
BenchInput read_bench_input(const RunOptions& run, const BenchTime& time);

// Bands as skies have them; where features need a reference, film with grain and what an encoder leaves of
// it.
Synthetic synthetic_kind_for(const RunOptions& run);
BenchInput make_bench_input(const RunOptions& run, const VideoFormat& format);

}  // namespace vq::cli
