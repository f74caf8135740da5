#include "core/elementary.h"
#include "feature/cvvdp/cvvdp.h"

namespace vq::cvvdp {

using elementary::exp_2, elementary::log_2, elementary::power;

// The parameters are those of ColorVideoVDP, version 0.5.6. Copyright (c) 2024 Graphics and Displays group,
// under the MIT licence, which is in docs/third-party.md with its notice.

constexpr Display kDisplays[] = {
    {"standard_4k", Curve::kSrgb, 200, 1000, 250, 75.40244934516303},
    {"standard_fhd", Curve::kSrgb, 200, 1000, 250, 37.842503853602885},
    {"standard_hdr_pq", Curve::kPq, 1500, 1000000, 10, 75.40244934516303},
    {"standard_hdr_hlg", Curve::kHlg, 1500, 1000000, 10, 75.40244934516303},
    {"standard_phone", Curve::kSrgb, 500, 10000.0, 250, 120.56081547997547},
    {"standard_hmd", Curve::kSrgb, 100, 1000.0, 0, 13.153262507309297},
    {"sdr_4k_30", Curve::kSrgb, 100, 1000, 250, 60.54800551173375},
    {"sdr_fhd_24", Curve::kSrgb, 100, 1000, 250, 37.842503853602885},
    {"htc_vive_pro", Curve::kSrgb, 133.3, 1333.0, 0, 13.153262507309297},
    {"iphone_12_pro", Curve::kSrgb, 825, 2062500.0, 250, 159.61187740300227},
    {"iphone_14_pro", Curve::kSrgb, 1025, 2562500.0, 250, 159.61187740300227},
    {"iphone_14_pro_vert", Curve::kSrgb, 1025, 2562500.0, 250, 159.61187740300227},
    {"iphone_14_pro_hdr", Curve::kHlg, 1590, 3975000.0, 10, 159.61187740300227},
    {"iphone_14_pro_hdr_vert", Curve::kHlg, 1590, 3975000.0, 10, 159.61187740300227},
    {"ipad_pro_12_9", Curve::kSrgb, 600, 1621.6216216216217, 250, 92.39150975665837},
    {"macbook_pro_16", Curve::kSrgb, 500, 1351.3513513513515, 250, 98.79241965219656},
    {"lg_oled_2017_sdr", Curve::kSrgb, 272, 19428.571428571428, 100, 120.41073840016432},
    {"lg_oled_2017_hdr", Curve::kSrgb, 754, 19842.105263157897, 100, 120.41073840016432},
    {"eizo_CG3146", Curve::kSrgb, 300, 3000, 0, 75.1921884581154},
};
static_assert(std::size(kDisplays) + 1 == std::size(kDisplayNames));

using Matrix3 = std::array<std::array<double, 3>, 3>;
constexpr Matrix3 kXyzOfBt709 = {
    {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.072175}, {0.0193339, 0.119192, 0.9503041}}};
constexpr Matrix3 kXyzOfBt2020 = {{{0.637, 0.1446, 0.1689}, {0.2627, 0.678, 0.0593}, {0.0, 0.0281, 1.061}}};
constexpr Matrix3 kLmsOfXyz = {{{0.187596268556126, 0.585168649077728, -0.026384263306304},
                                {-0.133397430663221, 0.405505777260049, 0.034502127690364},
                                {0.000244379021663, -0.000542995890619, 0.019406849066323}}};
constexpr Matrix3 kDklOfLms = {{{1, 1, 0}, {1, -2.311130179947035, 0}, {-1, -1, 50.97757132871878}}};

// Filters in time: exp(-f^beta / sigma), and about 5 Hz exp(-(f^beta - 5^beta)^2 / sigma).
constexpr double kSigma[kChannels] = {5.79336, 14.1255, 6.63661, 0.12314},
                 kBeta[kChannels] = {1.3314, 1.1196, 0.947901, 0.1898};
constexpr double kChangeRate = 5, kFilterSeconds = 0.25;

// Layers, and the band below them: the least frequency, in cycles in a degree.
constexpr double kFirstLayer = 0.3228, kLeastFrequency = 0.2, kBaseFrequency = 0.1;
constexpr double kFirstLuminance = 0.005, kLastLuminance = 10000, kFirstFrequency = 0.1, kLastFrequency = 64;
constexpr double kSensitivityDecibels = -0.2797423303127289;
// How much of the area counts for light, and how much of its patterns is seen as colour.
constexpr double kAreaOfLight = 0.06038351540515192, kRedGreenOfLight = 2.108602701233502e-5,
                 kVioletOfLight = 1.9472755647820632e-4;
