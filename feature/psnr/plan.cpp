#include "feature/psnr/plan.h"

#include <algorithm>

#include "core/error.h"

namespace vq::psnr {
namespace {

// Tallies of a plane: the upper and the lower 32 bits of its sum of squared errors, so that sums of them over 2^21 frames
// are exact, and its samples.
constexpr size_t kTallies = 3;
constexpr double kUpperUnit = 4294967296.0;  // 2^32

std::string size_text(const VideoFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

void check_alike(const PsnrOptions& options, const VideoFormat& distorted, const VideoFormat& reference) {
  const auto differ = [&](const std::string& one, const std::string& other, const std::string& need) {
    throw Error(ErrorKind::kMismatch, distorted.name + " is " + one + " and " + reference.name + " is " + other +
                                          "; psnr needs " + need + ".");
  };
  if (distorted.width != reference.width || distorted.height != reference.height) {
    differ(size_text(distorted), size_text(reference), "videos of one size");
  }
  if (options.chroma && distorted.chroma != reference.chroma) {
    differ(std::string(to_string(distorted.chroma)), std::string(to_string(reference.chroma)),
           "chroma of one sampling, or enable_chroma=false");
  }
}

}  // namespace

PsnrPlan make_plan(const PsnrOptions& options, const InputFormats& formats) {
  if (!formats.reference) throw Error(ErrorKind::kUsage, "psnr compares a video with its reference, and there is none");
  const VideoFormat &distorted = formats.distorted, &reference = *formats.reference;
  check_alike(options, distorted, reference);
  PsnrPlan plan;
  plan.options = options;
  plan.planes = compared_planes(options, plane_count(distorted.chroma));
  for (int i = 0; i < plan.planes; ++i) {
    plan.sizes[static_cast<size_t>(i)] = plane_size({distorted.width, distorted.height}, distorted.chroma, i);
  }
  plan.bit_depth = std::max(distorted.bit_depth, reference.bit_depth);
  plan.distorted_shift = plan.bit_depth - distorted.bit_depth;
  plan.reference_shift = plan.bit_depth - reference.bit_depth;
  return plan;
}

FrameResult frame_result(const PsnrPlan& plan, std::span<const PlaneError> planes) {
  FrameResult result = {.values = Scorer(plan.options, plan.bit_depth).frame_scores(planes)};
  if (!plan.options.apsnr) return result;
  for (const PlaneError& plane : planes) {
    const double upper = static_cast<double>(plane.squared >> 32);
    const double lower = static_cast<double>(plane.squared & 0xFFFFFFFF);
    result.tallies.insert(result.tallies.end(), {upper, lower, static_cast<double>(plane.samples)});
  }
  return result;
}

std::vector<std::pair<std::string, double>> aggregates(const PsnrPlan& plan, std::span<const double> totals) {
  std::array<TotalError, kPlaneNames.size()> planes;
  for (size_t i = 0; kTallies * (i + 1) <= totals.size() && i < planes.size(); ++i) {
    const std::span<const double> plane = totals.subspan(kTallies * i, kTallies);
    planes[i].squared = static_cast<ExactSum>(plane[0]) * static_cast<ExactSum>(kUpperUnit) + static_cast<ExactSum>(plane[1]);
    planes[i].samples = static_cast<int64_t>(plane[2]);
  }
  const std::vector<std::string> names = aggregate_names(plan.options);
  const std::vector<double> values = Scorer(plan.options, plan.bit_depth).aggregates(planes);
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

}  // namespace vq::psnr
