// Measurement of one backend with one video.
#pragma once

#include <optional>
#include <vector>

#include "cli/bench/bench_text.h"
#include "cli/inputs/run_options.h"
#include "core/frame.h"
#include "core/synthetic_frame.h"
#include "feature/device_feature.h"
#include "feature/feature.h"

namespace vq::cli {

// Input of a benchmark: frames of a video, or synthetic ones.

struct BenchInput {
  BenchVideo facts;                  // without backends
  std::string decoder;               // empty for synthetic pictures
  std::optional<double> decode_fps;  // decoding alone; none for synthetic pictures
  int64_t decoded_frames = 0;        // per measurement
  VideoFormats formats;
  std::optional<double> reference_rate;  // frames per second; none if synthetic or unknown
  std::vector<FeatureRequest> features;  // with all options resolved
  std::vector<FramePair> frames;         // in memory; at least one
};

// How long and how often to measure.
struct BenchTime {
  int64_t frames = 0;  // per round; 0: as many as fit `seconds`
  double seconds = 0.3;
  int rounds = 3;  // of which the median counts; one if a round takes too long
};

// Decodes the video of the run, and its reference, several times, as the run with its backend does. Returns
// early, possibly without frames, on an interrupt. Throws errors of opening and reading.
BenchInput read_bench_input(const RunOptions& run, const BenchTime& time);

// Banded pictures; film with grain, and its encode, if features need a reference.
Synthetic synthetic_kind_for(const RunOptions& run);
BenchInput make_bench_input(const RunOptions& run, const VideoFormat& format);

// Copy rates of the memory that stages use, in bytes per second.
struct CopyRates {
  double host = 0;
  std::optional<DeviceBandwidth> device = {};  // of the backend's device
};

// Measures stages and scores of frames in memory, and whole runs if the input is a video. `run`: with the
// backend and its device. A failure of the backend is in BenchBackend::error, together with what was measured
// before; nothing is returned after an interrupt. Throws other failures.
std::optional<BenchBackend> bench_backend(const RunOptions& run, const BenchInput& input,
                                          const CopyRates& rates, const BenchTime& time);

}  // namespace vq::cli
