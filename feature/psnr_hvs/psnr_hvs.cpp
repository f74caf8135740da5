#include "feature/psnr_hvs/psnr_hvs.h"

namespace vq::psnr_hvs {
namespace {

struct Workspace : Bands {
  explicit Workspace(const PsnrHvsPlan& plan) : Bands(plan.sizes[0].width) {}
};

class PsnrHvsHost final : public WorkspaceHost<PsnrHvsPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto bands = workspaces_.take();
    std::array<float, kMaxPlanes> sums;
    for (size_t i = 0; i < sums.size(); ++i) {
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      sums[i] = stages_.error_sum(reference, distorted, plan_.weights[i], *bands);
    }
    return {.values = scores(plan_, sums)};
  }
};

constexpr MetricInfo psnr_hvs_of(std::string_view name, std::string_view title, bool is_detail) {
  return {
      .name = name,
      .title = title,
      .unit = "dB",
      .subject = "distortion",
      .better = Better::kHigher,
      .flawless = std::numeric_limits<double>::infinity(),
      .usual_top = 60,
      .explanation =
          "How little of the difference from the reference is seen, in decibels: errors count by how well "
          "the eye resolves their detail, and less where the picture's own detail hides them.",
      .is_unbounded = true,
      .is_detail = is_detail};
}
constexpr MetricInfo kMetrics[] = {
    psnr_hvs_of("psnr_hvs_y", "PSNR-HVS of luma", true), psnr_hvs_of("psnr_hvs_cb", "PSNR-HVS of Cb", true),
    psnr_hvs_of("psnr_hvs_cr", "PSNR-HVS of Cr", true), psnr_hvs_of("psnr_hvs", "PSNR-HVS", false)};

// The tables are symmetric: the upper triangle, row by row.
constexpr size_t kTriangle = kBlockSide * (kBlockSide + 1) / 2;
// Sensitivities by Xiph, as the reference implementation has them.
constexpr float kContrast[3][kTriangle] = {
    {1.6193873005F,   2.2901594831F,   2.08509755623F,  1.48366094411F,  1.00227514334F,  0.678296995242F,
     0.466224900598F, 0.3265091542F,   1.94321815382F,  2.04793073064F,  1.68731108984F,  1.2305666963F,
     0.868920337363F, 0.61280991668F,  0.436405793551F, 1.34329019223F,  1.09205635862F,  0.875748795257F,
     0.670882927016F, 0.501731932449F, 0.372504254596F, 0.772819797575F, 0.605636379554F, 0.48309405692F,
     0.380429446972F, 0.295774038565F, 0.448996256676F, 0.352889268808F, 0.283006984131F, 0.226951348204F,
     0.27032073436F,  0.215017739696F, 0.17408067321F,  0.168869545842F, 0.136153931001F, 0.109083846276F},
    {1.91113096927F,  2.46074210438F,  1.18284184739F,  1.14982565193F,  1.05017074788F,  0.898018824055F,
     0.74725392039F,  0.615105596242F, 1.58529308355F,  1.21363250036F,  1.38190029285F,  1.33100189972F,
     1.17428548929F,  0.996404342439F, 0.830890433625F, 0.978712413627F, 1.02624506078F,  1.03145147362F,
     0.960060382087F, 0.849823426169F, 0.731221236837F, 0.861317501629F, 0.801821139099F, 0.751437590932F,
     0.685398513368F, 0.608694761374F, 0.676555426187F, 0.605503172737F, 0.55002013668F,  0.495804539034F,
     0.514674450957F, 0.454353482512F, 0.407050308965F, 0.389234902883F, 0.342353999733F, 0.295530605237F},
    {2.03871978502F,  2.62502345193F,  1.26180942886F,  1.11019789803F,  1.01397751469F,  0.867069376285F,
     0.721500455585F, 0.593906509971F, 1.69112867013F,  1.17180569821F,  1.3342742857F,   1.28513006198F,
     1.13381474809F,  0.962064122248F, 0.802254508198F, 0.944981930573F, 0.990876405848F, 0.995903384143F,
     0.926972725286F, 0.820534991409F, 0.706020324706F, 0.831632933426F, 0.77418706195F,  0.725539939514F,
     0.661776842059F, 0.587716619023F, 0.653238524286F, 0.584635025748F, 0.531064164893F, 0.478717061273F,
     0.496936637883F, 0.438694579826F, 0.393021669543F, 0.375820256136F, 0.330555063063F, 0.285345396658F}};
constexpr double kMaskingScale = 0.3885746225901003;

// With more the transform would leave 32 bits.
constexpr int kMostBits = 12;

void require_blocks(const VideoFormat& video, PlaneSize plane) {
  if (plane.width >= kBlockSide && plane.height >= kBlockSide) return;
  throw Error(ErrorKind::kMismatch, "{} has planes of {}; psnr_hvs needs 8x8 at least.", video.name,
              size_text(plane));
}

void require_depth(const VideoFormat& video) {
  if (video.bit_depth <= kMostBits) return;
  throw Error(ErrorKind::kMismatch, "{} has {} bits; psnr_hvs takes 12 at most.", video.name,
              video.bit_depth);
}

double decibels(double error) { return 10 * -std::log10(error); }

// Halved, towards zero.
int32_t half(int32_t a) { return (a + (a < 0 ? 1 : 0)) >> 1; }

