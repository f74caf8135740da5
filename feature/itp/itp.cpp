#define HWY_TARGET_INCLUDE "feature/itp/itp.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/itp/itp.h"
#include "feature/light/powers-inl.h"

#if HWY_ONCE
namespace vq::itp {

const PqTable& pq_table() {
  static const PqTable kTable = [] {
    PqTable table;
    for (uint32_t i = 0; i < kPqSteps; ++i) {
      const double light = std::bit_cast<float>(kLeastLightBits + (i << kPqShift));
      table[i] = static_cast<float>(light::pq_of_light(std::min(light, double{kMostLight})));
    }
    return table;
  }();
  return kTable;
}

constexpr uint32_t kLowBits = (1U << kPqShift) - 1;

using Row = std::array<float, 3>;

static float pq_of(const PqTable& table, const Row& row, const Row& rgb) {
  const float x = std::max((row[0] * rgb[0] + row[1] * rgb[1]) + row[2] * rgb[2], 0.0F);
  if (x < kLeastLight) return kPqOfDarkness;
  const uint32_t bits = std::bit_cast<uint32_t>(std::min(x, kMostLight)) - kLeastLightBits;
  const float low = table[bits >> kPqShift], high = table[(bits >> kPqShift) + 1];
  return low + static_cast<float>(bits & kLowBits) * 0x1p-15F * (high - low);
}

static float root(float z) {
  if (z < kLeastSquare) return 0;
  auto r = std::bit_cast<float>(kRootStart - (std::bit_cast<uint32_t>(z) >> 1));
  const float half = 0.5F * z;
  for (int i = 0; i < 3; ++i) r = r * (1.5F - half * (r * r));
  return z * r;
}

static uint64_t squared_error(float first, float second) {
  const auto code = [](float pq) { return static_cast<int64_t>(pq * kPqPeak + 0.5F); };
  const int64_t difference = code(first) - code(second);
  return static_cast<uint64_t>(difference * difference);
}

PqErrors scalar::differences(const Compared& rows, int width, uint32_t* out) {
  const PqTable& table = pq_table();
  PqErrors errors;
  for (int x = 0; x < width; ++x) {
    const Row first = {rows.first.r[x], rows.first.g[x], rows.first.b[x]},
              second = {rows.second.r[x], rows.second.g[x], rows.second.b[x]};
    std::array<float, kRows> of_first, of_second;
    for (size_t k = 0; k < kRows; ++k) {
      of_first[k] = pq_of(table, rows.first_matrices[k], first);
      of_second[k] = pq_of(table, rows.second_matrices[k], second);
    }
    const float l = of_first[kLms] - of_second[kLms], m = of_first[kLms + 1] - of_second[kLms + 1],
                s = of_first[kLms + 2] - of_second[kLms + 2];
    const float i = 0.5F * (l + m), t = (kCt[0] * l - kCt[1] * m) + kCt[2] * s,
                p = (kCp[0] * l - kCp[1] * m) - kCp[2] * s;
    const float amount = root((i * i + t * t) + p * p) * kDeltaE + 0.5F;
    out[x] = static_cast<uint32_t>(std::min(amount, static_cast<float>(light::kMostAmount)));
    errors.luminance += squared_error(of_first[kLuminance], of_second[kLuminance]);
    for (size_t k = kRgb; k < kRows; ++k) errors.rgb += squared_error(of_first[k], of_second[k]);
  }
  return errors;
}

}  // namespace vq::itp
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::itp::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using S32 = hn::RebindToSigned<F32>;
using VF = hn::VFromD<F32>;
using VU = hn::VFromD<U32>;

HWY_INLINE VF all(float value) { return hn::Set(F32(), value); }

// Zeros behind the last sample, which find their place in the table and differ in nothing.
HWY_INLINE VF load(const float* row, int x, int width) {
  const F32 d;
  return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(width - x)), hn::LoadU(d, row + x));
}

