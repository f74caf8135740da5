// Light levels as CTA-861.3 has them: of each pixel the largest of R, G and B in cd/m2, of a frame the
// largest and the mean, of a film the largest of each, MaxCLL and MaxFALL. Options, names, and the registry
// entry.
#pragma once

#include "feature/light/amounts.h"
#include "feature/light/light.h"

namespace vq::light_level {

inline constexpr std::string_view kFeatureName = "light";
inline constexpr std::string_view kLargest = "light_max", kMean = "light_mean";

// Percentiles of a frame's pixels and of the run's, in parts of ten thousand.
struct Percentile {
  std::string_view name;
  uint64_t share;
};
inline constexpr Percentile kPercentiles[] = {
    {"light_p50", 5000}, {"light_p99", 9900}, {"light_p99_9", 9990}, {"light_p99_99", 9999}};

struct Options : light::LightOptions {};

struct Plan {
  light::Conversion conversion = {};  // R, G and B keep the video's primaries
  float factor = 0;                   // amounts of the light 1: 1024 times its cd/m2
};

// cd/m2 of the light 1: 1000 for HLG, whose peak that is, and 100 for all others.
double light_unit(light::Curve curve);

struct LightLevel {
  using Options = light_level::Options;
  static constexpr auto kOptions = light::native_option_table<Options>();
  using Plan = light_level::Plan;
  // Throws Error{kMismatch} for a video that cannot be brought to light.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&);
  static bool needs_reference(const Options&) { return false; }
  static int planes(const Options&) { return kMaxPlanes; }
  static int64_t result_bytes(const Plan&) { return light::kAmountBins * int64_t{sizeof(double)}; }
  // The percentiles of the run's pixels.
  static std::vector<std::pair<std::string, double>> aggregates(const Plan& plan,
                                                                std::span<const double> totals);
};

FrameResult frame_result(const light::Amounts& amounts);

// MaxCLL and MaxFALL of frames with these values of each metric, and both as files carry them: integers from
// 1 to 65535, halves up; 0 is "unknown" there.
std::vector<std::pair<std::string, double>> of_frames(std::span<const std::span<const double>> columns);

// What these figures of a run say against what the video, read in this way, says of itself. CTA-861.3 means
// the master, of which what is decoded from subsampled chroma differs at sharp edges: by a factor of two or
// three in its brightest pixel. So what is stored is compared with the percentile 99.99.
std::vector<std::string> remarks_on(std::span<const std::pair<std::string, double>> figures,
                                    const StoredLight& stored, light::Curve curve);

namespace scalar {
// trunc(max(max(max(R, G), B), 0) * factor + 0.5), at most kMostAmount, each operation rounded to float.
// Shapes: rows of `width`, in and out, with guards.
void levels(light::RgbRow<const float> light, float factor, int width, uint32_t* out);
}  // namespace scalar
VQ_STAGES(levels);

const FeatureInfo& feature_info();

// The device counts, the host makes figures of the counts.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::light_level
