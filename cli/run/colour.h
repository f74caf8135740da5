// Which transfer function and range a video is scored with, where that is left to the program.
#pragma once

#include <string>
#include <vector>

#include "core/extractor.h"

namespace vq::cli {

// What --eotf and --range say.
struct ColourWishes {
  std::string eotf = "auto";   // auto, bt1886, pq, hlg
  std::string range = "auto";  // auto, limited, full
};

struct ColourOutcome {
  std::vector<std::string> notes;     // "eotf=pq (from the stream)"
  std::vector<std::string> warnings;  // wishes that contradict the stream, videos that contradict each other
};

// Sets the options eotf and range of `options`. Under auto they are what the distorted video says: PQ, HLG
// and full range act, all else is BT.1886 and limited range.
ColourOutcome settle_colour(const ColourWishes& wishes, const InputFormats& formats, OptionSet& options);

// The warnings of videos that are scored by features spelled out with --feature, for which nothing is
// inferred.
std::vector<std::string> exact_colour_warnings(const InputFormats& formats, bool uses_pq);

}  // namespace vq::cli
