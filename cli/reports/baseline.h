// A saved report that thresholds are measured from: --baseline old.json --fail-above 'mean>+0.5'.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report.h"

namespace vq::cli {

struct Baseline {
  std::string path;
  Report report;
};

// As read_report() and to_report().
Baseline read_baseline(const std::string& path, std::function<bool()> stopped = {});

// Why the two should be compared with care, a sentence each: other lengths or sizes, another part of the
// picture, options that differ, a run that ended early. What a report that is not extended does not tell is
// taken to be equal.
std::vector<std::string> remarks_on_baseline(const Baseline& baseline, const Report& report);

}  // namespace vq::cli
