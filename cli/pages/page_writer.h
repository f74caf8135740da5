// Reports as one HTML page that needs nothing else: no network, no second file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/pictures/frame_pictures.h"
#include "cli/reports/compare.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"

namespace vq::cli {

// What a page shows beside its report.
struct PagePictures {
  std::vector<FramePicture> frames = {};
  // Of every frame of the report, in order; empty where there are no histograms.
  std::vector<ChannelLevels> levels = {};
  // Whose local scores the colours show; nothing where the frames have none.
  std::optional<MetricInfo> coloured_by = {};
};

// The page of one run, with the extended report embedded; numbers and worst moments are as `style` says.
// Pictures of frames that were not scored are left out. `name` is the title; empty: the distorted input's
// path. No text of the report can become markup. Time and memory grow linearly with frames and pictures.
// Needs: as write_report(), and at least one frame and metric. Throws Error{kUsage} in a build without pages.
std::string write_page(const Report& report, const PagePictures& pictures, const std::string& name = {},
                       const ReportStyle& style = {});

// What a file holds that may be such a page.
struct PageKind {
  bool of_one_run = false;
  size_t pictures = 0;  // frames that can be looked at
};
PageKind page_kind(std::string_view page);

// What the page of several runs shows beside their reports.
struct ComparisonPictures {
  size_t moments = 6;                                   // at most so many of each kind
  std::vector<std::vector<FramePicture>> of_runs = {};  // frames of these moments, in the order of the runs
  std::vector<std::string> remarks = {};                // why some are missing

  bool have_heat() const;
};

// The page of several ranked runs, their curves over each other. Otherwise as write_page().
std::string write_comparison_page(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                  const ComparisonPictures& pictures = {});

}  // namespace vq::cli
