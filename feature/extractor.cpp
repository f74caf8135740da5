#include "feature/extractor.h"

#include <algorithm>

#include "core/error.h"
#include "feature/device_extractor.h"
#include "feature/host_extractor.h"

namespace vq {
namespace {

void check_backend(const FeatureInfo& info, Backend backend) {
  if (std::find(info.backends.begin(), info.backends.end(), backend) != info.backends.end()) return;
  throw Error(ErrorKind::kBackend, "the feature " + std::string(info.name) + " has no " +
                                       std::string(to_string(backend)) + " backend");
}

}  // namespace

// What is wrong with the inputs comes before what is wrong with the machine.
std::unique_ptr<FeatureExtractor> make_extractor(std::span<const FeatureRequest> features, const InputFormats& formats,
                                                 const Execution& execution) {
  for (const FeatureRequest& request : features) {
    if (request.info->check != nullptr) request.info->check(request.options, formats);
    check_backend(*request.info, execution.backend);
  }
  if (is_on_device(execution.backend)) return make_device_extractor(features, formats, execution);
  std::vector<HostPart> parts;
  for (const FeatureRequest& request : features) {
    parts.push_back({request.info->make(request.options, formats, execution_of(request, execution)),
                     needs_every_frame(request), request.info->metric_names(request.options).front()});
  }
  return make_host_extractor(std::move(parts), frame_use(features), execution);
}

size_t frames_in_flight(const Execution& execution) {
  return is_on_device(execution.backend) ? device_results(execution) : host_results(execution);
}

int64_t extractor_bytes(std::span<const FeatureRequest> features, const InputFormats& formats,
                        const Execution& execution) {
  const bool on_device = is_on_device(execution.backend);
  const auto slots = static_cast<int64_t>(on_device ? device_slots(execution) : 0);
  const auto results = static_cast<int64_t>(frames_in_flight(execution));
  int64_t bytes = on_device ? slots * upload_bytes(frame_use(features), formats) : 0;
  for (const FeatureRequest& request : features) {
    const FeatureMemory memory = request.info->memory(request.options, formats, execution_of(request, execution));
    bytes += memory.fixed * (on_device ? execution.devices.count : 1) + slots * memory.each_slot + results * memory.each_result;
  }
  return bytes;
}

}  // namespace vq
