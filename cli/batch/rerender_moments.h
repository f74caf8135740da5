// Single frames of runs that are over, decoded and scored once more for people to look at.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/pages/page_writer.h"
#include "cli/pictures/still.h"
#include "cli/reports/compare.h"
#include "core/frame.h"
#include "core/worker_pool.h"

namespace vq::cli {

struct LookRequest {
  std::string metric;         // its heatmaps are shown, if its feature has any
  std::set<int64_t> moments;  // numbers of frames
  PlaneSize limit;            // pictures are shrunk to fit it
  int threads = 1;
  StopToken stop = {};  // see SourceOptions
  PageQuality quality = PageQuality::kSmall;
  // Frames of the reference, by the number of the moment; pictures have its size, and differences from it.
  std::map<int64_t, Still> reference = {};
  std::function<void()> made = [] {};  // called after each frame's pictures are made, by any thread
};

// The reference of all runs.
struct SharedReference {
  std::string name;                 // its file; empty if there is none
  std::map<int64_t, Still> stills;  // by the number of the moment
  std::string remark;               // as below
};

struct LookedAgain {
  std::vector<FramePicture> pictures;  // by frame; only of moments that the run has a score of
  std::string remark;                  // a sentence that says why there are none; else empty
};

// Frames of the reference at the moments, shrunk to the limit. There are none if the runs have different
// references, skip different frames, or crop differently.
SharedReference look_at_reference(const std::vector<NamedReport>& runs, const LookRequest& request);

std::vector<FramePicture> pictures_of_reference(const LookRequest& request);

// Pictures of a run's frames, from the video that its report names. A relative path is looked up in the
// current folder, or else in that of the report. There are no pictures if the video is not there, cannot be
// read twice, differs from what the report says of it, or gets other scores than the report has.
LookedAgain rerender_moments(const NamedReport& run, const LookRequest& request);

// Pictures of the moments that a page lists, of every run whose video is still there.
ComparisonPictures pictures_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                               const RunOptions& arguments);

}  // namespace vq::cli
