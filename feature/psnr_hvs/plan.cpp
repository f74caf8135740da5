#include "feature/psnr_hvs/plan.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "feature/compared_videos.h"

namespace vq::psnr_hvs {
namespace {

// With more the transform would leave 32 bits.
constexpr int kMostBits = 12;

void require_blocks(const VideoFormat& video, PlaneSize plane) {
  if (plane.width >= kBlockSide && plane.height >= kBlockSide) return;
  throw Error(ErrorKind::kMismatch, video.name + " has planes of " + std::to_string(plane.width) + "x" +
                                        std::to_string(plane.height) + "; psnr_hvs needs 8x8 at least.");
}

void require_depth(const VideoFormat& video) {
  if (video.bit_depth <= kMostBits) return;
  throw Error(ErrorKind::kMismatch, video.name + " has " + std::to_string(video.bit_depth) +
                                        " bits; psnr_hvs takes 12 at most.");
}

double decibels(double error) {
  return 10 * -std::log10(error);
}

}  // namespace

PsnrHvsPlan make_plan(const InputFormats& formats) {
  constexpr std::string_view kFeature = "psnr_hvs";
  const ComparedVideos videos = compared_videos(kFeature, formats);
  require_chroma(kFeature, formats);
  require_same_chroma(kFeature, formats);
  for (const VideoFormat* video : {&formats.distorted, &*formats.reference}) require_depth(*video);
  PsnrHvsPlan plan{.bit_depth = videos.bit_depth,
                   .distorted_shift = videos.distorted_shift,
                   .reference_shift = videos.reference_shift};
  for (int i = 0; i < kMaxPlanes; ++i) {
    const auto at = static_cast<size_t>(i);
    plan.sizes[at] = plane_size(videos.size, formats.distorted.chroma, i);
    plan.weights[at] = weights_of(i);
    require_blocks(formats.distorted, plan.sizes[at]);
  }
  return plan;
}

std::vector<double> scores(const PsnrHvsPlan& plan, const std::array<float, kMaxPlanes>& sums) {
  const auto peak = static_cast<float>((1 << plan.bit_depth) - 1);
  std::array<double, kMaxPlanes> errors;
  for (size_t i = 0; i < sums.size(); ++i) {
    const PlaneSize size = plan.sizes[i];
    const int64_t count = int64_t{blocks_along(size.width)} * blocks_along(size.height) * kBlockSamples;
    errors[i] = static_cast<double>(sums[i] / static_cast<float>(count) / (peak * peak));
  }
  const double all = errors[0] * 0.8 + 0.1 * (errors[1] + errors[2]);
  return {decibels(errors[0]), decibels(errors[1]), decibels(errors[2]), decibels(all)};
}

}  // namespace vq::psnr_hvs
