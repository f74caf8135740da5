// Several videos scored with one set of arguments.
#pragma once

#include "cli/batch/batch_task.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/compare.h"
#include "cli/system/messages.h"
#include "engine/report/report.h"

namespace vq::cli {

struct VideoReport {
  std::optional<Report> report = {};        // none if it was not scored to its end
  std::optional<RefusedPair> refusal = {};  // if it does not fit its reference
  std::optional<Standing> standing = {};    // if a sample of it was scored
};
struct SeveralReports {
  std::vector<VideoReport> videos;  // in order
  std::exception_ptr error;         // of the first video that failed for another reason; null if none did
};

// The options of one of the videos of score_several() alone.
RunOptions own_options(const RunOptions& arguments, const std::vector<std::string>& videos, size_t i);

// Is called before the first frame, with the metrics that each video will have; a video that cannot be opened
// beforehand has none. May throw Error.
using MetricCheck = std::function<void(const std::vector<std::vector<Metric>>& metrics)>;

// Scores each of the videos as `arguments.distorted`. Under FilmGrainRequest::kBoth `videos` has each one
// twice in succession, first with grain and then without; the reference is decoded with grain. All are opened
// before the first is scored. With a reference all are scored at the same time, so that it is decoded once,
// unless each is aligned by itself. Otherwise they are scored one after the other, until one fails. A video
// that does not fit its reference keeps no other from being scored. Shows progress. Warnings go to
// `messages`, each once; every report has those of its own run. An interrupt ends the videos that are being
// scored. Throws Error for what is wrong before the first frame.
SeveralReports score_several(const RunOptions& arguments, const std::vector<std::string>& videos,
                             Messages& messages, const MetricCheck& check);

// What several encodes of one reference are compared by, from the metrics that all have. May throw Error.
using BasisOf = std::function<ComparisonBasis(const std::vector<std::vector<Metric>>& metrics)>;

// As score_several(), but slices of all videos are drawn and scored at once, until one is left that none is
// surely better than, or those that are left do not differ by more than the tolerance; a video that is surely
// worse is not scored any further. Those that are left are scored as a whole if that is not known with half
// of the frames, as all are if a sample cannot tell; one note says why. `names` are those of the videos in
// standings. Needs: RunOptions::confidence and a reference.
SeveralReports score_samples(const RunOptions& arguments, const std::vector<std::string>& videos,
                             const std::vector<std::string>& names, Messages& messages,
                             const BasisOf& basis_of);

// Full reports of several videos in one folder, named as `cambi batch` names them, so that what was scored
// once need not be scored again.
class SavedReports {
 public:
  // `arguments` and `videos` are those of score_several(). Outputs, thresholds and the like do not matter.
  // Throws Error: kUsage for pipes, kInput if a video cannot be looked at, kOutput if the folder cannot be
  // made.
  SavedReports(const RunOptions& arguments, const std::vector<std::string>& videos,
               const std::string& folder);

  const std::string& path(size_t video) const { return tasks_[video].arguments.outputs.front().path; }
  // The saved report of a video; nothing if there is none of the same files, options and version.
  std::optional<Report> find(size_t video) const;
  // Throws Error{kOutput}.
  void save(size_t video, Report report) const;

 private:
  BatchRequest request_;
  std::vector<BatchTask> tasks_;
};

}  // namespace vq::cli
