#define HWY_TARGET_INCLUDE "feature/psnr/psnr.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/psnr/psnr.h"

#if HWY_ONCE
namespace vq::psnr {

uint64_t scalar::squared_error(const Samples& a, const Samples& b) {
  return for_sample_types(a, b, [&](const auto& first, const auto& second) {
    uint64_t sum = 0;
    for (int y = 0; y < first.height; ++y) {
      const auto* const row_a = first.row(y);
      const auto* const row_b = second.row(y);
      for (int x = 0; x < first.width; ++x) {
        const int64_t difference =
            static_cast<uint16_t>(row_a[x] << a.shift) - static_cast<uint16_t>(row_b[x] << b.shift);
        sum += static_cast<uint64_t>(difference * difference);
      }
    }
    return sum;
  });
}

}  // namespace vq::psnr
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::psnr::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using S16 = hn::Repartition<int16_t, S32>;
using U16 = hn::Repartition<uint16_t, S32>;
using U8 = hn::Repartition<uint8_t, S32>;

// All sums are of products of two numbers of 8 bits. However they are spread over lanes, those of a row fit
// 31 bits.
static_assert(int64_t{kMaxSide} * 255 * 255 <= INT32_MAX);

HWY_INLINE void add_products(hn::VFromD<U16> a, hn::VFromD<U16> b, hn::VFromD<S32>& sum,
                             hn::VFromD<S32>& rest) {
  sum = hn::ReorderWidenMulAccumulate(S32(), hn::BitCast(S16(), a), hn::BitCast(S16(), b), sum, rest);
}
HWY_INLINE uint64_t total(hn::VFromD<S32> sum, hn::VFromD<S32> rest) {
  return static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(S32(), hn::Add(sum, rest))));
}

HWY_INLINE hn::VFromD<U16> low_bytes(hn::VFromD<U16> v) { return hn::And(v, hn::Set(U16(), 0xFF)); }
HWY_INLINE hn::VFromD<U16> high_bytes(hn::VFromD<U16> v) { return hn::ShiftRight<8>(v); }

HWY_INLINE hn::VFromD<U16> load(const uint16_t* in, int shift) {
  return hn::ShiftLeftSame(hn::LoadU(U16(), in), shift);
}
HWY_INLINE hn::VFromD<U16> load(const uint8_t* in, int shift) {
  return hn::ShiftLeftSame(hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), in)), shift);
}

template <class V>
HWY_INLINE V absolute_difference(V a, V b) {
  return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

// How far ahead samples are fetched, in bytes: the processor's own prefetching starts anew at each page of a
// plane, and waits for memory there.
constexpr int kAhead = 2048;

template <typename T>
HWY_INLINE void fetch_ahead(const T* in) {
  hwy::Prefetch(reinterpret_cast<const uint8_t*>(in) + kAhead);
}

// Hands the absolute differences of a row to `add`, a vector at a time. Rows have no guards: the last vector
// starts early, so that it ends with the row, and what it has in common with the one before is set to 0.
// Needs: a row of a vector or more.
template <class D, class Differences, class Add>
HWY_INLINE void for_row(D d, int width, const Differences& differences, const Add& add) {
  const int step = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + step <= width; x += step) add(differences(x));
  if (x == width) return;
  const auto seen = hn::FirstN(d, static_cast<size_t>(x + step - width));
  add(hn::IfThenZeroElse(seen, differences(width - step)));
}

uint64_t row_of_bytes(const uint8_t* a, const uint8_t* b, int width) {
  auto even = hn::Zero(S32()), more_even = even, odd = even, more_odd = even;
  for_row(
      U8(), width,
      [&](int x) HWY_ATTR {
        fetch_ahead(a + x);
        fetch_ahead(b + x);
        return absolute_difference(hn::LoadU(U8(), a + x), hn::LoadU(U8(), b + x));
      },
      [&](hn::VFromD<U8> differences) HWY_ATTR {
        const auto pairs = hn::BitCast(U16(), differences);
        add_products(low_bytes(pairs), low_bytes(pairs), even, more_even);
        add_products(high_bytes(pairs), high_bytes(pairs), odd, more_odd);
      });
  return total(even, more_even) + total(odd, more_odd);
}

