// Light: pictures of any video as linear R, G and B with the primaries of BT.709, 1.0 being SDR white. What
// metrics that model vision start from. Options say how a video is read where its tags do not.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "core/options.h"

namespace vq::light {

// The options that every metric on light has, under these names; all default to "auto", which follows each
// video's tags, but for `chroma`. Metrics put them first in their own table: with_option_specs().
inline constexpr size_t kOptionCount = 6;
extern const std::array<OptionSpec, kOptionCount> kOptionSpecs;

// The table of a metric's options: those of light, then its own.
template <size_t count>
std::array<OptionSpec, kOptionCount + count> with_option_specs(const std::array<OptionSpec, count>& own) {
  std::array<OptionSpec, kOptionCount + count> all;
  for (size_t i = 0; i < kOptionCount; ++i) all[i] = kOptionSpecs[i];
  for (size_t i = 0; i < count; ++i) all[kOptionCount + i] = own[i];
  return all;
}

enum class Curve { kBt1886, kSrgb, kLinear, kPq, kHlg };
std::string_view to_string(Curve curve);  // "bt1886", "srgb", "linear", "pq", "hlg"

// How one video is read: nothing is left open.
struct Reading {
  Matrix matrix = Matrix::kBt709;  // kBt601, kBt709, kBt2020 or kRgb
  Curve curve = Curve::kBt1886;
  bool has_bt2020_primaries = false;
  bool is_full_range = false;
  ChromaLocation location = ChromaLocation::kLeft;
  bool repeats_chroma = false;

  bool operator==(const Reading&) const = default;
};

// What the options and, where they are "auto", the video's tags say. Untagged video is limited range with
// chroma to the left, has the matrix that matrix_of() assumes, BT.1886's curve, and
// BT.709's primaries, or BT.2020's if the matrix is. Throws Error{kMismatch} for a matrix from which RGB
// cannot be had or an option that contradicts RGB video.
Reading reading_of(const OptionSet& options, const VideoFormat& video);

// A reading in words, for reports: {"matrix", "bt709"}, {"transfer", "bt1886"}, {"primaries", "bt709"},
// {"range", "limited"}, {"chroma_location", "left"}, {"chroma", "cubic"}; the last two only if chroma is
// subsampled.
std::vector<std::pair<std::string, std::string>> in_words(const Reading& reading, const VideoFormat& video);

// Notes for FeatureInfo::resolve: what was assumed of the distorted video where tags are missing or cannot be
// followed, and in what the reference, if there is one, is read in another way.
std::vector<std::string> notes_on(const OptionSet& options, const VideoFormat& distorted,
                                  const VideoFormat* reference = nullptr);

}  // namespace vq::light