// Stands for all below 0 of red and green, log10 as above.
constexpr double kLeastOfRedGreen = -0.6989700043;

constexpr double kDifferencePower = 2.264355182647705, kMutualLog10 = -0.7954971194267273,
                 kMostLog10 = 2.5642454624176025, kBlurSigma = 3;
constexpr double kMutualPowers[kChannels] = {1.302622675895691, 2.8885908126831055, 3.6807713508605957,
                                             3.588787317276001};
constexpr double kGains[kChannels] = {1, 1.45, 1, 1};
constexpr double kMaskingLog2[kChannels][kChannels] = {
    {-0.18950104713439941, -5.962151050567627, -4.31834602355957, -1.9321587085723877},
    {2.5655593872070312, 0.34406712651252747, -2.719646453857422, -0.4970424771308899},
    {3.8118371963500977, -1.0051705837249756, -0.5193376541137695, -0.5653647780418396},
    {-7.054771423339844, -5.527150630950928, -3.5106418132781982, -2.08804988861084}};

constexpr double kChannelWeights[kChannels] = {1, 1, 1, 0.8081134557723999};
constexpr double kBaseWeights[kChannels] = {0.0036334486212581396, 1.6627724170684814, 4.11874532699585,
                                            25.25969886779785};
constexpr double kJodFactor = 0.0439569391310215, kJodExponent = 0.9302042722702026, kLinearBelow = 0.1;

constexpr double kLog2Of10 = 3.321928094887362;

static double log_10(double x) { return log_2(x) / kLog2Of10; }

static Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 result = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) result[i][j] = (a[i][0] * b[0][j] + a[i][1] * b[1][j]) + a[i][2] * b[2][j];
  }
  return result;
}

// SMPTE ST 2084, in cd/m2.
static double light_of_pq(double v) {
  constexpr double kC1 = 0.8359375, kC2 = 18.8515625, kC3 = 18.6875, kM1 = 0.1593017578125, kM2 = 78.84375;
  const double q = v > 0 ? power(v, 1 / kM2) : 0;
  return q > kC1 ? 10000 * power((q - kC1) / (kC2 - kC3 * q), 1 / kM1) : 0;
}

// The inverse of BT.2100's OETF.
static double light_of_hlg(double v) {
  constexpr double kA = 0.17883277, kB = 1 - 4 * kA;
  const double c = 0.5 - kA * (log_2(4 * kA) / std::numbers::log2e);
  return v <= 0.5 ? v * v / 3 : (elementary::exponential((v - c) / kA) + kB) / 12;
}

static std::vector<float> table_of(Curve curve) {
  if (curve == Curve::kSrgb) return {};
  std::vector<float> table;
  for (int i = 0; i <= light::kCurveSteps; ++i) {
    const double v = static_cast<double>(i) / light::kCurveSteps;
    table.push_back(static_cast<float>(curve == Curve::kPq ? light_of_pq(v) : light_of_hlg(v)));
  }
  table.push_back(table.back());
  return table;
}

// HLG's system gamma in a room that is not as dark as a studio.
static double gamma_of(const Display& display) {
  if (display.peak <= 1000) return 1.2;
  return 1.2 + 0.42 * log_10(display.peak / 1000) - 0.07623 * log_10(display.ambient / 5);
}

static Conversion conversion_of(const Display& display) {
  Conversion made{.curve = display.curve,
                  .scale = static_cast<float>(display.peak - display.black()),
                  .base = static_cast<float>(display.black() + display.reflected()),
                  .peak = static_cast<float>(display.peak),
                  .table = table_of(display.curve)};
  if (display.curve == Curve::kHlg) made.gamma_less_1 = static_cast<float>(gamma_of(display) - 1);
  const Matrix3 matrix =
      product(product(kDklOfLms, kLmsOfXyz), display.has_bt2020_primaries() ? kXyzOfBt2020 : kXyzOfBt709);
  for (size_t i = 0; i < kComponents; ++i) {
    for (size_t j = 0; j < 3; ++j) made.matrix[i][j] = static_cast<float>(matrix[i][j]);
  }
  return made;
}