// Each difference is 256 * high + low.
template <typename A, typename B>
uint64_t row_of_words(const A* a, int shift_a, const B* b, int shift_b, int width) {
  auto low = hn::Zero(S32()), more_low = low, mixed = low, more_mixed = low, high = low, more_high = low;
  for_row(
      U16(), width,
      [&](int x) HWY_ATTR {
        fetch_ahead(a + x);
        fetch_ahead(b + x);
        return absolute_difference(load(a + x, shift_a), load(b + x, shift_b));
      },
      [&](hn::VFromD<U16> differences) HWY_ATTR {
        const auto lower = low_bytes(differences), upper = high_bytes(differences);
        add_products(lower, lower, low, more_low);
        add_products(lower, upper, mixed, more_mixed);
        add_products(upper, upper, high, more_high);
      });
  return total(low, more_low) + (total(mixed, more_mixed) << 9) + (total(high, more_high) << 16);
}

uint64_t squared_error(const Samples& a, const Samples& b) {
  if (a.view.width() < static_cast<int>(hn::Lanes(U8()))) return scalar::squared_error(a, b);
  return for_sample_types(a, b, [&](const auto& first, const auto& second) {
    constexpr bool kAreBytes = sizeof(*first.data) == 1 && sizeof(*second.data) == 1;
    uint64_t sum = 0;
    if constexpr (kAreBytes) {
      if (a.shift == b.shift) {
        for (int y = 0; y < first.height; ++y) sum += row_of_bytes(first.row(y), second.row(y), first.width);
        return sum << (2 * a.shift);
      }
    }
    for (int y = 0; y < first.height; ++y) {
      sum += row_of_words(first.row(y), a.shift, second.row(y), b.shift, first.width);
    }
    return sum;
  });
}

}  // namespace vq::psnr::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::psnr, squared_error)

