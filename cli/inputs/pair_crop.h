// The crops of a run's videos: --crop and --crop-ref.
#pragma once

#include "cli/decoding/video_source.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "engine/analysis/picture_format.h"
#include "feature/feature.h"

namespace vq::cli {

struct PairCrop {
  std::optional<Rectangle> distorted, reference;  // none: the whole picture
  std::vector<std::string> notes = {};            // "crop=1920:800:0:140 (without black bars)"

  bool crops_any() const { return distorted || reference; }
};

// The videos of a run as they are decoded.
struct DecodedVideos {
  const VideoInfo& distorted;
  const VideoInfo* reference = nullptr;
  Execution execution = {};  // to look for bars
};

// Opens videos once more if bars are to be found. Throws Error{kMismatch} if a rectangle does not lie in its
// picture, and if a rectangle for both is asked for and the features compare videos of two sizes; and as
// check_searchable() and look_for_bars().
PairCrop resolve_crops(const RunOptions& arguments, const DecodedVideos& videos);

// The pair as these options compare it. Needs: a reference.
PairHeaders headers_of(const RunOptions& arguments, const DecodedVideos& videos, const PairCrop& crop);

// Reduces the formats to what the crop leaves.
void crop_formats(const PairCrop& crop, VideoFormats& formats);

// Throws as check_crop_of_chroma(). `formats`: with the chroma of the videos.
void check_crops_of_chroma(const RunOptions& arguments, const PairCrop& crop, const VideoFormats& formats);

// Opens one of the videos and looks at its first seconds, from the first picture that is scored on. Throws
// what opening throws, and Error{kIncomplete} if `arguments.stop` is requested.
BarFinder look_for_bars(const RunOptions& arguments, const DecodedVideos& videos, Role role);

// Needs: videos as decoded, with a reference; what is left of them. Looks into both for what was cropped, and
// throws RefusedPair with what to do, if features compare videos of two shapes: sides that differ by more
// than rounding, with the shape of samples if both tell it. Does nothing under compare_anyway.
void check_shapes(const RunOptions& arguments, const DecodedVideos& videos, const PairCrop& crop);

}  // namespace vq::cli
