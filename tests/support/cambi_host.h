// CAMBI alone on the CPU, from options as numbers.
#pragma once

#include "feature/cambi/cambi.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"

namespace vq::test {

inline std::unique_ptr<FeatureExtractor> make_on_host(const cambi::CambiOptions& options,
                                                      const VideoFormats& formats,
                                                      const Execution& execution) {
  std::vector<HostPart> parts;
  parts.push_back({cambi::make_host_feature(cambi::make_plans(options, formats), execution)});
  return make_host_extractor(std::move(parts), {.planes = 1, .reference = options.full_ref}, formats,
                             execution);
}

// CAMBI alone on an open device, from options as numbers.

inline std::unique_ptr<FeatureExtractor> make_on_devices(
    const std::vector<std::shared_ptr<vulkan::Device>>& devices, const cambi::CambiOptions& options,
    const VideoFormats& formats, const Execution& execution) {
  std::vector<DeviceRun> runs;
  for (const std::shared_ptr<vulkan::Device>& device : devices) {
    DeviceRun& run = runs.emplace_back();
    run.context = std::make_shared<vulkan::Context>(device);
    run.parts.push_back(
        {cambi::make_device_feature(cambi::make_plans(options, formats), execution, *run.context), "cambi"});
    run.use.reference = options.full_ref;
  }
  return make_device_extractor_on(std::move(runs), formats, execution);
}

inline std::unique_ptr<FeatureExtractor> make_on_device(const std::shared_ptr<vulkan::Device>& device,
                                                        const cambi::CambiOptions& options,
                                                        const VideoFormats& formats,
                                                        const Execution& execution) {
  return make_on_devices({device}, options, formats, execution);
}

}  // namespace vq::test
