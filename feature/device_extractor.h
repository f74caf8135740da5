// Features on Vulkan devices. Several frames are in flight on each device, each in a slot: its planes are
// uploaded once for all features, whose passes are submitted together.
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

// On the open devices of Execution::devices, which are checked. Throws Error{kBackend} if one could not be
// opened or fails its start-up check. Needs: FeatureInfo::check did not throw, and the devices can run the
// features.
std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest> features,
                                                        const VideoFormats& formats,
                                                        const Execution& execution);

// The same on open devices, at least one. Throws Error{kBackend}.
std::unique_ptr<FeatureExtractor> make_device_extractor_on(std::vector<DeviceRun> runs,
                                                           const VideoFormats& formats,
                                                           const Execution& execution);

// Maximum number of frames and results at a time, over all devices.
size_t device_slots(const Execution& execution);
size_t device_results(const Execution& execution);
// Bytes of the planes of one frame, on the host and on the device together.
int64_t upload_bytes(const FrameNeeds& use, const VideoFormats& formats);

}  // namespace vq
