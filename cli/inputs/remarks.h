// Remarks of a run on its videos before and after scoring, and reasons to refuse some.
#pragma once

#include "cli/decoding/video_source.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/frame.h"
#include "engine/analysis/alignment.h"
#include "engine/analysis/pair_fault.h"
#include "engine/models/model_features.h"
#include "engine/request.h"
#include "engine/settle.h"
#include "feature/feature.h"

namespace vq::cli {

// Two videos as they were opened, before anything is cropped or scaled.
PairHeaders headers_of(const VideoInfo& distorted, const VideoInfo& reference);

// header_faults() of the pair; none if no feature compares the videos.
std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const PairHeaders& pair);

// Thrown if scores that compare the videos would be wrong.
class RefusedPair : public Error {
 public:
  // Needs: advice is in the text. `why` it is an error: "--strict is set".
  RefusedPair(PairFault fault, const std::string& why);
  const PairFault& fault() const { return fault_; }

 private:
  PairFault fault_;
};

// Throws RefusedPair for a fault that ends the run: a certain one, unless scores are wanted all the same, as
// they are of samples that are compared as stored whatever they show; and any fault under --strict. Needs:
// features compare the videos.
void refuse_pair_fault(const PairFault& fault, const RunOptions& options);

// Flags that bring both to one size, after "Try: ".
std::string size_remedy(const PairHeaders& pair);

// Advice that brings both to one sampling of chroma, after a full stop; empty if nothing does.
std::string chroma_remedy(const VideoFormat& distorted, const VideoFormat& reference);

// Whether all features can score these pictures. Throws what FeatureInfo::check does, with who asked for the
// feature and what helps videos that were opened as `pair`.
void check_features(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                    const std::vector<ModelOfRun>& models, const std::optional<PairHeaders>& pair);

// Throws Error{kMismatch} unless the rectangle lies in the picture. `flag` is what asked for it.
void check_crop(const std::string& flag, const Rectangle& rectangle, const VideoFormat& video);

// Throws Error{kMismatch} unless chroma samples of the video begin where the rectangle does. `flag` is what
// asked for it.
void check_crop_of_chroma(const std::string& flag, const Rectangle& rectangle, const VideoFormat& video);

// Throws Error{kUsage} for what cannot be read twice. `flag` is what asked for it.
void check_searchable(const std::string& flag, const std::string& path);

// Whether a JSON report is named: by the extension .json, or for a regular file by its first character, so
// that parts of reports and reports under other names are known as well. `may_be_raw`: raw video may begin
// with any character, so only the name counts.
bool is_json_report(const std::string& path, bool may_be_raw = false);

// True for standard input, pipes and devices: what is read of them is gone. A path that names nothing is
// none.
bool is_read_once(const std::string& path);

// Throws Error{kUsage} for what is_read_once(). The message begins with `what`, as in "--align auto reads
// videos", and ends with the advice.
void check_read_twice(const std::string& path, const std::string& what, const std::string& advice = {});

// Throws Error{kInput} with what to do instead if the path is a report, a folder without pictures or a URL;
// and as sequence_files().
void check_is_video(const std::string& path);

// Messages of the engine, with the flags that help.
std::string in_words(const Diagnostic& diagnostic);
std::string in_words(const Error& error);

// "--frame_skip_dist 3", "--frame_skip_ref 2", or both; empty if nothing is skipped.
std::string skip_flags(const Skips& skips);

}  // namespace vq::cli
