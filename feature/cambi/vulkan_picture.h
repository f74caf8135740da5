// A picture on its way through all stages on the device, from its luma to five sums.
#pragma once

#include "feature/cambi/stages.h"
#include "feature/cambi/vulkan_scoring.h"

namespace vq::cambi::gpu {

// How c-values are made, and whether they are read back.
struct ScoringChoice {
  CValueTiles tiles;
  Scoring::Method method = Scoring::Method::kTiles;
  bool with_values = false;
};

class ScoredPicture {
 public:
  // Throws Error{kBackend}. The plan must outlive this.
  ScoredPicture(vulkan::Context& context, const CambiPlan& plan, const ScoringChoice& choice);
  ScoredPicture(vulkan::Context& context, const CambiPlan& plan, bool with_values = false);

  void record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma);

  // Valid after the recording has run.
  bool has_excess() const;  // whether a luma sample exceeds its depth's maximum
  std::array<ExactSum, kScales> sums() const { return scoring_.sums(); }
  CValuesIn values(int scale) const { return scoring_.values(scale); }

  const CambiPlan& plan() const { return plan_; }
  int64_t bytes_read() const { return scoring_.bytes_read() + excess_.bytes(); }
  // What the constructor allocates, in bytes.
  static int64_t bytes(const CambiPlan& plan, bool with_values);

 private:
  const CambiPlan& plan_;
  const bool with_values_;
  Picture picture_;
  Scoring scoring_;
  vulkan::Buffer excess_;
};

}  // namespace vq::cambi::gpu
