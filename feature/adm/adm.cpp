#include "feature/adm/adm.h"

namespace vq::adm {
namespace {

constexpr std::string_view kDetailLoss = "detail loss", kImpairment = "added impairment";

// 1 is detail as in the reference; a little more or less comes of rounding, much more of sharpening.
constexpr MetricInfo kAdm2 = {.name = "integer_adm2",
                              .title = "ADM2",
                              .subject = kDetailLoss,
                              .better = Better::kHigher,
                              .usual_top = 1,
                              .explanation =
                                  "How much of the reference's detail eyes still find: 1 for all of it, 0 "
                                  "for none. Detail that is sharper "
                                  "than the reference's may take it beyond 1.",
                              .decimals = 4};
constexpr MetricInfo kAim = {
    .name = "integer_aim",
    .title = "AIM",
    .subject = kImpairment,
    .better = Better::kLower,
    .flawless = 0,
    .explanation =
        "How much eyes find that the reference does not have, such as blocks and ringing, as a share of the "
        "reference's detail: 0 for nothing.",
    .decimals = 4};
constexpr MetricInfo kAdm3 = {.name = "integer_adm3",
                              .title = "ADM3",
                              .subject = kDetailLoss,
                              .better = Better::kHigher,
                              .usual_top = 1,
                              .explanation =
                                  "Detail that is kept and impairments that are added in one score: a mean "
                                  "of ADM2 and of 1 less AIM, by default with equal weights.",
                              .decimals = 4};

constexpr MetricInfo of_scale(std::string_view name, std::string_view title) {
  MetricInfo info = kAdm2;
  info.name = name;
  info.title = title;
  info.explanation =
      "The same for detail of one size: scale 0 is the finest, and each further one twice as coarse.";
  info.is_detail = true;
  return info;
}
constexpr MetricInfo of_fraction(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .subject = kDetailLoss, .decimals = 4, .is_detail = true};
}
constexpr MetricInfo again(std::string_view name, std::string_view title) {
  MetricInfo info = kAdm2;
  info.name = name;
  info.title = title;
  info.is_detail = true;
  return info;
}
constexpr MetricInfo kMetrics[] = {with_full_name(kAdm2, "VMAF_integer_feature_adm2_score"),
                                   with_full_name(kAim, "VMAF_integer_feature_aim_score"),
                                   with_full_name(kAdm3, "VMAF_integer_feature_adm3_score"),
                                   of_scale("integer_adm_scale0", "ADM at scale 0"),
                                   of_scale("integer_adm_scale1", "ADM at scale 1"),
                                   of_scale("integer_adm_scale2", "ADM at scale 2"),
                                   of_scale("integer_adm_scale3", "ADM at scale 3"),
                                   again("integer_adm", "ADM2 once more"),
                                   of_fraction("integer_adm_num", "restored detail"),
                                   of_fraction("integer_adm_den", "reference detail"),
                                   of_fraction("integer_adm_num_scale0", "restored detail at scale 0"),
                                   of_fraction("integer_adm_den_scale0", "reference detail at scale 0"),
                                   of_fraction("integer_adm_num_scale1", "restored detail at scale 1"),
                                   of_fraction("integer_adm_den_scale1", "reference detail at scale 1"),
                                   of_fraction("integer_adm_num_scale2", "restored detail at scale 2"),
                                   of_fraction("integer_adm_den_scale2", "reference detail at scale 2"),
                                   of_fraction("integer_adm_num_scale3", "restored detail at scale 3"),
                                   of_fraction("integer_adm_den_scale3", "reference detail at scale 3")};

// Options that the reference implementation accepts and that change nothing, or nothing to the better.
std::vector<std::string> advice(const OptionSet& set, const VideoFormats&) {
  std::vector<std::string> lines;
  const AdmOptions options = options_of<Adm>(set);
  const bool is_barten = options.csf_mode == CsfMode::kBarten;
  for (const char* const name : {"adm_csf_scale", "adm_csf_diag_scale"}) {
    if (is_barten || set.is_default(name)) continue;
    lines.push_back(std::string(name) + " has no effect: it counts only with adm_csf_mode=1");
  }
  if (is_barten && sensitivity_overflows(options)) {
    lines.push_back(
        "adm_csf_mode=1 overflows the reference's arithmetic with these factors, and scores mean nothing; "
        "try adm_csf_scale=0.01:adm_csf_diag_scale=0.005");
  }
  return lines;
}

DetailRow to_be_read(const PerBand<int32_t*>& rows) { return {rows[0], rows[1], rows[2]}; }

// One frame on its way through the scales.
class FramePass {
 public:
  FramePass(const Samples& reference, const Samples& distorted, const AdmPlan& plan, const Stages& stages,
            Workspace& workspace)
      : pictures_{reference, distorted}, plan_(plan), stages_(stages), workspace_(workspace) {}