HWY_INLINE VF pq_of(const float* table, const std::array<float, 3>& row, VF r, VF g, VF b) {
  const F32 d;
  const U32 u;
  const VF sum = hn::Add(hn::Add(hn::Mul(all(row[0]), r), hn::Mul(all(row[1]), g)), hn::Mul(all(row[2]), b));
  const VF x = hn::Min(hn::Max(sum, hn::Zero(d)), all(kMostLight));
  const VU bits = hn::Sub(hn::BitCast(u, hn::Max(x, all(kLeastLight))), hn::Set(u, kLeastLightBits));
  const auto i = hn::BitCast(S32(), hn::ShiftRight<static_cast<int>(kPqShift)>(bits));
  const auto rest = hn::BitCast(S32(), hn::And(bits, hn::Set(u, (1U << kPqShift) - 1)));
  const VF f = hn::Mul(hn::ConvertTo(d, rest), all(0x1p-15F));
  const VF pq = light::HWY_NAMESPACE::between_entries(table, i, f);
  return hn::IfThenElse(hn::Lt(x, all(kLeastLight)), all(kPqOfDarkness), pq);
}

HWY_INLINE VF root(VF z) {
  const U32 u;
  const VF y = hn::Max(z, all(kLeastSquare)), half = hn::Mul(all(0.5F), y);
  VF r = hn::BitCast(F32(), hn::Sub(hn::Set(u, kRootStart), hn::ShiftRight<1>(hn::BitCast(u, y))));
  for (int i = 0; i < 3; ++i) r = hn::Mul(r, hn::Sub(all(1.5F), hn::Mul(half, hn::Mul(r, r))));
  return hn::IfThenElseZero(hn::Ge(z, all(kLeastSquare)), hn::Mul(y, r));
}

HWY_INLINE VU code_of(VF pq) {
  return hn::BitCast(U32(), hn::ConvertTo(S32(), hn::Add(hn::Mul(pq, all(kPqPeak)), all(0.5F))));
}

// Adds the squared difference of PQ codes, its lower and its upper 16 bits. The sums of a row fit 32 bits.
static_assert(int64_t{kMaxSide} * 3 * UINT16_MAX <= UINT32_MAX);
HWY_INLINE void add_error(VF first, VF second, VU& low, VU& high) {
  const U32 u;
  const VU difference = hn::Sub(code_of(first), code_of(second)), square = hn::Mul(difference, difference);
  low = hn::Add(low, hn::And(square, hn::Set(u, 0xFFFF)));
  high = hn::Add(high, hn::ShiftRight<16>(square));
}
HWY_INLINE uint64_t total(VU low, VU high) {
  const U32 u;
  return hn::GetLane(hn::SumOfLanes(u, low)) + (uint64_t{hn::GetLane(hn::SumOfLanes(u, high))} << 16);
}

PqErrors differences(const Compared& rows, int width, uint32_t* out) {
  const F32 d;
  const float* const table = pq_table().data();
  const int step = static_cast<int>(hn::Lanes(d));
  VU low = hn::Zero(U32()), high = low, low_rgb = low, high_rgb = low;
  for (int x = 0; x < width; x += step) {
    const VF r1 = load(rows.first.r, x, width), g1 = load(rows.first.g, x, width),
             b1 = load(rows.first.b, x, width);
    const VF r2 = load(rows.second.r, x, width), g2 = load(rows.second.g, x, width),
             b2 = load(rows.second.b, x, width);
    const auto of_first = [&](size_t k) HWY_ATTR { return pq_of(table, rows.first_matrices[k], r1, g1, b1); };
    const auto of_second = [&](size_t k)
                               HWY_ATTR { return pq_of(table, rows.second_matrices[k], r2, g2, b2); };
    const VF l = hn::Sub(of_first(kLms), of_second(kLms)),
             m = hn::Sub(of_first(kLms + 1), of_second(kLms + 1)),
             s = hn::Sub(of_first(kLms + 2), of_second(kLms + 2));
    const VF i = hn::Mul(all(0.5F), hn::Add(l, m));
    const VF t = hn::Add(hn::Sub(hn::Mul(all(kCt[0]), l), hn::Mul(all(kCt[1]), m)), hn::Mul(all(kCt[2]), s));
    const VF p = hn::Sub(hn::Sub(hn::Mul(all(kCp[0]), l), hn::Mul(all(kCp[1]), m)), hn::Mul(all(kCp[2]), s));
    const VF z = hn::Add(hn::Add(hn::Mul(i, i), hn::Mul(t, t)), hn::Mul(p, p));
    const VF amount = hn::Min(hn::Add(hn::Mul(root(z), all(kDeltaE)), all(0.5F)),
                              all(static_cast<float>(light::kMostAmount)));
    hn::StoreU(hn::BitCast(U32(), hn::ConvertTo(S32(), amount)), U32(), out + x);
    add_error(of_first(kLuminance), of_second(kLuminance), low, high);
    for (size_t k = kRgb; k < kRows; ++k) add_error(of_first(k), of_second(k), low_rgb, high_rgb);
  }
  return {total(low, high), total(low_rgb, high_rgb)};
}

}  // namespace vq::itp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::itp, differences)

