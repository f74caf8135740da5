#define HWY_TARGET_INCLUDE "feature/siti/siti.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/siti/siti.h"

#if HWY_ONCE
namespace vq::siti {

// The root is under 2^23 and at least 2^-26 away from the middle of two integers, which is many steps of a
// double.
GradientSums scalar::gradients(const Neighbourhood& rows, int width, int shift) {
  const auto& [a, b, c] = rows;
  GradientSums sums;
  for (int x = 1; x + 1 < width; ++x) {
    const int64_t gx = (a[x - 1] - a[x + 1]) + 2 * (b[x - 1] - b[x + 1]) + (c[x - 1] - c[x + 1]);
    const int64_t gy = (a[x - 1] + 2 * a[x] + a[x + 1]) - (c[x - 1] + 2 * c[x] + c[x + 1]);
    const auto square = static_cast<double>((gx * gx + gy * gy) << (2 * shift));
    const auto g = static_cast<uint64_t>(std::sqrt(square) + 0.5);
    sums.sum += g;
    sums.squares += g * g;
  }
  return sums;
}

ChangeSums scalar::changes(const int32_t* now, const int32_t* before, int width) {
  ChangeSums sums;
  for (int x = 0; x < width; ++x) {
    const int64_t change = now[x] - before[x];
    sums.sum += change;
    sums.squares += static_cast<uint64_t>(change * change);
  }
  return sums;
}

}  // namespace vq::siti
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::siti::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// All numbers are whole, and no double is rounded but the root.
using F64 = hn::ScalableTag<double>;
using S32 = hn::Rebind<int32_t, F64>;
using V64 = hn::VFromD<F64>;

HWY_INLINE double total(V64 sum) { return hn::GetLane(hn::SumOfLanes(F64(), sum)); }

// The sums of squares of two pieces: a square of 46 bits times as many as a row has is more than a double
// has.
constexpr double kPiece = 1 << 24;

GradientSums gradients(const Neighbourhood& rows, int width, int shift) {
  const F64 d;
  const S32 s;
  const int step = static_cast<int>(hn::Lanes(d));
  const V64 scale = hn::Set(d, static_cast<double>(int64_t{1} << (2 * shift))), half = hn::Set(d, 0.5);
  V64 sum = hn::Zero(d), low = sum, high = sum;
  for (int x = 1; x + 1 < width; x += step) {
    const auto a0 = hn::LoadU(s, rows.above + x - 1), a1 = hn::LoadU(s, rows.above + x),
               a2 = hn::LoadU(s, rows.above + x + 1);
    const auto b0 = hn::LoadU(s, rows.here + x - 1), b2 = hn::LoadU(s, rows.here + x + 1);
    const auto c0 = hn::LoadU(s, rows.below + x - 1), c1 = hn::LoadU(s, rows.below + x),
               c2 = hn::LoadU(s, rows.below + x + 1);
    const auto sides = hn::Sub(b0, b2), middles = hn::Sub(a1, c1);
    const auto falling = hn::Sub(a0, c2), rising = hn::Sub(c0, a2);
    const V64 gx = hn::PromoteTo(d, hn::Add(hn::Add(falling, rising), hn::Add(sides, sides)));
    const V64 gy = hn::PromoteTo(d, hn::Add(hn::Sub(falling, rising), hn::Add(middles, middles)));
    const V64 square = hn::Mul(hn::Add(hn::Mul(gx, gx), hn::Mul(gy, gy)), scale);
    const auto is_inner = hn::FirstN(d, static_cast<size_t>(width - 1 - x));
    const V64 g = hn::IfThenElseZero(is_inner, hn::Floor(hn::Add(hn::Sqrt(square), half)));
    const V64 gg = hn::Mul(g, g), upper = hn::Floor(hn::Mul(gg, hn::Set(d, 1 / kPiece)));
    sum = hn::Add(sum, g);
    high = hn::Add(high, upper);
    low = hn::Add(low, hn::Sub(gg, hn::Mul(upper, hn::Set(d, kPiece))));
  }
  return {static_cast<uint64_t>(total(sum)),
          static_cast<uint64_t>(total(low)) + (static_cast<uint64_t>(total(high)) << 24)};
}

