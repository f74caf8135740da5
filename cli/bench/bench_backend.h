// One backend, measured with one video.
#pragma once

#include <optional>

#include "cli/bench/bench_input.h"
#include "feature/device_bandwidth.h"

namespace vq::cli {

// Where stages move their bytes: what a copy reaches there, in bytes a second.
struct CopyRates {
  double host = 0;
  std::optional<DeviceBandwidth> device = {};  // of the backend's device
};

// Stages and scores of frames in memory, and whole runs where the input is a video. `run`: with the backend
// and its device. What the backend fails with is told in BenchBackend::error, together with what was measured
// before; nothing where an interrupt ended it. Throws what else fails.
std::optional<BenchBackend> bench_backend(const RunOptions& run, const BenchInput& input,
                                          const CopyRates& rates, const BenchTime& time);

}  // namespace vq::cli
