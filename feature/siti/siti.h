// Spatial and temporal information (ITU-T P.910): how much detail a picture has, and how much it differs from
// the one before. Options, names, and the registry entry.
#pragma once

#include "feature/light/light.h"

namespace vq::siti {

inline constexpr std::string_view kFeatureName = "siti", kLegacy = "legacy", kFull = "full", kPq = "pq";
inline constexpr std::string_view kForms[] = {kLegacy, kFull, kPq};

struct Options {
  std::string_view form = kLegacy, range = "auto", transfer = "auto";
};

struct Plan {
  PlaneSize size = {};
  // The value of `bits` bits that each code value stands for, and the factor from there to 0 to 255.
  std::vector<uint32_t> table = {};
  int bits = 8;
  double unit = 1;
};

struct Siti {
  using Options = siti::Options;
  static constexpr auto kOptions =
      option_table<Options>({{&Options::form, "form", kForms,
                              "legacy: limited range spread over the full one, as FFmpeg has it; full: code "
                              "values as they are; pq: light in the coding of PQ, for deep and HDR video"},
                             {&Options::range, light::kRangeSpec},
                             {&Options::transfer, "transfer", light::kLumaTransfers,
                              "transfer function for form=pq; auto: as tagged, else bt1886"}});
  using Plan = siti::Plan;
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // "si" and "ti", with the form's name behind if that is not the legacy one, and then the other options.
  static std::vector<std::string> metric_names(const OptionSet& set);
  static bool needs_reference(const Options&) { return false; }
  static NeighbourCount neighbours(const Options&) { return {.distorted = 1, .references = 0}; }
};

// Gradients are rooted with as many bits after the point as this and the table's bits add up to.
inline constexpr int kRootBits = 20;

// Sums of a picture's gradients G, in 2^-(kRootBits - bits), and of its differences from the one before.
__extension__ using ExactSum = unsigned __int128;
struct Sums {
  ExactSum gradients = 0, squared_gradients = 0;
  int64_t changes = 0;
  uint64_t squared_changes = 0;
  bool operator==(const Sums&) const = default;
};
// SI and TI. TI is NaN without a frame before. SI is 0 for a picture without inner samples.
FrameResult frame_result(const Plan& plan, const Sums& sums, bool has_before);

// Sums of a row.
struct GradientSums {
  uint64_t sum = 0, squares = 0;
  bool operator==(const GradientSums&) const = default;
};
struct ChangeSums {
  int64_t sum = 0;
  uint64_t squares = 0;
  bool operator==(const ChangeSums&) const = default;
};
// A row of a picture and those above and below.
struct Neighbourhood {
  const int32_t* above = nullptr;
  const int32_t* here = nullptr;
  const int32_t* below = nullptr;
};

namespace scalar {
// Values are 0 to 65535.

// G of each sample that has neighbours on both sides: with the Sobel gradients gx and gy, of weights 1, 2 and
// 1, sqrt(gx^2 + gy^2) * 2^shift rounded to the nearest integer. No root is halfway between two. Shapes: rows
// of `width`, at least 3, with guards. Range: shift 4..12, values under 2^(kRootBits - shift).
GradientSums gradients(const Neighbourhood& rows, int width, int shift);

// The differences now - before. Shapes: rows of `width`, with guards.
ChangeSums changes(const int32_t* now, const int32_t* before, int width);
}  // namespace scalar
VQ_STAGES(gradients, changes);

const FeatureInfo& feature_info();

// The device sums up by work groups, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::siti