// (factor * t + half a unit) >> bits: a lifting step.
template <int factor, int bits>
int32_t lift(int32_t t) {
  return (factor * t + (1 << (bits - 1))) >> bits;
}

// Eight numbers `step` apart.
void transform_eight(int32_t* x, int step) {
  int32_t t0 = x[0], t4 = x[step], t2 = x[2 * step], t6 = x[3 * step], t7 = x[4 * step], t3 = x[5 * step],
          t5 = x[6 * step], t1 = x[7 * step];
  t1 = t0 - t1;
  const int32_t u1 = half(t1);
  t0 -= u1;
  t4 += t5;
  const int32_t u4 = half(t4);
  t5 -= u4;
  t3 = t2 - t3;
  t2 -= half(t3);
  t6 += t7;
  const int32_t u6 = half(t6);
  t7 = u6 - t7;
  t0 += u6;
  t6 = t0 - t6;
  t2 = u4 - t2;
  t4 = t2 - t4;
  t0 -= lift<13573, 15>(t4);
  t4 += lift<11585, 14>(t0);
  t0 -= lift<13573, 15>(t4);
  t6 -= lift<21895, 15>(t2);
  t2 += lift<15137, 14>(t6);
  t6 -= lift<21895, 15>(t2);
  t3 += lift<19195, 15>(t5);
  t5 += lift<11585, 14>(t3);
  t3 -= lift<7489, 13>(t5);
  t7 = half(t5) - t7;
  t5 -= t7;
  t3 = u1 - t3;
  t1 -= t3;
  t7 += lift<3227, 15>(t1);
  t1 -= lift<6393, 15>(t7);
  t7 += lift<3227, 15>(t1);
  t5 += lift<2485, 13>(t3);
  t3 -= lift<18205, 15>(t5);
  t5 += lift<2485, 13>(t3);
  const int32_t out[] = {t0, t1, t2, t3, t4, t5, t6, t7};
  for (int i = 0; i < kBlockSide; ++i) x[i * step] = out[i];
}

// So that the blocks of whole vectors lie within: those behind the last one are of zeros, or of what was
// there before.
constexpr int kSpareBlocks = static_cast<int>(kRowGuardBytes / sizeof(int32_t));

int band_width(int width) { return width + kSpareBlocks * kBlockStep + kBlockSide; }

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<PsnrHvs, PsnrHvsHost>({
      .name = "psnr_hvs",
      .summary = "PSNR of the visible differences from the reference, in dB (PSNR-HVS-M)",
      .publication = {.citation =
                          "N. Ponomarenko, F. Silvestri, K. Egiazarian, M. Carli, J. Astola, V. Lukin: On "
                          "between-coefficient contrast masking of DCT basis functions. VPQM 2007"},
      .metrics = kMetrics,
  });
  return kInfo;
}

Weights weights_of(int plane) {
  Weights weights;
  const float* next = kContrast[plane];
  for (int i = 0; i < kBlockSide; ++i) {
    for (int j = i; j < kBlockSide; ++j) {
      const float contrast = *next++;
      const double scaled = static_cast<double>(contrast) * kMaskingScale;
      for (const int at : {kBlockSide * i + j, kBlockSide * j + i}) {
        weights.contrast[at] = contrast;
        weights.masking[at] = static_cast<float>(scaled * scaled);
      }
    }
  }
  return weights;
}

PsnrHvsPlan PsnrHvs::make_plan(const Options&, const VideoFormats& formats) {
  constexpr std::string_view kFeature = "psnr_hvs";
  PsnrHvsPlan plan{compared_videos(kFeature, formats)};
  require_chroma(kFeature, formats);
  require_same_chroma(kFeature, formats);
  for (const VideoFormat* video : {&formats.distorted, &*formats.reference}) require_depth(*video);
  for (int i = 0; i < kMaxPlanes; ++i) {
    const auto at = static_cast<size_t>(i);
    plan.sizes[at] = plane_size(formats.distorted, i);
    plan.weights[at] = weights_of(i);
    require_blocks(formats.distorted, plan.sizes[at]);
  }
  return plan;
}

std::vector<double> scores(const PsnrHvsPlan& plan, const std::array<float, kMaxPlanes>& sums) {
  const auto peak = static_cast<float>((1 << plan.bit_depth) - 1);
  std::array<double, kMaxPlanes> errors;
  for (size_t i = 0; i < sums.size(); ++i) {
    const PlaneSize size = plan.sizes[i];
    const int64_t count = int64_t{blocks_along(size.width)} * blocks_along(size.height) * kBlockSamples;
    errors[i] = static_cast<double>(sums[i] / static_cast<float>(count) / (peak * peak));
  }
  const double all = errors[0] * 0.8 + 0.1 * (errors[1] + errors[2]);
  return {decibels(errors[0]), decibels(errors[1]), decibels(errors[2]), decibels(all)};
}

// The integer transform of one block.

void transform(int32_t* block) {
  for (int column = 0; column < kBlockSide; ++column) transform_eight(block + column, kBlockSide);
  for (int row = 0; row < kBlockSide; ++row) transform_eight(block + kBlockSide * row, 1);
}

Bands::Bands(int width) {
  for (Plane<int32_t>& band : bands_) band = Plane<int32_t>(band_width(width), kBlockSide);
}

}  // namespace vq::psnr_hvs
