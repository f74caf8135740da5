#include "feature/ciede/plan.h"

#include <cmath>

namespace vq::ciede {

CiedePlan make_plan(const InputFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  require_chroma(kFeatureName, formats);
  return {.videos = videos,
          .distorted = {videos.distorted_shift, chroma_shifts(formats.distorted.chroma)},
          .reference = {videos.reference_shift, chroma_shifts(formats.reference->chroma)}};
}

double score(const CiedePlan& plan, double sum_of_differences) {
  const double samples = static_cast<double>(plan.videos.size.width) * plan.videos.size.height;
  return 45 - 20 * std::log10(sum_of_differences / samples);
}

}  // namespace vq::ciede
