#include "feature/adm/adm.h"

namespace vq::adm {
std::vector<std::string> Adm::names(const Options& options) {
  std::vector<std::string> names = {"integer_adm2", "integer_aim", "integer_adm3"};
  for (const char scale : std::string_view("0123")) names.push_back(std::string("integer_adm_scale") + scale);
  if (options.debug) {
    names.insert(names.end(), {"integer_adm", "integer_adm_num", "integer_adm_den"});
    for (const char scale : std::string_view("0123")) {
      names.push_back(std::string("integer_adm_num_scale") + scale);
      names.push_back(std::string("integer_adm_den_scale") + scale);
    }
  }
  return names;
}

// The least e with 2^e >= n. Needs: n >= 1.
static int ceil_log2(int64_t n) { return std::bit_width(static_cast<uint64_t>(n - 1)); }

// A tenth of the band is left out at each end, less half a sample, rounded down.
static Span counted(int size) {
  const int border = std::max(0, (size - 5) / 10);
  return {border, size - border};
}

static Span with_neighbours(Span span, int size) {
  return {std::max(span.first - 1, 0), std::min(span.end + 1, size)};
}

static ReferenceShifts reference_shifts(const ScalePlan& plan, int scale) {
  if (scale == 0) {
    const int row = std::max(0, ceil_log2(plan.area()) - 20);
    return {.square_bias = 0, .square = 0, .cube = 0, .row = row, .scale = 18 - row};
  }
  // Adding all of what is cut off, not half of it, is the reference's rounding.
  constexpr int kSquare[kScales] = {0, 31, 30, 31}, kScale[kScales] = {0, 32, 27, 23};
  const int square = kSquare[scale];
  const int cube = ceil_log2(plan.columns.size()), row = ceil_log2(plan.rows.size());
  return {.square_bias = uint64_t{1} << square,
          .square = square,
          .cube = cube,
          .row = row,
          .scale = kScale[scale] - cube - row};
}

static PerBand<MaskedShifts> masked_shifts(const ScalePlan& plan, int scale) {
  // Sizes of the whole band, not of the part that counts.
  const int width = ceil_log2(plan.width), row = ceil_log2(plan.height);
  if (scale == 0) {
    const MaskedShifts straight = {
        .threshold = 10, .square = 29, .cube = width - 4, .row = row, .scale = 52 - (width - 4) - row};
    const MaskedShifts diagonal = {
        .threshold = 12, .square = 30, .cube = width - 3, .row = row, .scale = 57 - (width - 3) - row};
    return {straight, straight, diagonal};
  }
  constexpr int kScale[kScales] = {0, 45, 39, 36};
  const MaskedShifts all = {
      .threshold = 0, .square = 30, .cube = width, .row = row, .scale = kScale[scale] - width - row};
  return {all, all, all};
}

ScalePlan make_scale_plan(const AdmOptions& options, int scale, PlaneSize picture) {
  constexpr WaveletShifts kWavelet[kScales] = {{0, 16}, {0, 15}, {16, 16}, {16, 15}};
  ScalePlan plan;
  plan.is_finest = scale == 0;
  plan.input_width = picture.width;
  plan.input_height = picture.height;
  for (int i = 0; i < scale; ++i) {
    plan.input_width = (plan.input_width + 1) / 2;
    plan.input_height = (plan.input_height + 1) / 2;
  }
  plan.width = (plan.input_width + 1) / 2;
  plan.height = (plan.input_height + 1) / 2;
  plan.rows = counted(plan.height);
  plan.columns = counted(plan.width);
  plan.masking_rows = with_neighbours(plan.rows, plan.height);
  plan.masking_columns = with_neighbours(plan.columns, plan.width);
  plan.wavelet = kWavelet[scale];
  plan.gain_limit = options.gain_limit;
  plan.sensitivity = sensitivities(options, scale);
  plan.factors = sensitivity_factors(options, scale);
  plan.reference = reference_shifts(plan, scale);
  plan.masked = masked_shifts(plan, scale);
  return plan;
}

AdmPlan make_plan(const AdmOptions& options, const VideoFormats& formats) {
  AdmPlan plan;
  plan.options = options;
  plan.formats = formats;
  plan.videos = compared_videos("adm", formats);
  require_sides("adm", formats, kLeastSide);
  check_viewing(options);
  for (int scale = 0; scale < kScales; ++scale) {
    ScalePlan& one = plan.scales[static_cast<size_t>(scale)];
    one = make_scale_plan(options, scale, plan.videos.size);
    // Its samples are of as many bits as the deeper video's.
    if (scale == 0) one.wavelet.vertical = plan.videos.bit_depth;
  }
  return plan;
}

namespace {

// Figures of one scale or of all of them.
struct Figures {
  double numerator = 0, denominator = 0, added = 0;
};

// Three bands together: a float's sums, left to right.
float total(const PerBand<float>& bands) { return bands[0] + bands[1] + bands[2]; }

float noise(const ScalePlan& plan, double weight) {
  return cube_root(static_cast<float>(static_cast<double>(plan.area()) * weight));
}

float denominator(const ScalePlan& plan, const PerBand<uint64_t>& sums, double noise_weight) {
  PerBand<float> bands;
  for (size_t i = 0; i < kBands; ++i) {
    const double detail = std::ldexp(static_cast<double>(sums[i]), -plan.reference.scale);
    const auto weighted = static_cast<float>(detail * std::pow(double{plan.sensitivity[i]}, 3));
    bands[i] = cube_root(weighted) + noise(plan, noise_weight);
  }
  return total(bands);
}

// At the finest scale the reference goes to float by way of double.
float numerator(const ScalePlan& plan, const PerBand<int64_t>& sums, double noise_weight) {
  PerBand<float> bands;
  for (size_t i = 0; i < kBands; ++i) {
    const double sum = plan.is_finest ? static_cast<double>(sums[i]) : double{static_cast<float>(sums[i])};
    const auto masked = static_cast<float>(std::ldexp(sum, -plan.masked[i].scale));
    bands[i] = cube_root(masked) + noise(plan, noise_weight);
  }
  return total(bands);
}

Figures figures_of(const AdmPlan& plan, int scale, const ScaleSums& sums) {
  const AdmOptions& options = plan.options;
  if (scale == 0 && options.skip_scale0) return {.numerator = 0, .denominator = 1e-10F, .added = 0};
  const ScalePlan& one = plan.scales[static_cast<size_t>(scale)];
  return {.numerator = numerator(one, sums.restored, options.noise_weight),
          .denominator = denominator(one, sums.reference, options.noise_weight),
          .added = options.skip_aim ? 0 : numerator(one, sums.added, 0)};
}

}  // namespace

void add_reference_row(const ScalePlan& plan, const PerBand<uint64_t>& row, PerBand<uint64_t>& sums) {
  const int shift = plan.reference.row;
  const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
  for (size_t i = 0; i < kBands; ++i) sums[i] += (row[i] + half) >> shift;
}

void add_masked_row(const ScalePlan& plan, const PerBand<int64_t>& row, PerBand<int64_t>& sums) {
  for (size_t i = 0; i < kBands; ++i) {
    const int shift = plan.masked[i].row;
    const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
    const auto rounded = static_cast<int64_t>(static_cast<uint64_t>(row[i]) + half) >> shift;
    sums[i] = static_cast<int64_t>(static_cast<uint64_t>(sums[i]) + static_cast<uint64_t>(rounded));
  }
}

std::vector<double> frame_scores(const AdmPlan& plan, const FrameSums& sums) {
  const AdmOptions& options = plan.options;
  std::array<Figures, kScales> scales;
  Figures all;
  for (int k = 0; k < kScales; ++k) {
    Figures& one = scales[static_cast<size_t>(k)];
    one = figures_of(plan, k, sums[static_cast<size_t>(k)]);
    all.numerator += one.numerator;
    all.denominator += one.denominator;
    all.added += one.added;
  }
  const PlaneSize size = plan.videos.size;
  const double least = 1e-10 * (static_cast<double>(size.width) * size.height) / (1920.0 * 1080.0);
  if (all.numerator < least) all.numerator = 0;
  if (all.denominator < least) all.denominator = 0;

  // A reference without detail has lost none, and shows no impairment beyond that.
  const bool is_flat = all.denominator == 0;
  const double adm2 = is_flat ? 1 : all.numerator / all.denominator;
  const double aim = is_flat ? 0 : all.added / all.denominator;
  const double adm3 = adm2 * options.dlm_weight + (1 - aim) * (1 - options.dlm_weight);
  std::vector<double> scores = {adm2, aim, adm3 > options.min_val ? adm3 : options.min_val};
  for (const Figures& one : scales) scores.push_back(one.numerator / one.denominator);
  if (!options.debug) return scores;
  scores.insert(scores.end(), {adm2, all.numerator, all.denominator});
  for (const Figures& one : scales) scores.insert(scores.end(), {one.numerator, one.denominator});
  return scores;
}

}  // namespace vq::adm
