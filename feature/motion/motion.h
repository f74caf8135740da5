// Motion as libvmaf's feature of that name: its options, the names of what it reports, what becomes of
// differences of frames, and its entry in the registry.
//
// Rounding: figures equal libvmaf's to the last bit. Differences are exact integers; all else is double, each
// operation rounded in the order in which it is written.
#pragma once

#include "feature/metric_type.h"
#include "feature/words/filter.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::motion {

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

// Constants of two videos.
struct MotionPlan {
  MotionOptions options;
  VideoFormat video;  // the reference
};

// Names, aliases, defaults and ranges of the options are the reference implementation's (libvmaf 3.2).
struct Motion {
  using Options = MotionOptions;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::force_zero, "motion_force_zero force_0", "compare nothing: every score is 0"},
       {&Options::blend_factor, "motion_blend_factor mbf", 0, 1, "slope of motion3 above the offset"},
       {&Options::blend_offset, "motion_blend_offset mbo", 0, 1000, "where that slope starts"},
       {&Options::fps_weight, "motion_fps_weight mfw", 0, 5, "factor on the difference of two frames"},
       {&Options::max_value, "motion_max_val mmxv", 0, 10000, "clip larger values to this"},
       {&Options::five_frame_window, "motion_five_frame_window mffw", "compare with the frame two back"},
       {&Options::moving_average, "motion_moving_average mma",
        "average motion3 with that of the frame before"},
       {&Options::debug, "debug -", "also report the difference of two frames as integer_motion"}});
  using Plan = MotionPlan;
  // Throws Error: kUsage without a reference, kMismatch for videos of other sizes.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // The difference from the frame before, under `debug` once more by another name, the smaller one of the
  // differences around the frame, and that blended.
  static std::vector<std::string> names(const Options& options);
  static NeighbourCount neighbours(const Options& options) {
    return {.distorted = 0, .references = options.force_zero ? 0 : options.gap()};
  }
  static BoundedLuma bounded_luma(const Options& options) {
    return options.force_zero ? BoundedLuma::kNone : BoundedLuma::kReference;
  }
  // Frames that are not reported are the neighbours of those that are.
  static bool needs_every_frame(const Options& options) { return !options.force_zero; }
  // Makes the values of frames from results whose first value is the pair score: 0 for the first frames,
  // which have none to be compared with. Values come a frame late, those of the first ones even later under
  // the five-frame window.
  static std::unique_ptr<FrameSequence> make_sequence(const Options& options);
  static SequenceReach reach(const Options& options) { return {.before = 2 * options.gap(), .behind = 1}; }
};

// The score of a frame by its blurred difference from the one that it is compared with.
double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size);

const FeatureInfo& feature_info();

// The device sums up blurred differences by tiles, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

// The stage of motion: how much a picture differs from another after a small blur. It is exact: every
// implementation gives the same integer. It never throws and never allocates.

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

namespace scalar {
// The sum of the magnitudes of the blurred difference before - now, in units of 1/256 of a level of 8-bit
// video: vertical sums rounded to that unit, then horizontal ones, half a unit up in both. 0 for identical
// pictures. Shapes: both W x H, of one type: bytes, or words of `bit_depth` bits. Border: reflected. Needs: W
// and H of at least 1 and at most kMaxSide, bytes only for 8 bits. 8 bits may be in words.
uint64_t blurred_difference(const Pictures& pictures, Rows& rows);
}  // namespace scalar
VQ_STAGES(blurred_difference);

}  // namespace vq::motion

namespace vq::motion::gpu {

// Two planes of one size and type, with this number of bits per sample, 8..16.
struct Operands {
  const vulkan::DevicePlane &before, &now;
  int bit_depth = 8;
};

// Compares the planes.
class BlurredDifferencePass {
 public:
  BlurredDifferencePass(vulkan::Context& context, const Operands& operands, vulkan::Results& sums);

  void record(vulkan::Recorder& recorder) const;
  uint64_t difference() const;
  // Whether a sample of the plane `now` exceeds its depth's maximum. The difference is of no use then.
  bool has_excess() const;

 private:
  const Operands operands_;
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Results::Part sums_;
};

}  // namespace vq::motion::gpu
