// Reports as self-contained HTML pages: no network, no second file.
#pragma once

#include "cli/pictures/still.h"
#include "cli/reports/compare.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"

namespace vq::cli {

// Pictures and histograms of a page.
struct PagePictures {
  std::vector<FramePicture> frames = {};
  // Levels of every frame of the report, in order; empty if there are no histograms.
  std::vector<ChannelLevels> levels = {};
  // The metric whose local scores the colours show; nothing if the frames have none.
  std::optional<MetricInfo> coloured_by = {};
};

// The page of one run, with the extended report embedded; `style` determines numbers and worst moments.
// Pictures of frames that were not scored are left out. `name` is the title; empty: the distorted input's
// path. No text of the report can become markup. Time and memory grow linearly with frames and pictures.
// Needs: as write_report(), and at least one frame and metric. Throws Error{kUsage} in a build without pages.
std::string write_page(const Report& report, const PagePictures& pictures, const std::string& name = {},
                       const ReportStyle& style = {});

// The kind of a file that may be such a page.
struct PageKind {
  bool of_one_run = false;
  size_t pictures = 0;  // number of frames with pictures
};
PageKind page_kind(std::string_view page);

// Pictures of a comparison's page.
struct ComparisonPictures {
  size_t moments = 6;                                   // maximum number of each kind
  std::vector<std::vector<FramePicture>> of_runs = {};  // frames of these moments, in the order of the runs
  std::string source = {};                              // name of the reference of all runs; empty: none
  std::vector<FramePicture> of_source = {};             // its frames of these moments
  std::vector<std::string> remarks = {};                // why some are missing
};

// The page of several ranked runs, with all curves in one plot. Otherwise as write_page().
std::string write_comparison_page(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                  const ComparisonPictures& pictures = {});

}  // namespace vq::cli