static double response(size_t channel, double rate) {
  const double raised = rate > 0 ? power(rate, kBeta[channel]) : 0;
  const double off = raised - (channel == kChange ? power(kChangeRate, kBeta[channel]) : 0);
  return elementary::exponential(-(channel == kChange ? off * off : off) / kSigma[channel]);
}

// Symmetric: the taps from the outermost to the middle. Its frequencies are the reference's.
static std::vector<float> filter_of(size_t channel, double fps) {
  const int frames = filter_frames(fps), half = frames / 2;
  std::vector<float> taps;
  for (int j = half; j >= 0; --j) {
    double sum = 0;
    for (int k = 1; k <= half; ++k) {
      const double turn = elementary::sine_cosine(2 * std::numbers::pi * k * j / frames).cosine;
      sum += response(channel, k * (fps / 2) / half) * turn;
    }
    taps.push_back(static_cast<float>((response(channel, 0) + 2 * sum) / frames));
  }
  return taps;
}

// In cycles in a degree, one for each level.
static std::vector<double> frequencies_of(PlaneSize size, double ppd) {
  size_t most = 0;
  while (std::min(size.width, size.height) >> (most + 1) > 0) ++most;
  std::vector<double> made = {ppd / 2};
  for (double next = kFirstLayer * ppd / 2; made.back() > kLeastFrequency; next /= 2) made.push_back(next);
  made.resize(std::min(made.size(), most - 1));
  made.push_back(kBaseFrequency);
  return made;
}

// Sensitivities of the eye to a pattern, at a light in cd/m2 and a frequency, as formulas of castleCSF. With
// these parameters they are those of ColorVideoVDP's table.

// log10 of a parabola over the logarithm of the frequency, and of the share of a pattern's area that counts.
static double tuned(double frequency, double peak, double width) {
  const double distance = log_10(frequency) - log_10(peak);
  return -distance * distance / exp_2(width);
}
static double seen_area(double frequency, double area) {
  return -0.5 * log_10(1 + 1 / (area * frequency * frequency));
}

// log10 of what each mechanism sees.
static double sustained_light(double light, double frequency) {
  const double bright = exp_2(std::max(-7.77268e9 * log_2(1 + 7.54866e-7 / light), -100.0));
  const double peak = 1.62144 * power(1 + 36.6565 / light, -0.255823), flat = log_10(1 - 0.103686);
  const double curve = tuned(frequency, peak, 0.000219263);
  return 2.8671416141050097 - 0.164274 * log_10(1 + 59.5023 / light) + log_10(1 - bright) +
         (frequency < peak ? std::max(curve, flat) : curve) + seen_area(frequency, kAreaOfLight);
}
static double transient_light(double light, double frequency) {
  return 2.7871166599503487 + 0.500846 * log_10(light) + tuned(frequency, 0.0267489, 1.75147) +
         seen_area(frequency, kAreaOfLight);
}
static double red_green(double light, double frequency) {
  return 4.206915547824595 - 0.486759 * log_10(1 + 36.787 / light) + tuned(frequency, 0.000367109, 3.15666) +
         seen_area(frequency, 0.40243797287160743);
}
static double violet(double light, double frequency) {
  return 3.1654231816504685 - 0.38997 * log_10(1 + 70.9537 / light) + tuned(frequency, 0.00194905, 2.92254) +
         seen_area(frequency, 0.6314663349917052);
}

// log10 of the sensitivity of a channel, in ten digits. Patterns of light are also seen as some colour.
static double log10_sensitivity(size_t channel, double light, double frequency) {
  const auto rounded = [](double x) { return std::floor(x * 1e10 + 0.5) / 1e10; };
  const double of_red_green = red_green(light, frequency), of_violet = violet(light, frequency);
  if (channel == kRedGreen) return of_red_green < 0 ? kLeastOfRedGreen : rounded(of_red_green);
  if (channel == kViolet) return rounded(of_violet);
  const double rate = channel == kLight ? 0 : kChangeRate;
  const auto part = [&](size_t mechanism, double log10) {
    return response(mechanism, rate) * exp_2(log10 * kLog2Of10);
  };
  const double whole = part(kLight, sustained_light(light, frequency)) +
                       part(kChange, transient_light(light, frequency)),
               r = kRedGreenOfLight * part(kRedGreen, of_red_green),
               v = kVioletOfLight * part(kViolet, of_violet);
  return rounded(0.5 * log_10(whole * whole + r * r + v * v));
}

