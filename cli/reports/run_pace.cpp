#include "cli/reports/run_pace.h"

#include <algorithm>

#include "feature/feature.h"

namespace vq::cli {
namespace {

// Hardware hands pictures over that it still decodes, so nobody waits for a frame: the device does, within its work.
// Such decoders are told with what they decode by: "hevc (cuda)".
bool any_on_hardware(const RunFacts& run) {
  return std::any_of(run.inputs.begin(), run.inputs.end(),
                     [](const InputFacts& input) { return input.decoder.find(" (") != std::string::npos; });
}

}  // namespace

std::string_view to_string(WorkPart part) {
  switch (part) {
    case WorkPart::kDecoding:
      return "decoding";
    case WorkPart::kUploading:
      return "uploading";
    case WorkPart::kDevice:
      return "device";
    case WorkPart::kHost:
      return "host";
  }
  return "unknown";
}

std::vector<PartPace> part_paces(const RunFacts& run) {
  if (!run.pace || run.pace->frames == 0) return {};
  std::vector<PartPace> paces;
  const auto add = [&](WorkPart part, double seconds) {
    if (seconds > 0) paces.push_back({part, seconds, static_cast<double>(run.pace->frames) / seconds});
  };
  double uploading = 0, device = 0, host = 0;
  for (const StageFacts& stage : run.stages) {
    double& sum = !stage.on_device ? host : stage.name == kUploadStage ? uploading : device;
    sum += stage.milliseconds * 1e-3;
  }
  add(WorkPart::kDecoding, run.pace->decoding_seconds);
  add(WorkPart::kUploading, uploading);
  add(WorkPart::kDevice, device);
  add(WorkPart::kHost, host / std::max(run.threads, 1));
  return paces;
}

std::optional<WorkPart> limit_of(const RunFacts& run) {
  std::vector<PartPace> paces = part_paces(run);
  if (paces.empty()) return std::nullopt;
  const double half = run.pace->seconds / 2;
  if (run.pace->waiting_seconds > half) return WorkPart::kDecoding;
  // Decoders that share the cores with all else are at work as long as that, and hold up nothing.
  std::erase_if(paces, [](const PartPace& pace) { return pace.part == WorkPart::kDecoding; });
  const auto longest = std::max_element(paces.begin(), paces.end(),
                                        [](const PartPace& a, const PartPace& b) { return a.seconds < b.seconds; });
  if ((longest == paces.end() || longest->seconds < half) && any_on_hardware(run)) return WorkPart::kDecoding;
  if (longest == paces.end()) return std::nullopt;
  return longest->part;
}

}  // namespace vq::cli
