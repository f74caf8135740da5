// Reports as one HTML page that needs nothing else: no network, no second file.
#pragma once

#include <string>
#include <vector>

#include "cli/frame_pictures.h"
#include "core/report.h"

namespace vq::cli {

// The page of one run, with the extended report embedded. Pictures of frames that were not scored are left
// out. `name` is the title; empty: the distorted input's path. No text of the report can become markup. Time
// and memory grow linearly with frames and pictures. Needs: as write_report(), and at least one frame and
// metric. Throws Error{kUsage} in a build without pages.
std::string write_page(const Report& report, const std::vector<FramePicture>& pictures,
                       const std::string& name = {});

struct NamedReport {
  std::string name;
  Report report;
};

// What several runs are compared by.
struct ComparisonBasis {
  std::string metric;     // that every run has
  std::string statistic;  // a key of docs/report.md's pooled metrics, or "share"
};

// The page of several runs in the order given, their curves over each other. Otherwise as write_page().
std::string write_comparison_page(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