// Between two of 32 frequencies, or beyond their ends, for 32 lights; both in equal steps of their
// logarithms.
static Sensitivity sensitivity_of(size_t channel, double frequency) {
  constexpr double kSteps = kLuminances - 1;
  const auto at = [](double first, double last, double step) {
    return power(first, 1 - step / kSteps) * power(last, step / kSteps);
  };
  const double steps = kSteps / (log_10(kLastFrequency) - log_10(kFirstFrequency));
  const double x = (log_10(frequency) - log_10(kFirstFrequency)) * steps;
  const double i = std::floor(std::clamp(x, 0.0, kSteps - 1)), t = x - i;
  const double low = at(kFirstFrequency, kLastFrequency, i),
               high = at(kFirstFrequency, kLastFrequency, i + 1);
  Sensitivity made = {};
  for (size_t k = 0; k < kLuminances; ++k) {
    const double light = at(kFirstLuminance, kLastLuminance, static_cast<double>(k));
    const double a = log10_sensitivity(channel, light, low), b = log10_sensitivity(channel, light, high);
    made[k] = static_cast<float>((a + (b - a) * t + kSensitivityDecibels / 20) * kLog2Of10);
  }
  made[kLuminances] = made[kLuminances - 1];
  return made;
}

static std::vector<Level> levels_of(PlaneSize size, double ppd) {
  std::vector<Level> levels;
  for (const double frequency : frequencies_of(size, ppd)) {
    Level& level = levels.emplace_back(
        Level{.size = size, .layer_gain = levels.empty() ? 1.0F : kLayerGain, .sensitivity = {}});
    for (size_t k = 0; k < kChannels; ++k) level.sensitivity[k] = sensitivity_of(k, frequency);
    size = {(size.width + 1) / 2, (size.height + 1) / 2};
  }
  levels.back().layer_gain = 1;
  return levels;
}

static Power power_of(double exponent) {
  const auto p = static_cast<float>(exponent);
  return {p, exp2_of(p * log2_of(static_cast<float>(kEpsilon)))};
}

static Masking masking() {
  Masking made = {.mutual_gain = static_cast<float>(exp_2(kMutualLog10 * kLog2Of10)),
                  .difference = power_of(kDifferencePower),
                  .most = static_cast<float>(exp_2(kMostLog10 * kLog2Of10))};
  const auto bell = [](int x) { return elementary::exponential(-x * x / (2 * kBlurSigma * kBlurSigma)); };
  double sum = 0;
  for (int x = -kBlurReach; x <= kBlurReach; ++x) sum += bell(x);
  for (int x = 0; x <= kBlurReach; ++x)
    made.blur[static_cast<size_t>(x)] = static_cast<float>(bell(x - kBlurReach) / sum);
  for (size_t k = 0; k < kChannels; ++k) {
    made.gain[k] = static_cast<float>(kGains[k]);
    made.mutual[k] = power_of(kMutualPowers[k]);
    for (size_t j = 0; j < kChannels; ++j) made.weights[j][k] = static_cast<float>(exp_2(kMaskingLog2[j][k]));
  }
  return made;
}

static Constants make_constants() {
  const double first = log_2(kFirstLuminance), span = log_2(kLastLuminance) - first;
  return {.masking = masking(),
          .first_luminance = static_cast<float>(first),
          .luminance_steps = static_cast<float>((kLuminances - 1) / span),
          .sum_offset = static_cast<float>(2 * kEpsilon)};
}

// The slope below kLinearBelow, where the curve begins.
static double linear_slope() { return kJodFactor * power(kLinearBelow, kJodExponent - 1); }

bool Level::is_blurred() const { return std::min(size.width, size.height) > kBlurReach; }

int filter_frames(double fps) {
  const double rate = fps > 0 ? fps : kAssumedFrameRate;
  return 2 * static_cast<int>(std::ceil(rate * kFilterSeconds / 2)) + 1;
}

