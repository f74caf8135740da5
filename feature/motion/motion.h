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

#include "feature/feature.h"

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
