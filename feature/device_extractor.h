// Features on Vulkan devices: several frames in flight on each, each in a slot where its planes are uploaded
// once for all features and their passes are one submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/frame.h"
#include "feature/feature.h"

namespace vq {

struct DeviceRun;

// Takes or opens Execution::devices and checks them. Throws Error: kUsage where the selector means none,
// kBackend where there is none, one cannot be used, or fails its start-up check. Needs: FeatureInfo::check
// did not throw.
std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest> features,
                                                        const VideoFormats& formats,
                                                        const Execution& execution);

// The same on devices that are open; at least one. Throws Error{kBackend}.
std::unique_ptr<FeatureExtractor> make_device_extractor_on(std::vector<DeviceRun> runs,
                                                           const VideoFormats& formats,
                                                           const Execution& execution);

// Frames and results there can be at a time, on all devices.
size_t device_slots(const Execution& execution);
size_t device_results(const Execution& execution);
// What the planes of one frame take, on the host and on the device.
int64_t upload_bytes(const FrameNeeds& use, const VideoFormats& formats);

}  // namespace vq