  FrameSums run() {
    for (int row = 0; row < plan_.scales[0].height; ++row) make_row(0, row);
    return sums_;
  }

 private:
  // All that follows from a row of a scale's bands.
  void make_row(size_t scale, int row) {
    const ScalePlan& plan = plan_.scales[scale];
    const bool counts = (scale > 0 || !plan_.options.skip_scale0) && plan.masking_rows.contains(row);
    const Span columns = counts ? plan.masking_columns : Span{};
    make_bands(scale, row, ScaleRows::kReference, columns);
    make_bands(scale, row, ScaleRows::kDistorted, columns);
    if (counts) add_detail(scale, row);
    if (scale + 1 < kScales) make_rows_after(scale + 1, row);
  }

  // The rows of a scale that its input from `last` on, and no row before, allows for.
  void make_rows_after(size_t scale, int last) {
    const ScalePlan& plan = plan_.scales[scale];
    int& next = next_rows_[scale];
    while (next < plan.height && std::min(2 * next + 2, plan.input_height - 1) <= last)
      make_row(scale, next++);
  }

  void make_bands(size_t scale, int row, ScaleRows::Video video, Span columns) {
    const ScalePlan& plan = plan_.scales[scale];
    ScaleRows& rows = workspace_.scales[scale];
    BandRow out = {.a = nullptr, .detail = rows.detail(video), .columns = columns};
    if (scale + 1 < kScales) out.a = workspace_.scales[scale + 1].input(video, row);
    if (scale == 0) return stages_.fine_wavelet(pictures_[video], row, plan, rows.filtered_fine(), out);
    std::array<const int32_t*, 4> in;
    for (int i = 0; i < 4; ++i) {
      in[static_cast<size_t>(i)] = rows.input(video, mirrored(2 * row - 1 + i, plan.input_height));
    }
    stages_.coarse_wavelet(in, plan, rows.filtered_coarse(), out);
  }

  void add_detail(size_t scale, int row) {
    const ScalePlan& plan = plan_.scales[scale];
    ScaleRows& rows = workspace_.scales[scale];
    const DetailRow reference = to_be_read(rows.detail(ScaleRows::kReference));
    const DetailRow distorted = to_be_read(rows.detail(ScaleRows::kDistorted));
    const PartRow restored = rows.part(ScaleRows::kRestored, row), added = rows.part(ScaleRows::kAdded, row);
    if (plan.rows.contains(row)) {
      add_reference_row(plan, stages_.reference_cubes(reference, plan), sums_[scale].reference);
    }
    (plan.is_finest ? stages_.fine_decouple : stages_.coarse_decouple)(reference, distorted, plan, restored,
                                                                       added);
    const auto weigh = plan.is_finest ? stages_.fine_weigh : stages_.coarse_weigh;
    weigh(plan, restored);
    weigh(plan, added);
    // A row is masked once its neighbours are there; the last one's lower neighbour is itself.
    if (plan.rows.contains(row - 1)) add_masked(scale, row - 1);
    if (row + 1 == plan.height && plan.rows.contains(row)) add_masked(scale, row);
  }

  void add_masked(size_t scale, int row) {
    const ScalePlan& plan = plan_.scales[scale];
    const auto masked = [&](ScaleRows::Part signal, ScaleRows::Part masker) {
      ScaleRows& rows = workspace_.scales[scale];
      const PartRow here = rows.part(masker, row);
      const MaskerRows around = {.above = rows.part(masker, mirrored(row - 1, plan.height)).side,
                                 .here = here.side,
                                 .below = rows.part(masker, mirrored(row + 1, plan.height)).side,
                                 .centre = here.centre};
      return stages_.masked_cubes(to_be_read(rows.part(signal, row).signal), around, plan);
    };
    add_masked_row(plan, masked(ScaleRows::kRestored, ScaleRows::kAdded), sums_[scale].restored);
    if (plan_.options.skip_aim) return;
    add_masked_row(plan, masked(ScaleRows::kAdded, ScaleRows::kRestored), sums_[scale].added);
  }

