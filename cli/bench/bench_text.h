// What `cambi bench` measured, for people and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "cli/bench/bench_figures.h"

namespace vq::cli {

// Tables that fit `width` columns where they can (0: any), and for each video the sentence on what limits.
std::string bench_text(const BenchResult& result, size_t width = 0);

// The same as JSON: docs/bench.schema.json.
std::string bench_json(const BenchResult& result);

}  // namespace vq::cli
