#include "feature/cambi/vulkan_picture.h"

#include <algorithm>
#include <random>

#include "core/error.h"
#include "feature/cambi/driver.h"

namespace vq::cambi::gpu {
namespace {

constexpr std::chrono::seconds kCheckTimeout{60};

// Odd sizes of more than one tile.
constexpr int kCheckWidth = 333, kCheckHeight = 217;

// The check's own small plan, but with the shaders that `like` needs. Pooling takes all values of some scales
// and selects among those of others.
CambiPlan small_plan(const CambiPlan& like) {
  InputFormats formats;
  formats.distorted.width = kCheckWidth;
  formats.distorted.height = kCheckHeight;
  CambiPlan plan = make_plans({}, formats).distorted;
  plan.window = like.window;
  plan.half_window = like.half_window;
  plan.num_contrasts = like.num_contrasts;
  plan.contrasts = like.contrasts;
  plan.reciprocals = like.reciprocals;
  for (size_t k = 0; k < kScales; k += 2) plan.scales[k].topk_count = std::max<int64_t>(1, 1000 >> (2 * k));
  return plan;
}

// Bands a few levels apart, some of them noisy.
Plane<uint8_t> make_bands() {
  Plane<uint8_t> picture(kCheckWidth, kCheckHeight);
  std::minstd_rand random(11);
  for (int y = 0; y < kCheckHeight; ++y) {
    for (int x = 0; x < kCheckWidth; ++x) {
      const int band = (x + 2 * y) / 31;
      const int noise = band % 5 == 0 ? static_cast<int>(random() >> 8) % 2 : 0;
      picture.row(y)[x] = static_cast<uint8_t>(24 + band + noise);
    }
  }
  return picture;
}

}  // namespace

ScoredPicture::ScoredPicture(Kernels& kernels, const CambiPlan& plan, bool with_values)
    : ScoredPicture(kernels, plan,
                    {.tiles = choose_tiles(plan, kernels.device()->info()), .with_values = with_values}) {}

ScoredPicture::ScoredPicture(Kernels& kernels, const CambiPlan& plan, const ScoringChoice& choice)
    : plan_(plan),
      with_values_(choice.with_values),
      picture_(kernels, plan),
      scoring_(kernels, plan, choice.tiles, choice.method),
      excess_(kernels.device(), vulkan::Memory::kReadback, picture_.excess().bytes()) {}

void ScoredPicture::record(vulkan::Recorder& recorder) {
  picture_.record(recorder, false);
  ScoringInput input{{}, &picture_.whole_mask()};
  for (int k = 0; k < kScales; ++k) input.images[static_cast<size_t>(k)] = &picture_.image(k);
  scoring_.record(recorder, input, with_values_);
  recorder.copy(picture_.excess(), excess_);
}

bool ScoredPicture::has_excess() const {
  return *excess_.mapped() != std::byte{0};
}

int64_t ScoredPicture::bytes(const CambiPlan& plan, bool with_values) {
  const auto plane = [](int width, int height, int sample_bytes) {
    return Layout{width, height, sample_bytes}.bytes();
  };
  int64_t total = 2 * plane(plan.input_width, plan.input_height, plan.input_depth == 8 ? 1 : 2) +
                  plane(plan.width, plan.height, 2) + plane(plan.width, plan.height, 1);
  for (const ScalePlan& scale : plan.scales) {
    total += plane(scale.width, scale.height, 2) + plane(scale.width, scale.height, 1);
  }
  return total + Scoring::bytes(plan, with_values);
}

void check_scoring(Kernels& kernels, const CambiPlan& plan) {
  const CambiPlan small = small_plan(plan);
  const Plane<uint8_t> picture = make_bands();
  SampleView luma;
  luma.u8 = picture.view();
  ScoredPicture scored(kernels, small);
  vulkan::Recorder recorder(kernels.device());
  scored.record(recorder);
  vulkan::CommandList list = recorder.finish();
  scored.upload(luma);
  list.submit();
  list.wait(kCheckTimeout);

  Workspace workspace(CambiPlans{small, std::nullopt}, WorkspaceUse::kPictures);
  HeatmapPlanes none;
  if (score_picture(luma, small, scalar_stages(), workspace, none) == scored.sums()) return;
  throw Error(ErrorKind::kBackend, kernels.device()->label() +
                                       " failed the start-up check: it computes other scores than the CPU");
}

}  // namespace vq::cambi::gpu
