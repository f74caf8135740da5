// Motion as libvmaf's feature of that name: its options, the names of what it reports, what becomes of
// differences of frames, and its entry in the registry.
//
// Rounding: figures equal libvmaf's to the last bit. Differences are exact integers; all else is double, each
// operation rounded in the order in which it is written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/frame.h"
#include "feature/feature.h"
#include "feature/words/filter.h"

namespace vq::motion {

// Ranges and defaults are those of option_specs().
struct MotionOptions {
  bool force_zero = false;
  double blend_factor = 1, blend_offset = 40;
  double fps_weight = 1;
  double max_value = 10000;
  bool five_frame_window = false;
  bool moving_average = false;
  bool debug = false;

  // Distance in frames between the two frames that are compared.
  int gap() const { return five_frame_window ? 2 : 1; }
};

std::span<const OptionSpec> option_specs();
MotionOptions to_options(const OptionSet& set);

// What is reported of a frame, in order: the difference from the frame before, under `debug` once more by
// another name, the smaller one of the differences around the frame, and that blended.
std::vector<std::string> metric_names(const OptionSet& set);

// The score of a frame by its blurred difference from the one that it is compared with.
double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size);

// Makes the values of frames, in the order of metric_names(), from results whose first value is the pair
// score: 0 for the first frames, which have none to be compared with. Values come a frame late, those of the
// first ones even later under the five-frame window.
std::unique_ptr<FrameSequence> make_motion_sequence(const MotionOptions& options);

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up blurred differences by
// tiles, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::motion

// The one stage of motion: how much a picture differs from another after a small blur. It is exact: every
// implementation gives the same integer. It never throws and never allocates.

namespace vq::motion {

// A Gaussian, as the reference implementation rounds it.
inline constexpr WordFilter kBlur = {2, {26386, 16004, 3571}};

// Work memory for the rows of pictures of that width or a smaller one.
struct Rows {
  explicit Rows(int width) : sums(width, 1), words(width, 2 * 4) {}
  Plane<int32_t> sums;
  Plane<uint16_t> words;  // two for each row of a band of four
};

// A luma plane as decoded, of any stride and alignment and without guards: nothing beyond its rows is read.
struct Pictures {
  SampleView before, now;
  int bit_depth = 8;  // 8..16
};

// The sum of the magnitudes of the blurred difference before - now, in units of 1/256 of a level of 8-bit
// video: vertical sums rounded to that unit, then horizontal ones, half a unit up in both. 0 for identical
// pictures. Shapes: both W x H, of one type: bytes, or words of `bit_depth` bits. Border: reflected. Needs: W
// and H of at least 1 and at most kMaxSide, bytes only for 8 bits. 8 bits may be in words.
using BlurredDifference = uint64_t (*)(const Pictures& pictures, Rows& rows);

namespace scalar {
// The readable reference, in ordinary C++.
uint64_t blurred_difference(const Pictures& pictures, Rows& rows);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
BlurredDifference blurred_difference_for(int64_t target);
}  // namespace simd

}  // namespace vq::motion
