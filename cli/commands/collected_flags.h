// The values of flags, before they are checked together.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/inputs/run_options.h"

namespace vq::cli {

struct CollectedFlags {
  RunOptions arguments;
  std::vector<std::string> positionals, features, outputs;
  bool is_vmaf = false;                         // the program is called so
  std::optional<int> width, height, bit_depth;  // of raw video
  std::optional<Chroma> chroma;
  // Flags of features, in order, each with its text, which is meaningless for a flag without a value.
  std::vector<std::pair<std::string, std::string>> of_features;
  std::optional<std::string> heatmaps;     // the folder
  std::vector<std::string> heatmap_flags;  // the other flags for heatmaps that were given
  std::optional<std::string> html;
  std::optional<double> segments_until;
  std::optional<VideoPosition> segments_shortest;
  std::vector<OutputRequest> segment_outputs, scene_outputs;
  std::optional<std::string> scene_list;  // path
  std::optional<std::string> zone_options;
  std::optional<VideoPosition> zone_snap;
  std::optional<ReportFormat> format;  // of every report
  std::optional<DecoderRequest> decoder;
  std::optional<ScaleKernel> scale_kernel;
};

// The raw video that -w, -h, -p and -b describe; nothing if none of them is given. Throws Error{kUsage} if
// only some are.
std::optional<RawFormat> raw_format(const CollectedFlags& flags);

// Moves the flags for segments into the arguments. Throws Error{kUsage}.
void collect_segments(CollectedFlags& flags);
// Reads the list of scenes that was given. Throws Error{kInput}.
void collect_scenes(CollectedFlags& flags);

// How many videos the positional arguments may name: exactly one, any number, or one or none (synthetic
// pictures).
enum class Videos { kOne, kSeveral, kOneOrNone };

// Checks all flags together and derives the options of the run, including features and implied values. Throws
// Error{kUsage}.
RunOptions complete(CollectedFlags flags, Videos videos);

}  // namespace vq::cli