Display display_of(const Options& options) {
  const auto* const found = std::ranges::find(kDisplays, options.display, &Display::name);
  Display display = found != std::end(kDisplays) ? *found : kDisplays[0];
  if (options.ppd > 0) display.ppd = options.ppd;
  if (options.peak > 0) display.peak = options.peak;
  if (options.contrast > 0) display.contrast = options.contrast;
  if (options.ambient >= 0) display.ambient = options.ambient;
  if (options.reflectivity >= 0) display.reflectivity = options.reflectivity;
  const auto refuse = [](const std::string& reason) { throw usage_error("{}: {}", kFeatureName, reason); };
  if (display.ppd < kLeastPpd) refuse(words("ppd is {} at least", static_cast<int>(kLeastPpd)));
  if (display.contrast < 1) refuse("contrast is 1 at least");
  if (display.curve == Curve::kHlg && display.peak > 1000 && display.ambient <= 0)
    refuse("HLG is not defined for a peak above 1000 cd/m2 without light in the room");
  return display;
}

light::Reading reading_of(const Options& options, const VideoFormat& video) {
  VideoFormat tagged = video;
  if (video.matrix == Matrix::kUnspecified) tagged.matrix = Matrix::kBt709;
  light::Reading reading = light::reading_of({.matrix = options.matrix,
                                              .transfer = "linear",
                                              .primaries = "bt709",
                                              .range = options.range,
                                              .chroma_location = options.chroma_location,
                                              .chroma = options.chroma},
                                             tagged);
  return reading;
}

Plan Cvvdp::make_plan(const Options& options, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  require_sides(kFeatureName, formats, kLeastSide);
  const auto conversion = [&](const VideoFormat& video) {
    return light::make_conversion(reading_of(options, video), video);
  };
  const Display display = display_of(options);
  Plan plan{.options = options,
            .display = display,
            .distorted = conversion(formats.distorted),
            .reference = conversion(*formats.reference),
            .to_dkl = conversion_of(display),
            .levels = levels_of(videos.size, display.ppd),
            .constants = make_constants()};
  const double fps = options.fps > 0 ? options.fps : kAssumedFrameRate;
  for (size_t k = 0; k < kChannels; ++k) plan.filters[k] = filter_of(k, fps);
  return plan;
}

double fourth_norm(std::span<const double> values) {
  const auto fourth = [](double x) { return (x * x) * (x * x); };
  double sum = 0;
  for (const double value : values) sum += fourth(value + kEpsilon) - fourth(kEpsilon);
  return std::sqrt(std::sqrt(sum + kEpsilon)) - std::sqrt(std::sqrt(kEpsilon));
}

double frame_quality(const Plan& plan, std::span<const LevelSums> sums, size_t channels) {
  std::vector<double> of_channels;
  for (size_t k = 0; k < channels; ++k) {
    std::vector<double> of_levels;
    for (size_t i = 0; i < sums.size(); ++i) {
      const double mean = sums[i][k] / plan.levels[i].samples();
      const double norm = std::sqrt(mean + kEpsilon) - std::sqrt(kEpsilon);
      of_levels.push_back(norm * kChannelWeights[k] * (i + 1 == sums.size() ? kBaseWeights[k] : 1.0));
    }
    of_channels.push_back(fourth_norm(of_levels));
  }
  return fourth_norm(of_channels);
}

double jod_of(double q) { return 10 - 10 * lost_part(q); }

double lost_part(double q) {
  return (q > kLinearBelow ? kJodFactor * power(q, kJodExponent) : linear_slope() * q) / 10;
}

std::array<double, kChannels> map_weights(const Plan& plan, size_t level, bool is_still) {
  std::array<double, kChannels> weights = {};
  for (size_t k = 0; k < (is_still ? kStillChannels : kChannels); ++k) {
    weights[k] = kChannelWeights[k] * (is_still ? kStill : 1);
    if (level + 1 == plan.levels.size()) weights[k] *= kBaseWeights[k];
  }
  return weights;
}

double quality_of(double jod) {
  const double lost = 10 - jod;
  if (lost <= linear_slope() * kLinearBelow) return lost / linear_slope();
  return power(lost / kJodFactor, 1 / kJodExponent);
}

double averaged(double jod) {
  const double q = quality_of(jod);
  return q * (q + 2 * kEpsilon);
}

double score_of_mean(double mean) { return jod_of(std::sqrt(mean + kEpsilon) - std::sqrt(kEpsilon)); }

}  // namespace vq::cvvdp
