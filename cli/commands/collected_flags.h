// What the command line says, flag by flag, before it is checked as a whole.
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
  std::optional<int> width, height, bit_depth;  // of raw video
  std::optional<Chroma> chroma;
  // Flags of features, in order: each with its text, which says nothing where it takes none.
  std::vector<std::pair<std::string, std::string>> of_features;
  std::optional<std::string> heatmaps;     // the folder
  std::vector<std::string> heatmap_flags;  // that say more of them
  std::optional<std::string> html;
  std::optional<double> segments_until;
  std::optional<VideoPosition> segments_shortest;
  std::vector<OutputRequest> segment_outputs;
  std::optional<std::string> zone_options;
  std::optional<VideoPosition> zone_snap;
  std::optional<ReportFormat> format;  // of every report
  std::optional<DecoderRequest> decoder;
  std::optional<ScaleKernel> scale_kernel;
};

// The raw video that -w, -h, -p and -b describe; nothing where none of them is given. Throws Error{kUsage}
// where some are.
std::optional<RawFormat> raw_format(const CollectedFlags& flags);

// Takes what is said of segments into the arguments. Throws Error{kUsage}.
void collect_segments(CollectedFlags& flags);

// How many videos the positionals may name: the one to score, any number, or none where what is made up will
// do.
enum class Videos { kOne, kSeveral, kOneOrNone };

// The arguments that the flags come to, with a feature and all that follows from others. Throws
// Error{kUsage}.
RunOptions complete(CollectedFlags flags, Videos videos);

}  // namespace vq::cli
