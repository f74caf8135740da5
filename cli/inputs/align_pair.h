// Reads the starts of two videos to find how they lie against each other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/decoding/video_source.h"
#include "engine/analysis/alignment.h"
#include "engine/analysis/picture_format.h"

namespace vq::cli {

inline constexpr int kMaxShiftWindow = 2000;

struct PairSearch {
  SourceOptions reference, distorted;
  Skips skips;
  int64_t frames = 600;  // of each video to look at; 0: all
  int window = 240;      // of shifts, to either side
  Execution execution = {};
  bool needs_one_rate = false;  // other frame rates are an error, before frames are read
};

struct PairFindings {
  VideoInfo reference, distorted;
  Alignment alignment;
  int64_t reference_frames = 0, distorted_frames = 0;  // that were read
  bool reference_ended = false, distorted_ended = false;
  std::optional<std::string> bars;       // how they differ; then the pictures within them were compared
  std::optional<Rectangle> within_bars;  // what --crop takes then, if both have one size
};

// Opens both once more. Throws Error{kMismatch} if frame rates differ that may not, what opening and reading
// throw, and Error{kUsage} for what cannot be read twice.
PairFindings search_pair(const PairSearch& search);

// The result of `--align auto`: the shift that was found, or none if it is not certain.
struct ShiftSettled {
  int64_t shift = 0;
  std::string note;     // "align=+3 (found, confidence 0.98)"
  std::string warning;  // empty if the shift is certain
};
// Throws as search_pair(), and Error{kMismatch} if frame rates differ.
ShiftSettled settle_shift(PairSearch search);

}  // namespace vq::cli