ChangeSums changes(const int32_t* now, const int32_t* before, int width) {
  const F64 d;
  const S32 s;
  const int step = static_cast<int>(hn::Lanes(d));
  V64 sum = hn::Zero(d), squares = sum;
  for (int x = 0; x < width; x += step) {
    const auto difference = hn::PromoteTo(d, hn::Sub(hn::LoadU(s, now + x), hn::LoadU(s, before + x)));
    const V64 change = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(width - x)), difference);
    sum = hn::Add(sum, change);
    squares = hn::Add(squares, hn::Mul(change, change));
  }
  return {static_cast<int64_t>(total(sum)), static_cast<uint64_t>(total(squares))};
}

}  // namespace vq::siti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::siti, gradients, changes)

namespace vq::siti {
namespace {

light::LumaReading reading_of(const Options& options, const VideoFormat& video) {
  return light::luma_reading_of(options.range, options.transfer, video);
}

// PQ of a value from 0 to 1 on the displays that siti-tools assumes: 0.1 to 300 cd/m2 for standard range,
// 0.01 to 1000 for HLG.
double pq_of(light::Curve curve, double v) {
  if (curve == light::Curve::kPq) return v;
  const bool is_hlg = curve == light::Curve::kHlg;
  const double light =
      is_hlg ? 999.99 * std::pow(light::hlg_light(v), 1.2) + 0.01 : 299.9 * std::pow(v, 2.4) + 0.1;
  return light::pq_of_light(light / 100);
}

// The standard deviation of n numbers, of their sum and that of their squares.
double deviation(uint64_t n, ExactSum sum_squared, ExactSum squares) {
  if (n == 0) return 0;
  const auto count = static_cast<ExactSum>(n);
  return std::sqrt(static_cast<double>(count * squares - sum_squared) / static_cast<double>(count * count));
}

struct Workspace {
  explicit Workspace(const Plan& plan) : rows(plan.size.width, 4) {}

  Plane<int32_t> rows;  // three of the picture, and one of that before
};

void look_up(const std::vector<uint32_t>& table, const SampleView& plane, int y, int32_t* out) {
  const auto fill = [&](const auto* samples) {
    const size_t top = table.size() - 1;
    for (int x = 0; x < plane.width(); ++x)
      out[x] = static_cast<int32_t>(table[std::min<size_t>(samples[x], top)]);
  };
  plane.is_u8() ? fill(plane.u8.row(y)) : fill(plane.u16.row(y));
}

class SitiHost final : public WorkspaceHost<Plan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    Plane<int32_t>& rows = workspace->rows;
    const auto [width, height] = plan_.size;
    const bool has_before = !frames.distorted_before.empty();
    Sums sums;
    for (int y = 0; y < height; ++y) {
      int32_t* const here = rows.row(y % 3);
      look_up(plan_.table, frames.distorted.luma(), y, here);
      if (has_before) {
        look_up(plan_.table, frames.distorted_before[0].luma(), y, rows.row(3));
        const ChangeSums changes = stages_.changes(here, rows.row(3), width);
        sums.changes += changes.sum;
        sums.squared_changes += changes.squares;
      }
      if (y < 2 || width < 3) continue;
      const Neighbourhood around = {rows.row((y - 2) % 3), rows.row((y - 1) % 3), here};
      const GradientSums gradients = stages_.gradients(around, width, kRootBits - plan_.bits);
      sums.gradients += gradients.sum;
      sums.squared_gradients += gradients.squares;
    }
    return frame_result(plan_, sums, has_before);
  }
};