  const std::array<Samples, 2> pictures_;
  const AdmPlan& plan_;
  const Stages& stages_;
  Workspace& workspace_;
  std::array<int, kScales> next_rows_ = {};
  FrameSums sums_ = {};
};

constexpr int kVideos = 2;

// Rows with room for what stages write behind them.
template <typename T>
Plane<T> make_rows(int width, int count) {
  return Plane<T>(width + kRowSlack, count);
}

}  // namespace

ScaleRows::ScaleRows(const ScalePlan& plan)
    : details_(make_rows<int32_t>(plan.width, kVideos * static_cast<int>(kBands))),
      parts_(make_rows<int32_t>(plan.width, 2 * kParts * kPartRows)) {
  if (plan.is_finest) {
    filtered_fine_ = make_rows<int16_t>(plan.input_width, 2);
  } else {
    inputs_ = make_rows<int32_t>(plan.input_width, kVideos * kInputs);
    filtered_coarse_ = make_rows<int32_t>(plan.input_width, 2);
  }
}

PerBand<int32_t*> ScaleRows::detail(Video video) {
  const int first = video * static_cast<int>(kBands);
  return {details_.row(first), details_.row(first + 1), details_.row(first + 2)};
}

PartRow ScaleRows::part(Part part, int i) {
  const int first = (part * kParts + i % kParts) * kPartRows;
  return {.signal = {parts_.row(first), parts_.row(first + 1), parts_.row(first + 2)},
          .side = parts_.row(first + 3),
          .centre = parts_.row(first + 4)};
}

Workspace::Workspace(const AdmPlan& plan) {
  for (const ScalePlan& scale : plan.scales) scales.emplace_back(scale);
}

FrameSums sum_frame(const Samples& reference, const Samples& distorted, const AdmPlan& plan,
                    const Stages& stages, Workspace& workspace) {
  return FramePass(reference, distorted, plan, stages, workspace).run();
}

namespace {

class AdmHost final : public WorkspaceHost<AdmPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const Samples reference = {frames.reference.value().luma(), plan_.videos.reference_shift};
    const Samples distorted = {frames.distorted.luma(), plan_.videos.distorted_shift};
    const auto workspace = workspaces_.take();
    return {.values = frame_scores(plan_, sum_frame(reference, distorted, plan_, stages_, *workspace))};
  }
};

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Adm, AdmHost>(
      {.name = "adm",
       .summary =
           "detail that is lost and impairments that are added, against the reference (adm2, aim, adm3)",
       .publication = {.citation =
                           "S. Li, F. Zhang, L. Ma, K. N. Ngan: Image Quality Assessment by Separately "
                           "Evaluating Detail "
                           "Losses and Additive Impairments. IEEE Transactions on Multimedia 13(5), 2011",
                       .doi = "10.1109/TMM.2011.2152382"},
       .metrics = kMetrics,
       .advice = advice});
  return kInfo;
}

