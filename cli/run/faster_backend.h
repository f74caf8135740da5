// Whether a GPU or the CPU of this machine is faster at what a run does.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/backend_pace.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq::cli {

// How a run may go: on the CPU, on the GPU with what decodes for it, or there while the CPU decodes.
enum class Way { kCpu, kGpu, kGpuAndSoftware };
inline constexpr size_t kWays = 3;

struct Speeds {
  Pace cpu, gpu;
  // Of one decoder in software, and of one as the GPU's run has them.
  DecodingPace software = {}, beside_gpu = {};
  // Seconds that a frame took in the last long run of each way, which count for more than what is put
  // together from the above; 0: there was none.
  std::array<double, kWays> seen = {};
  int threads = 1;               // of the run
  bool gpu_decodes = false;      // hardware decodes for the GPU's run
  bool may_use_software = true;  // there, if that is faster

  // For a video; where its length is not known, for a long one.
  double seconds(Way way, std::optional<int64_t> frames) const;
  Way best_on_gpu(std::optional<int64_t> frames) const;
  // How many times as long as the GPU the CPU takes.
  double advantage_of_gpu(std::optional<int64_t> frames) const;
  // A GPU leaves the CPU's threads to the decoders, so it need be no faster.
  bool gpu_is_better(std::optional<int64_t> frames) const { return advantage_of_gpu(frames) >= 1; }
};

// What is to be decided. All of it lives as long as the question.
struct SpeedQuestion {
  std::span<const FeatureRequest> features;
  const VideoFormats& formats;
  const Execution& on_gpu;  // that the device is to have
  const vulkan::DeviceInfo& device;
  std::optional<int64_t> frames;  // to be scored, as far as that is known
  // By trying; throws as measure_pace().
  std::function<Pace(const Execution&)> pace;
  // The same of decoding the run's videos, as a run with this backend does; null: it does not count.
  std::function<DecodingPace(Backend)> decoding = {};
  std::string codecs = {};                                 // of the videos
  bool gpu_decodes = false, may_use_software = true;       // see Speeds
  std::optional<std::filesystem::path> cache_folder = {};  // none: measured anew
};

// What was found when this machine was last asked the same of a video like this, whatever its length, or what
// is found now. Answers are kept in the folder, one file for each device, driver, CPU, number of threads,
// version of this program, set of metrics, depth and size, whose power of two counts. One that is missing,
// damaged or of other circumstances is measured anew, and one that cannot be written is lost. Throws what
// measuring throws.
Speeds speeds_of(const SpeedQuestion& question);

// How a run goes, and where it is remembered what that takes.
struct Decision {
  Way way = Way::kCpu;
  bool by_hardware = false;  // hardware decodes
  std::string key = {};
  std::filesystem::path file = {};  // empty: nothing is remembered
};
Decision decide(const SpeedQuestion& question, const Speeds& speeds);

// Remembers what a frame took, for those who ask the same later. `seconds`: from the first frame that was
// asked for to the last score. Runs of few frames say little, and are not remembered.
void remember_run(const Decision& decision, double seconds, int64_t frames);

// "using NVIDIA H200: 14 times as fast as the CPU here (--backend cpu uses the CPU)", or the same of the CPU.
std::string speed_note(const Speeds& speeds, std::optional<int64_t> frames, const std::string& device);

// What the answer depends on, for tests.
std::string circumstances(const SpeedQuestion& question);

}  // namespace vq::cli