namespace vq::itp {
namespace {

using Rows = std::array<std::array<double, 3>, kRows>;

// ITU-R BT.2100's LMS of BT.2020's R, G and B, whose luminance, and they themselves.
constexpr Rows kOfBt2020 = {{{1688.0 / 4096, 2146.0 / 4096, 262.0 / 4096},
                             {683.0 / 4096, 2951.0 / 4096, 462.0 / 4096},
                             {99.0 / 4096, 309.0 / 4096, 3688.0 / 4096},
                             {0.2627, 0.678, 0.0593},
                             {1, 0, 0},
                             {0, 1, 0},
                             {0, 0, 1}}};
// ITU-R BT.2087, from BT.709's primaries to BT.2020's.
constexpr double kBt709ToBt2020[3][3] = {{0.627403895934699, 0.329283038377884, 0.043313065687417},
                                         {0.069097289358232, 0.919540395075459, 0.011362315566309},
                                         {0.016391438875150, 0.088013307877226, 0.895595253247624}};

// `scale`: of the light 1, in 100 cd/m2.
Matrices matrices_of(bool is_bt2020, double scale) {
  Matrices matrices = {};
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t column = 0; column < 3; ++column) {
      double sum = is_bt2020 ? kOfBt2020[row][column] : 0;
      for (size_t i = 0; i < 3 && !is_bt2020; ++i) sum += kOfBt2020[row][i] * kBt709ToBt2020[i][column];
      matrices[row][column] = static_cast<float>(sum * scale);
    }
  }
  return matrices;
}

double scale_of(light::Curve curve, double white) {
  if (curve == light::Curve::kHlg) return 10;
  return curve == light::Curve::kPq ? 1 : white / 100;
}

// Tallies: the upper and the lower 32 bits of both sums of squared errors, so that sums of them over 2^21
// frames are exact, and the samples.
constexpr double kUpperUnit = 4294967296.0;

double psnr(double squared, double samples) {
  if (squared == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(65535.0 * 65535.0 * samples / squared);
}

struct Workspace {
  Workspace(const Plan& plan, const light::Stages& stages)
      : first(stages, plan.distorted),
        second(stages, plan.reference),
        light(plan.distorted.size.width, 6),
        amounts(plan.distorted.size.width, 1) {}

  light::RgbRow<float> row(int video) {
    return {light.row(3 * video), light.row(3 * video + 1), light.row(3 * video + 2)};
  }

  light::LightRows first, second;
  Plane<float> light;
  Plane<uint32_t> amounts;
};

class ItpHost final : public light::LightHost<Plan, Stages, Workspace> {
 public:
  using LightHost::LightHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.distorted.size;
    const light::RgbRow<float> first = workspace->row(0), second = workspace->row(1);
    const Compared compared = {{first.r, first.g, first.b},
                               {second.r, second.g, second.b},
                               plan_.distorted_matrices,
                               plan_.reference_matrices};
    uint32_t* const amounts = workspace->amounts.row(0);
    light::Amounts differences;
    PqErrors errors;
    workspace->first.start(frames.distorted);
    workspace->second.start(frames.reference.value());
    for (int y = 0; y < height; ++y) {
      workspace->first.row(y, first);
      workspace->second.row(y, second);
      const PqErrors of_row = stages_.differences(compared, width, amounts);
      errors.luminance += of_row.luminance;
      errors.rgb += of_row.rgb;
      differences.add({amounts, static_cast<size_t>(width)});
    }
    return frame_result(differences, errors);
  }
};