// The tables and the order of operations are those of "optimized routines" (Arm, 2018), which both C
// libraries took powf() from: a number is 2^e z with z close to 1, its logarithm e + log2(c) + log2(z / c)
// with c from a table, and a power of 2 a power of 2^(1/32) from a table times a polynomial.
constexpr int kIntervals = 16;
// For each interval of z: 1/c and log2(c).
constexpr std::array<double, kIntervals> kInverses = {
    0x1.661ec79f8f3bep+0, 0x1.571ed4aaf883dp+0,
    0x1.49539f0f010bp+0,  0x1.3c995b0b80385p+0,
    0x1.30d190c8864a5p+0, 0x1.25e227b0b8eap+0,
    0x1.1bb4a4a1a343fp+0, 0x1.12358f08ae5bap+0,
    0x1.0953f419900a7p+0, 0x1p+0,
    0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,
    0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1,
    0x1.886e6037841edp-1, 0x1.767dcf5534862p-1,
};
constexpr std::array<double, kIntervals> kLogs = {
    -0x1.efec65b963019p-2, -0x1.b0b6832d4fca4p-2,
    -0x1.7418b0a1fb77bp-2, -0x1.39de91a6dcf7bp-2,
    -0x1.01d9bf3f2b631p-2, -0x1.97c1d1b3b7afp-3,
    -0x1.2f9e393af3c9fp-3, -0x1.960cbbf788d5cp-4,
    -0x1.a6f9db6475fcep-5, 0x0p+0,
    0x1.338ca9f24f53dp-4,  0x1.476a9543891bap-3,
    0x1.e840b4ac4e4d2p-3,  0x1.40645f0c6651cp-2,
    0x1.88e9c2c1b9ff8p-2,  0x1.ce0a44eb17bccp-2,
};
// Coefficients of log2(1 + r), the highest power first.
constexpr std::array<double, 5> kLogTerms = {
    0x1.27616c9496e0bp-2,  -0x1.71969a075c67ap-2, 0x1.ec70a6ca7baddp-2,
    -0x1.7154748bef6c8p-1, 0x1.71547652ab82bp+0,
};
constexpr int kSteps = 32;
// 2^(i/32).
constexpr std::array<double, kSteps> kPowers = {
    0x1p+0,
    0x1.059b0d3158574p+0,
    0x1.0b5586cf9890fp+0,
    0x1.11301d0125b51p+0,
    0x1.172b83c7d517bp+0,
    0x1.1d4873168b9aap+0,
    0x1.2387a6e756238p+0,
    0x1.29e9df51fdee1p+0,
    0x1.306fe0a31b715p+0,
    0x1.371a7373aa9cbp+0,
    0x1.3dea64c123422p+0,
    0x1.44e086061892dp+0,
    0x1.4bfdad5362a27p+0,
    0x1.5342b569d4f82p+0,
    0x1.5ab07dd485429p+0,
    0x1.6247eb03a5585p+0,
    0x1.6a09e667f3bcdp+0,
    0x1.71f75e8ec5f74p+0,
    0x1.7a11473eb0187p+0,
    0x1.82589994cce13p+0,
    0x1.8ace5422aa0dbp+0,
    0x1.93737b0cdc5e5p+0,
    0x1.9c49182a3f090p+0,
    0x1.a5503b23e255dp+0,
    0x1.ae89f995ad3adp+0,
    0x1.b7f76f2fb5e47p+0,
    0x1.c199bdd85529cp+0,
    0x1.cb720dcef9069p+0,
    0x1.d5818dcfba487p+0,
    0x1.dfc97337b9b5fp+0,
    0x1.ea4afa2a490dap+0,
    0x1.f50765b6e4540p+0,
};
// Coefficients of 2^r, the highest power first; the last term is 1.
constexpr std::array<double, 3> kPowerTerms = {
    0x1.c6af84b912394p-5,
    0x1.ebfce50fac4f3p-3,
    0x1.62e42ff0c52d6p-1,
};
// The bits of the float where the first interval begins: about 0.7.
constexpr uint32_t kFirst = 0x3f330000;
constexpr int kMantissaBits = 23;
constexpr double kThird = 1.0F / 3.0F;

// log2 of the positive normal float with these bits, times 2^exponent.
static double log2_of(uint32_t bits, int exponent) {
  const auto offset = static_cast<int32_t>(bits - kFirst);
  const auto i = static_cast<size_t>((offset >> (kMantissaBits - 4)) & (kIntervals - 1));
  const int32_t e = offset >> kMantissaBits;
  const double z = std::bit_cast<float>(bits - (static_cast<uint32_t>(e) << kMantissaBits));
  const double r = z * kInverses[i] - 1;
  const double r2 = r * r;
  double low = kLogTerms[4] * r + (kLogs[i] + (e + exponent));
  low = (kLogTerms[2] * r + kLogTerms[3]) * r2 + low;
  return (kLogTerms[0] * r + kLogTerms[1]) * (r2 * r2) + low;
}

// Needs: a y of a few hundred at most.
static float power_of_2(double y) {
  const auto n = static_cast<int>(std::nearbyint(y * kSteps));
  const double r = y - static_cast<double>(n) / kSteps;
  const double scale = std::ldexp(kPowers[static_cast<size_t>(n & (kSteps - 1))], n >> 5);
  return static_cast<float>(((kPowerTerms[0] * r + kPowerTerms[1]) * (r * r) + (kPowerTerms[2] * r + 1)) *
                            scale);
}

float cube_root(float x) {
  if (x == 0) return 0;
  if (!(x > 0)) return std::numeric_limits<float>::quiet_NaN();
  if (std::isinf(x)) return x;
  if (x >= std::numeric_limits<float>::min())
    return power_of_2(kThird * log2_of(std::bit_cast<uint32_t>(x), 0));
  const float normal = x * static_cast<float>(1 << kMantissaBits);
  return power_of_2(kThird * log2_of(std::bit_cast<uint32_t>(normal), -kMantissaBits));
}

}  // namespace vq::adm
