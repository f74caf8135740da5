// Whether a GPU or the CPU of this machine is faster at what a run does.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq::cli {

// Frames a second.
struct Speeds {
  double cpu = 0, gpu = 0;
  // A GPU leaves the CPU's threads to the decoders, so it need be no faster.
  bool gpu_is_better() const { return gpu >= cpu; }
};

// What is to be decided. All of it lives as long as the question.
struct SpeedQuestion {
  std::span<const FeatureRequest> features;
  const InputFormats& formats;
  const Execution& on_gpu;  // that the device is to have
  const vulkan::DeviceInfo& device;
  // By trying; throws as frame_rate().
  std::function<double(const Execution&)> rate;
  std::optional<std::filesystem::path> cache_folder = vulkan::default_cache_folder();
};

// What was found when this machine was last asked the same of a video like this, or what is found now. Answers are kept in the
// folder, one file for each device, driver, CPU, number of threads, version of this program, set of metrics, depth and size,
// whose power of two counts. One that is missing, damaged or of other circumstances is measured anew, and one that cannot be
// written is lost. Throws what measuring throws.
Speeds speeds_of(const SpeedQuestion& question);

// "using NVIDIA H200: 14 times as fast as the CPU here (--backend cpu uses the CPU)", or the same of the CPU.
std::string speed_note(const Speeds& speeds, const std::string& device);

// What the answer depends on, for tests.
std::string circumstances(const SpeedQuestion& question);

}  // namespace vq::cli