constexpr MetricInfo difference_of(std::string_view name, std::string_view title,
                                   std::string_view explanation, bool is_detail) {
  return {.name = name,
          .title = title,
          .subject = "colour difference",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .is_detail = is_detail};
}
constexpr MetricInfo psnr_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .unit = "dB",
          .subject = "distortion",
          .better = Better::kHigher,
          .usual_top = 60,
          .explanation = explanation,
          .is_unbounded = true,
          .is_detail = true};
}
constexpr MetricInfo kMetrics[] = {
    difference_of("delta_e_itp", "Delta E ITP",
                  "The mean difference of colours from the reference's, as light in ICtCp: 1 is just seen by "
                  "an eye that is adapted to that colour.",
                  false),
    difference_of("delta_e_itp_p95", "Delta E ITP, 95 %",
                  "The difference that 95 % of the picture do not exceed.", true),
    difference_of("delta_e_itp_p99", "Delta E ITP, 99 %",
                  "The difference that 99 % of the picture do not exceed.", true),
    difference_of("delta_e_itp_max", "largest Delta E ITP", "The largest difference of a pixel.", true),
    difference_of("delta_e_itp_visible", "share of visible differences",
                  "The share of the picture whose difference is over 1, which may be seen.", true),
    psnr_of(
        "psnr_pq_y", "PSNR of PQ luminance",
        "How little the luminance differs from the reference's, in decibels, in steps as PQ has them, which "
        "the eye takes for nearly equal."),
    psnr_of("psnr_pq_rgb", "PSNR of PQ RGB", "The same of R, G and B of BT.2020 together.")};

Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const VideoFormat* const reference = formats.reference ? &*formats.reference : nullptr;
  return {.notes = light::notes_on(options_of<Itp>(set), formats.distorted, reference), .warnings = {}};
}

}  // namespace

Plan Itp::make_plan(const Options& options, const VideoFormats& formats) {
  compared_videos(kFeatureName, formats);
  Plan plan;
  const auto set = [&](const VideoFormat& video, light::Conversion& conversion, Matrices& matrices) {
    light::Reading reading = light::reading_of(options, video);
    matrices = matrices_of(reading.has_bt2020_primaries, scale_of(reading.curve, options.white));
    reading.has_bt2020_primaries = false;
    conversion = light::make_conversion(reading, video);
  };
  set(formats.distorted, plan.distorted, plan.distorted_matrices);
  set(*formats.reference, plan.reference, plan.reference_matrices);
  return plan;
}

std::vector<std::string> Itp::names(const Options&) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : kMetrics) names.emplace_back(metric.name);
  return names;
}

FrameResult frame_result(const light::Amounts& differences, const PqErrors& errors) {
  const auto samples = static_cast<double>(differences.samples);
  FrameResult result{.values = {differences.mean(), differences.percentile(9500),
                                differences.percentile(9900), differences.largest(), differences.visible(),
                                psnr(static_cast<double>(errors.luminance), samples),
                                psnr(static_cast<double>(errors.rgb), 3 * samples)}};
  for (const uint64_t sum : {errors.luminance, errors.rgb}) {
    result.tallies.push_back(static_cast<double>(sum >> 32));
    result.tallies.push_back(static_cast<double>(sum & UINT32_MAX));
  }
  result.tallies.push_back(samples);
  return result;
}

std::vector<std::pair<std::string, double>> Itp::aggregates(const Plan&, std::span<const double> totals) {
  if (totals.empty()) return {};
  const double luminance = totals[0] * kUpperUnit + totals[1], rgb = totals[2] * kUpperUnit + totals[3];
  return {{"apsnr_pq_y", psnr(luminance, totals[4])}, {"apsnr_pq_rgb", psnr(rgb, 3 * totals[4])}};
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Itp, ItpHost>(
      {.name = kFeatureName,
       .summary = "Delta E ITP, the difference of colours in light of any brightness, and PSNR of PQ light",
       .publication = {.citation = "ITU-R BT.2124: Objective metric for the assessment of the potential "
                                   "visibility of colour differences in television, 2019"},
       .metrics = kMetrics,
       .resolve = resolve,
       .reading =
           [](const OptionSet& set, const VideoFormat& video) {
             return light::in_words(light::reading_of(options_of<Itp>(set), video), video);
           },
       .spreads_chroma = true});
  return kInfo;
}

}  // namespace vq::itp
#endif  // HWY_ONCE