// Neither much nor little detail or motion is better.
constexpr MetricInfo detail_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "detail",
          .usual_top = 100,
          .explanation = "Spatial information: how much gradients of luma vary over the picture."};
}
constexpr MetricInfo motion_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "motion",
          .usual_top = 100,
          .explanation =
              "Temporal information: how much the luma's differences from the frame before vary over "
              "the picture. The first frame has none.",
          .lacks_first = true};
}
constexpr MetricInfo kMetrics[] = {detail_of("si", "SI"),           motion_of("ti", "TI"),
                                   detail_of("si_full", "SI full"), motion_of("ti_full", "TI full"),
                                   detail_of("si_pq", "SI of PQ"),  motion_of("ti_pq", "TI of PQ")};

}  // namespace

Plan Siti::make_plan(const Options& options, const VideoFormats& formats) {
  const VideoFormat& video = formats.distorted;
  const light::LumaReading luma = reading_of(options, video);
  const int codes = 1 << video.bit_depth, top = codes - 1;
  Plan plan{.size = {video.width, video.height}, .bits = video.bit_depth, .unit = 255.0 / top};
  if (options.form == kPq) plan.bits = 16;
  if (options.form == kPq) plan.unit = 255.0 / 65535;
  if (options.form == kFull) plan.unit = 255.0 / luma.span;
  for (int code = 0; code < codes; ++code) {
    const int64_t above = std::clamp(code - luma.black, 0, luma.span);
    if (options.form == kPq) {
      const double q = pq_of(luma.curve, static_cast<double>(above) / luma.span);
      plan.table.push_back(static_cast<uint32_t>(std::floor(65535 * q + 0.5)));
    } else {
      plan.table.push_back(static_cast<uint32_t>(options.form == kFull ? code : top * above / luma.span));
    }
  }
  return plan;
}

std::vector<std::string> Siti::metric_names(const OptionSet& set) {
  const std::string_view form = options_of<Siti>(set).form;
  const std::string suffix = form == kLegacy ? "" : words("_{}", form);
  OptionSet others = set;
  others.resolve("form", kLegacy);
  return {others.metric_name(words("si{}", suffix)), others.metric_name(words("ti{}", suffix))};
}

FrameResult frame_result(const Plan& plan, const Sums& sums, bool has_before) {
  const auto [width, height] = plan.size;
  const uint64_t inner = static_cast<uint64_t>(std::max(width - 2, 0)) *
                         static_cast<uint64_t>(std::max(height - 2, 0)),
                 all = static_cast<uint64_t>(width) * static_cast<uint64_t>(height);
  const double si = deviation(inner, sums.gradients * sums.gradients, sums.squared_gradients) /
                    static_cast<double>(1 << (kRootBits - plan.bits)) * plan.unit;
  if (!has_before) return {.values = {si, std::numeric_limits<double>::quiet_NaN()}};
  const auto size = static_cast<ExactSum>(std::abs(sums.changes));
  return {.values = {si, deviation(all, size * size, sums.squared_changes) * plan.unit}};
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Siti, SitiHost>(
      {.name = kFeatureName,
       .summary = "spatial and temporal information: how much detail and change there is to encode",
       .publication = {.citation = "ITU-T P.910: Subjective video quality assessment methods for multimedia "
                                   "applications, 2022"},
       .metrics = kMetrics,
       .reading =
           [](const OptionSet& set, const VideoFormat& video) {
             const Options options = options_of<Siti>(set);
             const light::LumaReading luma = reading_of(options, video);
             std::vector<std::pair<std::string, std::string>> read = {
                 {"range", luma.is_full_range ? "full" : "limited"}};
             if (options.form == kPq) read.emplace_back("transfer", to_string(luma.curve));
             return read;
           },
       .reads_luma = true,
       .advice = [](const OptionSet& set, const VideoFormats&) -> std::vector<std::string> {
         const Options options = options_of<Siti>(set);
         if (options.form == kPq || options.transfer == "auto") return {};
         return {words("siti: transfer={} has no effect with form={}", options.transfer, options.form)};
       }});
  return kInfo;
}

}  // namespace vq::siti
#endif  // HWY_ONCE
