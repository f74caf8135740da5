#include "feature/cambi/vulkan_picture.h"

namespace vq::cambi::gpu {

ScoredPicture::ScoredPicture(vulkan::Context& context, const CambiPlan& plan, bool with_values)
    : ScoredPicture(context, plan,
                    {.tiles = choose_tiles(plan, context.device()->info()), .with_values = with_values}) {}

ScoredPicture::ScoredPicture(vulkan::Context& context, const CambiPlan& plan, const ScoringChoice& choice)
    : plan_(plan),
      with_values_(choice.with_values),
      picture_(context, plan),
      scoring_(context, plan, choice.tiles, choice.method),
      excess_(context.device(), vulkan::Memory::kReadback, picture_.excess().bytes()) {}

void ScoredPicture::record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma) {
  picture_.record(recorder, luma, false);
  ScoringInput input{{}, &picture_.whole_mask()};
  for (int k = 0; k < kScales; ++k) input.images[static_cast<size_t>(k)] = &picture_.image(k);
  scoring_.record(recorder, input, with_values_);
  recorder.copy(picture_.excess(), excess_);
}

bool ScoredPicture::has_excess() const {
  return *excess_.mapped() != std::byte{0};
}

int64_t ScoredPicture::bytes(const CambiPlan& plan, bool with_values) {
  return Picture::bytes(plan) + Scoring::bytes(plan, with_values);
}

}  // namespace vq::cambi::gpu
