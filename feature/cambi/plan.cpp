#include "feature/cambi/plan.h"

#include <charconv>

namespace vq::cambi {
namespace {

// Weights of the contrasts 1..32 in 10-bit levels.
constexpr std::array<int, kMaxContrasts> kContrastWeights = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                                             8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
constexpr std::array<double, kScales> kScaleWeights = {16, 8, 4, 2, 1};

// Positions accumulate in float, step by step, as in the reference implementation: multiplying instead would
// pick other samples. On inputs over 6000 wide the error can carry the last one past the edge.
std::vector<int32_t> nearest_neighbours(int in, int out) {
  std::vector<int32_t> table(static_cast<size_t>(out));
  const float ratio = static_cast<float>(in) / static_cast<float>(out);
  float position = static_cast<float>(static_cast<double>(ratio) / 2 - 0.5);
  for (int32_t& entry : table) {
    entry = std::min(static_cast<int32_t>(static_cast<double>(position) + 0.5), in - 1);
    position += ratio;
  }
  return table;
}

int ceil_log2(unsigned value) { return value <= 1 ? 0 : std::bit_width(value - 1); }

// Source: the reference implementation; more samples ask for more flat ones around each.
int mask_threshold(PlaneSize size) {
  const unsigned blocks = static_cast<unsigned>(size.width >> 6) * static_cast<unsigned>(size.height >> 6);
  return (kMaskBox * kMaskBox + 3 * (ceil_log2(blocks) - 11) - 1) >> 1;
}

bool speeds_up(int high_res_speedup, PlaneSize encode) {
  const int64_t samples = static_cast<int64_t>(encode.width) * encode.height;
  switch (high_res_speedup) {
    case 1080:
      return samples >= int64_t{1920} * 1080;
    case 1440:
      return samples >= int64_t{2560} * 1440;
    case 2160:
      return samples >= int64_t{3840} * 2160;
    default:
      return false;
  }
}

void plan_scales(CambiPlan& plan, double topk) {
  PlaneSize size{plan.width, plan.height};
  for (size_t k = 0; k < kScales; ++k) {
    if (k > 0 || plan.halve_first) size = {(size.width + 1) >> 1, (size.height + 1) >> 1};
    const int64_t samples = static_cast<int64_t>(size.width) * size.height;
    const int64_t count = static_cast<int64_t>(topk * static_cast<double>(samples));
    plan.scales[k] = {size.width, size.height, std::clamp<int64_t>(count, 1, samples), kScaleWeights[k]};
  }
}

void plan_window(CambiPlan& plan, int window_size) {
  int window = ((window_size * (plan.width + plan.height)) / 375) >> 4;
  if (plan.halve_first) window = (window + 1) >> 1;
  plan.window = window | 1;
  plan.half_window = plan.window >> 1;
  if (plan.window > kMaxWindow) {
    throw Error(
        ErrorKind::kMismatch,
        "window_size={} makes a window of {} samples at {}; the limit is {}. Try a smaller window_size.",
        window_size, plan.window, size_text({plan.width, plan.height}), kMaxWindow);
  }
}

void plan_contrasts(CambiPlan& plan, const CambiOptions& options) {
  const Luminance luminance(options.transfer_function(), options.luma_range());
  const int n = 1 << options.max_log_contrast;
  const int first_visible = first_level_of(luminance, options.vis_lum_threshold);
  plan.num_contrasts = n;
  for (int d = 1; d <= n; ++d) {
    plan.contrasts[static_cast<size_t>(d - 1)] = {
        .weight = kContrastWeights[static_cast<size_t>(d - 1)],
        .first_level = std::max(0, first_visible - n - d + 1),
        .last_level = last_visible_level(luminance, d, options.tvi_threshold)};
  }
}

// The divisor is integer arithmetic in the reference implementation. It is 0 for a window of one sample, if
// every c-value is 0 and any factor will do.
double heatmap_factor(const CambiPlan& plan) {
  const int max_weight = kContrastWeights[static_cast<size_t>(plan.num_contrasts - 1)];
  return 65535.0 / std::max(max_weight * plan.window * plan.window / 4, 1);
}

void check_side(const VideoFormat& format) {
  if (std::max(format.width, format.height) > kMaxSide || std::min(format.width, format.height) < 1) {
    throw Error(ErrorKind::kMismatch, "{} is {}; the limit is {} samples a side.", format.name,
                size_text(format.size()), kMaxSide);
  }
}

void check_large_enough(PlaneSize size, const VideoFormat& format) {
  if (std::max(size.width, size.height) >= kMinSide) return;
  throw Error(ErrorKind::kMismatch, "{} is {}{}; CAMBI needs a width or a height of at least {}.",
              format.name, size == format.size() ? "" : "to be scored at ", size_text(size), kMinSide);
}

CambiPlan make_plan(const CambiOptions& options, const VideoFormat& format, PlaneSize size,
                    bool halve_first) {
  check_large_enough(size, format);
  CambiPlan plan;
  plan.input_width = format.width;
  plan.input_height = format.height;
  plan.input_depth = format.bit_depth;
  plan.width = size.width;
  plan.height = size.height;
  plan.halve_first = halve_first;
  plan_window(plan, options.window_size);
  if (size != format.size()) {
    plan.source_columns = nearest_neighbours(format.width, size.width);
    plan.source_rows = nearest_neighbours(format.height, size.height);
  }
  const int encode_depth = options.enc_bitdepth != 0 ? options.enc_bitdepth : format.bit_depth;
  plan.anti_dither = encode_depth < 10;
  plan.mask_threshold = mask_threshold(size);
  plan_scales(plan, options.pooled_share());
  plan_contrasts(plan, options);
  plan.reciprocals = make_reciprocals(plan.window);
  plan.heatmap_factor = heatmap_factor(plan);
  return plan;
}

}  // namespace

std::string_view CambiOptions::transfer_function() const {
  const std::string_view chosen = cambi_eotf == CambiOptions().cambi_eotf ? eotf : cambi_eotf;
  return chosen == "auto" ? CambiOptions().eotf : chosen;
}

std::vector<float> make_reciprocals(int window) {
  std::vector<float> table(static_cast<size_t>(window) * static_cast<size_t>(window) + 1, 0.0F);
  char digits[32];
  for (size_t k = 1; k < table.size(); ++k) {
    const auto end = std::to_chars(digits, digits + sizeof digits, 1.0 / static_cast<double>(k),
                                   std::chars_format::general, 9);
    double value = 0;
    std::from_chars(digits, end.ptr, value);
    table[k] = static_cast<float>(value);
  }
  return table;
}

CambiPlans make_plans(const CambiOptions& options, const VideoFormats& formats) {
  const VideoFormat& distorted = formats.distorted;
  check_side(distorted);
  PlaneSize encode{options.enc_width, options.enc_height};
  if (encode.width == 0 || encode.height == 0 || encode.width > distorted.width ||
      encode.height > distorted.height) {
    encode = distorted.size();
  }
  const bool halve_first = speeds_up(options.high_res_speedup, encode);
  const VideoFormat& reference = formats.reference ? *formats.reference : distorted;
  CambiPlans plans = {.distorted = make_plan(options, distorted, encode, halve_first),
                      .options = options,
                      .name = distorted.name,
                      .source_name = reference.name};
  if (!options.full_ref) return plans;

  check_side(reference);
  PlaneSize source{options.src_width, options.src_height};
  if (source.width == 0 || source.height == 0) source = reference.size();
  if ((source.width > encode.width && source.height < encode.height) ||
      (source.width < encode.width && source.height > encode.height)) {
    throw Error(
        ErrorKind::kMismatch,
        "the source size {} is wider yet shorter than the encode size {}, or the reverse. Try src_width "
        "and src_height, or enc_width and enc_height.",
        size_text(source), size_text(encode));
  }
  plans.source = make_plan(options, reference, source, halve_first);
  plans.source->is_source = true;
  return plans;
}

double frame_score(const CambiPlan& plan, const std::array<ExactSum, kScales>& sums) {
  double score = 0;
  for (size_t k = 0; k < kScales; ++k) {
    const double unit = std::ldexp(static_cast<double>(plan.scales[k].topk_count), kSumFractionBits);
    score += plan.scales[k].weight * (static_cast<double>(sums[k]) / unit);
  }
  const double side = 2.0 * plan.half_window + 1.0;
  return score / (side * side);
}

std::vector<double> reported_scores(const CambiOptions& options, double score, std::optional<double> source) {
  std::vector<double> values = {std::min(score, options.max_val)};
  if (source) {
    values.push_back(std::min(*source, options.max_val));
    values.push_back(std::min(std::max(0.0, score - *source), options.max_val));
  }
  return values;
}

// ITU-R BT.1886: L = a * max(V + b, 0)^gamma.
static double bt1886(double signal) {
  constexpr double kGamma = 2.4;
  constexpr double kWhite = 300.0, kBlack = 0.01;  // cd/m2, as CAMBI assumes
  static const double white_root = std::pow(kWhite, 1.0 / kGamma);
  static const double black_root = std::pow(kBlack, 1.0 / kGamma);
  static const double a = std::pow(white_root - black_root, kGamma);
  static const double b = black_root / (white_root - black_root);
  return a * std::pow(std::max(signal + b, 0.0), kGamma);
}

// SMPTE ST 2084, equation 4.1, with the standard's constants.
static double pq(double signal) {
  constexpr double kM1 = 2610.0 / 16384.0, kM2 = 2523.0 / 4096.0 * 128.0;
  constexpr double kC1 = 3424.0 / 4096.0, kC2 = 2413.0 / 4096.0 * 32.0, kC3 = 2392.0 / 4096.0 * 32.0;
  constexpr double kPeak = 10000.0;  // cd/m2
  const double root = std::pow(signal, 1.0 / kM2);
  return kPeak * std::pow(std::max(root - kC1, 0.0) / (kC2 - kC3 * root), 1.0 / kM1);
}

// ITU-R BT.2100-2, table 5: the inverse of HLG's OETF, then for grey (where scene luminance equals each
// component) its OOTF, Lw * E^gamma.
static double hlg(double signal) {
  constexpr double kA = 0.17883277, kB = 1.0 - 4.0 * kA;
  constexpr double kPeak = 1000.0;  // cd/m2; black is 0
  constexpr double kGamma = 1.2;    // BT.2100's for that peak
  static const double c = 0.5 - kA * std::log(4.0 * kA);
  const double scene = signal <= 0.5 ? signal * signal / 3.0 : (std::exp((signal - c) / kA) + kB) / 12.0;
  return kPeak * std::pow(scene, kGamma);
}

Luminance::Luminance(std::string_view eotf, LumaRange range) : range_(range) {
  if (eotf == "bt1886") {
    eotf_ = bt1886;
  } else if (eotf == "pq") {
    eotf_ = pq;
  } else if (eotf == "hlg") {
    eotf_ = hlg;
  } else {
    throw Error(ErrorKind::kInternal, "no transfer function \"" + std::string(eotf) + "\"");
  }
}

double Luminance::at(int level) const {
  const int clamped = std::clamp(level, range_.foot, range_.head);
  return eotf_(static_cast<double>(clamped - range_.foot) / (range_.head - range_.foot));
}

int last_visible_level(const Luminance& luminance, int contrast, double threshold) {
  const auto visible = [&](int level) {
    const double base = luminance.at(level);
    return luminance.at(level + contrast) - base > threshold * base;
  };
  const int foot = luminance.range().foot;
  const int last = luminance.range().head - contrast - 1;
  if (!visible(foot)) return 0;
  if (!visible(foot + 1)) return foot;
  if (visible(last)) return visible(last + 1) ? 1023 : last;
  int seen = foot, unseen = last;
  while (unseen - seen > 1) {
    const int middle = (seen + unseen) / 2;
    (visible(middle) ? seen : unseen) = middle;
  }
  return seen;
}

int first_level_of(const Luminance& luminance, double nits) {
  const auto [foot, head] = luminance.range();
  for (int level = foot; level <= head; ++level) {
    if (luminance.at(level) >= nits) return level == foot ? 0 : level;
  }
  return head;
}

}  // namespace vq::cambi
