// The c-values of all scales of a picture and their pooling on a Vulkan device. The shaders are
// shaders/cambi/c_values*.comp and shaders/cambi/pool_*.comp.
#pragma once

#include <array>
#include <string>

#include "feature/cambi/stages.h"
#include "feature/cambi/vulkan_tiles.h"

namespace vq::cambi::gpu {

// What the device makes c-values from: the images of all scales, mode-filtered, and the mask at the encode
// size.
struct ScoringInput {
  std::array<const vulkan::DevicePlane*, kScales> images;
  const vulkan::DevicePlane* mask = nullptr;
};

// Why a device cannot run the shaders of c-values and pooling, whatever the plan; empty where it can.
std::string unsupported_by_scoring(const vulkan::DeviceInfo& device);

class Scoring {
 public:
  // How c-values are computed: level by level in tiles, or by looking at every sample of every window, which
  // is the yardstick.
  enum class Method { kTiles, kScan };

  // Throws Error{kBackend}. The plan must outlive this.
  Scoring(vulkan::Context& context, const CambiPlan& plan, const CValueTiles& tiles, Method method = Method::kTiles);
  Scoring(vulkan::Context& context, const CambiPlan& plan)
      : Scoring(context, plan, choose_tiles(plan, context.device()->info())) {}

  // Records everything up to the sums, and where `with_values` is set their reading back as well. Stages are
  // named as in the report.
  void record(vulkan::Recorder& recorder, const ScoringInput& input, bool with_values = false);

  // Valid after the recording has run.
  std::array<ExactSum, kScales> sums() const;
  // Only where values were read back.
  CValuesIn values(int scale) const;
  int64_t bytes_read() const { return read_sums_.bytes() + read_values_.bytes(); }

  // What the constructor allocates.
  static int64_t bytes(const CambiPlan& plan, bool with_values);

 private:
  void record_c_values(vulkan::Recorder& recorder);
  void record_pooling(vulkan::Recorder& recorder);
  void record_values(vulkan::Recorder& recorder);

  vulkan::Context& context_;
  const CambiPlan& plan_;
  const CValueTiles tiles_;
  const Method method_;
  std::array<ScaleGeometry, kScales> scales_;
  const vulkan::Buffer &geometry_, &contrasts_, &reciprocals_;
  vulkan::Buffer levels_, planes_, sets_;
  std::array<vulkan::Buffer, 3> values_;  // upper and lower half of the finest scale; the rest
  vulkan::Buffer sums_, histograms_;
  vulkan::Buffer read_sums_, read_values_;
};

}  // namespace vq::cambi::gpu
