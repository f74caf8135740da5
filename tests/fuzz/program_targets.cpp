#include "tests/fuzz/target.h"

namespace vq::fuzz {

std::span<const Target> targets() {
  static const std::vector<Target> kTargets = [] {
    std::vector<Target> all = {
        {"arguments", run_arguments}, {"models", run_models},           {"plan", run_plan},
        {"report", run_report},       {"report_text", run_report_text}, {"shard", run_shard},
        {"video", run_video},
    };
    const std::span<const Target> of_features = feature_targets();
    all.insert(all.end(), of_features.begin(), of_features.end());
    return all;
  }();
  return kTargets;
}

}  // namespace vq::fuzz
