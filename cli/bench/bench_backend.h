// Measurement of one backend with one video.
#pragma once

#include <optional>

#include "cli/bench/bench_input.h"
#include "feature/device_bandwidth.h"

namespace vq::cli {

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
