// What a run says of its videos before and after it scores them, and why it refuses some.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

// What makes scores that compare two videos say something else than their quality, as far as their headers
// tell; for the engine, and with what helps.

// Two videos as they were opened, before anything is scaled.
struct OpenedPair {
  const VideoInfo& distorted;
  const VideoInfo& reference;
  bool is_paired_by_time = false;
  std::optional<Rectangle> distorted_crop = {}, reference_crop = {};  // what is compared of them; none: all
};

PairHeaders headers_of(const OpenedPair& pair);

// header_faults() of the pair; none where no feature compares the videos. `as_stored`: other ranges are not
// evened out.
std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const OpenedPair& pair,
                                   bool as_stored);

// That scores which compare the videos would be wrong.
class RefusedPair : public Error {
 public:
  // Needs: advice is in the text. `why` it is an error: "--strict is set".
  RefusedPair(PairFault fault, const std::string& why);
  const PairFault& fault() const { return fault_; }

 private:
  PairFault fault_;
};

// The options of a run that say which faults end it.
struct PairRules {
  bool compare_anyway = false, as_stored = false, strict = false;
};

// Throws RefusedPair for a fault that ends the run: a certain one, unless scores are wanted all the same, as
// they are of samples that are compared as stored whatever they show; and any fault under --strict. Needs:
// features compare the videos.
void refuse_pair_fault(const PairFault& fault, const PairRules& rules);

// What brings both to one size, behind "Try: ".
std::string size_remedy(const OpenedPair& pair);

// What brings both to one sampling of chroma, behind a full stop; empty where nothing does.
std::string chroma_remedy(const VideoFormat& distorted, const VideoFormat& reference);

// Whether all features can score these pictures. Throws what FeatureInfo::check does, with who asked for the
// feature and what helps videos that were opened as `pair`.
void check_features(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                    const std::vector<ModelOfRun>& models, const std::optional<OpenedPair>& pair);

// Says, as far as `arguments` want it, what becomes of film grain: it hides banding from those who watch, and
// what is hidden is not scored.
void tell_of_film_grain(const VideoInfo& info, const RunOptions& arguments, Messages& messages);

// What becomes of a reference, where that may not be what was meant; empty where it is. Needs: there is one.
std::string reference_note(const std::vector<FeatureRequest>& features, const VideoFormats& formats);

// What models expect of pictures that these are not, a line each.
std::vector<std::string> expectation_notes(const std::vector<ModelOfRun>& models,
                                           const std::vector<FeatureRequest>& features,
                                           const VideoFormats& formats, std::optional<double> frame_rate);

// Which features the backend leaves to the CPU; empty for none.
std::string left_to_host_note(const std::vector<FeatureRequest>& features, const Execution& execution);

// Which faults of a pair end a run.
inline PairRules rules_of(const RunOptions& options) {
  return {options.compare_anyway, options.as_stored, options.strict};
}

// Why no frame was scored.
Error nothing_to_score(const RunOptions& arguments);

// Throws Error{kMismatch} unless the rectangle lies in the picture. `flag` is what asked for it.
void check_crop(const std::string& flag, const Rectangle& rectangle, const VideoFormat& video);

// Throws Error{kMismatch} unless chroma samples of the video begin where the rectangle does. `flag` is what
// asked for it.
void check_crop_of_chroma(const std::string& flag, const Rectangle& rectangle, const VideoFormat& video);

// Throws Error{kUsage} for what cannot be read twice. `flag` is what asked for it.
void check_searchable(const std::string& flag, const std::string& path);

// What an input is, by its beginning: people hand reports to commands that take videos, and the other way
// round.

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

// Throws Error{kInput} with what to do instead where the path is a report, a folder without pictures or a
// URL; and as sequence_files().
void check_is_video(const std::string& path);

// What the engine has to say, with the flags that help.

std::string in_words(const Diagnostic& diagnostic);

// What an error says, with the flags that help.
std::string in_words(const Error& error);

// "--frame_skip_dist 3", "--frame_skip_ref 2", or both; empty where nothing is skipped.
std::string skip_flags(const Skips& skips);

}  // namespace vq::cli