namespace vq::psnr {

// So that identical planes have a finite PSNR, which the limit then replaces.
constexpr double kLeastMse = 1e-16;

static double squared_peak(const PsnrOptions& options, int bit_depth) {
  const int64_t peak =
      options.reduced_hbd_peak ? int64_t{255} << (bit_depth - 8) : (int64_t{1} << bit_depth) - 1;
  return static_cast<double>(peak * peak);
}

// Tallies of a plane: the upper and the lower 32 bits of its sum of squared errors, so that sums of them over
// 2^21 frames are exact, and its samples.
constexpr size_t kTallies = 3;
constexpr double kUpperUnit = 4294967296.0;  // 2^32

constexpr int kUsualLumaWeight = 6;

// The weight is in the name of what depends on it, unless it is the usual one.
static std::string yuv_name(std::string_view name, const PsnrOptions& options) {
  return options.luma_weight == kUsualLumaWeight ? std::string(name)
                                                 : words("{}_{}", name, options.luma_weight);
}

std::vector<std::string> Psnr::names(const Options& options) {
  std::vector<std::string> names;
  for (int i = 0; i < planes(options); ++i) {
    const std::string plane(kPlaneNames[static_cast<size_t>(i)]);
    names.push_back("psnr_" + plane);
    if (options.mse) names.push_back("mse_" + plane);
  }
  if (options.luma_weight > 0) names.push_back(yuv_name("psnr_yuv", options));
  return names;
}

std::vector<std::string> aggregate_names(const PsnrOptions& options) {
  std::vector<std::string> names;
  if (!options.apsnr) return names;
  for (const std::string_view plane : kPlaneNames) names.push_back("apsnr_" + std::string(plane));
  if (options.luma_weight > 0) names.insert(names.end(), {yuv_name("apsnr_yuv", options), "apsnr_all"});
  return names;
}

Scorer::Scorer(const PsnrOptions& options, int bit_depth)
    : options_(options), bit_depth_(bit_depth), squared_peak_(squared_peak(options, bit_depth)) {
  HWY_DASSERT(8 <= bit_depth && bit_depth <= 16);
}

double Scorer::mse(const PlaneError& error) {
  return static_cast<double>(error.squared) / static_cast<double>(error.samples);
}

double Scorer::psnr(const PlaneError& error) const {
  return std::min(10 * std::log10(squared_peak_ / std::max(mse(error), kLeastMse)), limit(error.samples));
}

double Scorer::limit(int64_t samples) const {
  if (options_.min_sse == 0) return 6 * bit_depth_ + 12;
  return std::ceil(10 * std::log10(squared_peak_ / (options_.min_sse / static_cast<double>(samples))));
}

// log10(0) is -infinity: without an error the limit is all that is left, without samples that is -infinity.
double Scorer::apsnr(const TotalError& error) const {
  const auto samples = static_cast<double>(error.samples), squared = static_cast<double>(error.squared);
  const double top = std::ceil(10 * std::log10(squared_peak_ * samples * 2));
  if (error.squared == 0) return top;
  return std::min(10 * (std::log10(squared_peak_) + std::log10(samples) - std::log10(squared)), top);
}

double Scorer::uncapped(const TotalError& error) const {
  if (error.squared == 0) return std::numeric_limits<double>::infinity();
  return 10 *
         std::log10(squared_peak_ * static_cast<double>(error.samples) / static_cast<double>(error.squared));
}

double Scorer::yuv(std::span<const TotalError> planes) const {
  double sum = 0, weights = 0;
  for (const TotalError& plane : planes) {
    if (plane.samples == 0) continue;
    const double weight = weights == 0 ? options_.luma_weight : 1;
    sum += weight * uncapped(plane);
    weights += weight;
  }
  return sum / weights;
}

double Scorer::all(std::span<const TotalError> planes) const {
  TotalError sum;
  for (const TotalError& plane : planes) {
    sum.squared += plane.squared;
    sum.samples += plane.samples;
  }
  return uncapped(sum);
}

std::vector<double> Scorer::frame_scores(std::span<const PlaneError> planes) const {
  std::vector<double> scores;
  for (const PlaneError& plane : planes) {
    scores.push_back(psnr(plane));
    if (options_.mse) scores.push_back(mse(plane));
  }
  std::vector<TotalError> totals;
  for (const PlaneError& plane : planes) totals.push_back({plane.squared, plane.samples});
  if (options_.luma_weight > 0) scores.push_back(yuv(totals));
  return scores;
}

std::vector<double> Scorer::aggregates(const std::array<TotalError, kPlaneNames.size()>& planes) const {
  std::vector<double> figures;
  if (!options_.apsnr) return figures;
  for (const TotalError& plane : planes) figures.push_back(apsnr(plane));
  if (options_.luma_weight > 0) figures.insert(figures.end(), {yuv(planes), all(planes)});
  return figures;
}

// PSNR of all planes together has no limit, and MSE no score that would be a floor of its PSNR.
ScoreEnds Psnr::score_ends(const Plan& plan, size_t place) {
  const size_t step = plan.options.mse ? 2 : 1, plane = place / step;
  if (plane >= static_cast<size_t>(plan.planes) || place % step != 0) return {.low = 0};
  if (plan.options.reduced_hbd_peak) return {};
  const PlaneSize size = plan.sizes[plane];
  const Scorer scorer(plan.options, plan.bit_depth);
  return {.low = 0, .high = scorer.limit(int64_t{size.width} * size.height)};
}

PsnrPlan Psnr::make_plan(const Options& options, const VideoFormats& formats) {
  PsnrPlan plan{compared_videos("psnr", formats), options};
  if (options.chroma) require_same_chroma("psnr", formats, "enable_chroma=false");
  plan.planes = std::min(planes(options), plane_count(formats.distorted.chroma));
  for (int i = 0; i < plan.planes; ++i) plan.sizes[static_cast<size_t>(i)] = plane_size(formats.distorted, i);
  return plan;
}

FrameResult frame_result(const PsnrPlan& plan, std::span<const PlaneError> planes) {
  FrameResult result = {.values = Scorer(plan.options, plan.bit_depth).frame_scores(planes)};
  if (!plan.options.apsnr) return result;
  for (const PlaneError& plane : planes) {
    const double upper = static_cast<double>(plane.squared >> 32);
    const double lower = static_cast<double>(plane.squared & 0xFFFFFFFF);
    result.tallies.insert(result.tallies.end(), {upper, lower, static_cast<double>(plane.samples)});
  }
  return result;
}

std::vector<std::pair<std::string, double>> Psnr::aggregates(const Plan& plan,
                                                             std::span<const double> totals) {
  std::array<TotalError, kPlaneNames.size()> planes;
  for (size_t i = 0; kTallies * (i + 1) <= totals.size() && i < planes.size(); ++i) {
    const std::span<const double> plane = totals.subspan(kTallies * i, kTallies);
    planes[i].squared =
        static_cast<ExactSum>(plane[0]) * static_cast<ExactSum>(kUpperUnit) + static_cast<ExactSum>(plane[1]);
    planes[i].samples = static_cast<int64_t>(plane[2]);
  }
  const std::vector<std::string> names = aggregate_names(plan.options);
  const std::vector<double> values = Scorer(plan.options, plan.bit_depth).aggregates(planes);
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

namespace {

class PsnrHost final : public PlannedHost<PsnrPlan, Stages> {
 public:
  using PlannedHost::PlannedHost;

  FrameResult score(const FramePair& frames) override {
    std::vector<PlaneError> planes;
    for (size_t i = 0; i < static_cast<size_t>(plan_.planes); ++i) {
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const PlaneSize size = plan_.sizes[i];
      planes.push_back({stages_.squared_error(distorted, reference), int64_t{size.width} * size.height});
    }
    return frame_result(plan_, planes);
  }
};

// 60 dB is the limit of 8-bit video; that of deeper video is higher. No value says that there is no
// difference: at the limit there may be a small one.
constexpr MetricInfo psnr_of(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .unit = "dB",
      .subject = "distortion",
      .better = Better::kHigher,
      .usual_top = 60,
      .explanation =
          "How little the samples differ from the reference's, in decibels: 3 dB less is twice the squared "
          "error. It does not know what eyes see."};
}
constexpr MetricInfo mse_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "distortion",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = "The mean of the squared differences between samples and the reference's."};
}
constexpr MetricInfo yuv_metric() {
  MetricInfo info = psnr_of("psnr_yuv", "PSNR-YUV");
  info.explanation =
      "The weighted mean of the PSNR of luma and both chroma planes, in decibels. It is infinite if one of "
      "them is without errors.";
  info.is_unbounded = true;
  return info;
}
constexpr MetricInfo kMetrics[] = {with_alias(psnr_of("psnr_y", "PSNR"), "psnr"),
                                   psnr_of("psnr_cb", "PSNR of Cb"),
                                   psnr_of("psnr_cr", "PSNR of Cr"),
                                   yuv_metric(),
                                   mse_of("mse_y", "squared error"),
                                   mse_of("mse_cb", "squared error of Cb"),
                                   mse_of("mse_cr", "squared error of Cr")};

// Video without chroma is compared by its luma, as the reference does.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  resolve_chroma("psnr", set, formats, resolution);
  return resolution;
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Psnr, PsnrHost>(
      {.name = "psnr",
       .summary = "peak signal-to-noise ratio of each plane against the reference, in dB",
       .metrics = kMetrics,
       .resolve = resolve});
  return kInfo;
}

}  // namespace vq::psnr
#endif  // HWY_ONCE
