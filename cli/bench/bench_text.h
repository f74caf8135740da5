// Results of `cambi bench` as text and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "cli/bench/bench_figures.h"

namespace vq::cli {

// Tables that fit `width` columns if possible (0: any), and for each video the sentence on its bottleneck.
std::string bench_text(const BenchResult& result, size_t width = 0);

// The same as JSON: docs/bench.schema.json.
std::string bench_json(const BenchResult& result);

}  // namespace vq::cli
