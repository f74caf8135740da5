// How fast features are with one backend, by trying.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/request.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {

// Time that a backend takes for a run.
struct Pace {
  double start = 0;  // seconds: what the run takes beside its frames at their rate
  double rate = 0;   // frames a second, once all memory is in place and as many frames are in flight as the
                     // backend keeps

  double seconds(int64_t frames) const { return start + static_cast<double>(frames) / rate; }
};

// Time that one decoder takes for the videos of a run, one after the other.
struct DecodingPace {
  double start = 0;  // seconds until the first frames are there
  double each = 0;   // seconds for a frame of each video; 0: not known
};

// The pace for frames of these formats, from memory: of a picture made up here, with bands and noise. Takes
// some tenths of a second, or as long as the frames that the backend keeps in flight take twice. Throws as
// make_extractor() and what scoring throws.
Pace measure_pace(std::span<const FeatureRequest> features, const VideoFormats& formats,
                  const Execution& execution);

// Whether a GPU or the CPU of this machine is faster at what a run does.

// How a run may go: on the CPU, on the GPU with what decodes for it, or there while the CPU decodes.
enum class Way { kCpu, kGpu, kGpuAndSoftware };
inline constexpr size_t kWays = 3;

struct Speeds {
  Pace cpu, gpu;
  // One decoder in software, and one as the GPU's run has them.
  DecodingPace software = {}, beside_gpu = {};
  // Seconds that a frame took in the last long run of each way, which count for more than what is put
  // together from the above; 0: there was none.
  std::array<double, kWays> seen = {};
  int threads = 1;               // of the run
  bool gpu_decodes = false;      // hardware decodes for the GPU's run
  bool may_use_software = true;  // there, if that is faster

  // For a video; if its length is not known, for a long one.
  double seconds(Way way, std::optional<int64_t> frames) const;
  Way best_on_gpu(std::optional<int64_t> frames) const;
  // How many times as long as the GPU the CPU takes.
  double advantage_of_gpu(std::optional<int64_t> frames) const;
  // A GPU leaves the CPU's threads to the decoders, so it need be no faster.
  bool gpu_is_better(std::optional<int64_t> frames) const { return advantage_of_gpu(frames) >= 1; }
};

// Speeds that were measured earlier, kept wherever the program that computes has a place for them.
class SpeedMemory {
 public:
  virtual ~SpeedMemory() = default;
  // The speeds that were kept last for exactly this key; nothing if there are none, or damaged ones. Of them
  // the members behind `seen` are not kept. Neither function throws.
  virtual std::optional<Speeds> recall(const std::string& key) const = 0;
  // Keeps the speeds for the key, if that is possible.
  virtual void keep(const std::string& key, const Speeds& speeds) = 0;
};

// The facts for the decision. All of them outlive the question.
struct SpeedQuestion {
  std::span<const FeatureRequest> features;
  const VideoFormats& formats;
  const Execution& on_gpu;  // that the device is to have
  const vulkan::DeviceInfo& device;
  std::optional<int64_t> frames;  // number to be scored, if known
  // Measures; throws as measure_pace().
  std::function<Pace(const Execution&)> pace;
  // Measures decoding of the run's videos, as a run with this backend does it; null: it does not count.
  std::function<DecodingPace(Backend)> decoding = {};
  std::string codecs = {};                            // of the videos
  bool gpu_decodes = false, may_use_software = true;  // see Speeds
  SpeedMemory* memory = nullptr;                      // null: speeds are measured anew
};

// Everything that the answer depends on, and so the key in the memory: device, driver, number of threads,
// features, depths and sizes, whose power of two counts. The CPU and the version of the program are up to the
// memory.
std::string circumstances(const SpeedQuestion& question);

// The speeds that the memory has for the question's circumstances; if it has none, measures and keeps them,
// also for remembered_speeds(). Throws what measuring throws.
Speeds speeds_of(const SpeedQuestion& question);

// For callers whose frames come from memory, and who must not measure: what the memory knows of the question
// without its videos. Speeds for as many threads count first, then those for one thread a core, of which the
// CPU's is divided. Nothing if it has neither.
std::optional<Speeds> remembered_speeds(const SpeedQuestion& question);

// How a run goes, and under which key its speed is kept.
struct Decision {
  Way way = Way::kCpu;
  bool by_hardware = false;  // hardware decodes
  std::string key = {};
};
Decision decide(const SpeedQuestion& question, const Speeds& speeds);

// Keeps what a frame took, if speeds were kept for the decision. `seconds`: from the first frame that was
// asked for to the last score. Runs of few frames say little, and are not kept.
void remember_run(const Decision& decision, SpeedMemory& memory, double seconds, int64_t frames);

// "using NVIDIA H200: 14 times as fast as the CPU here", or the same of the CPU. Advice: the other backend.
Diagnostic speed_note(const Speeds& speeds, std::optional<int64_t> frames, const std::string& device);

// Measured speeds of this machine's devices and CPU, kept from run to run.

// One file in a folder for each CPU, version of this program and key. One that is missing, damaged or of
// another key counts as absent, and one that cannot be written is lost.
class SpeedFiles final : public SpeedMemory {
 public:
  explicit SpeedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::optional<Speeds> recall(const std::string& key) const override;
  void keep(const std::string& key, const Speeds& speeds) override;

 private:
  std::filesystem::path file_of(const std::string& whole_key) const;

  std::filesystem::path folder_;
};

}  // namespace vq
