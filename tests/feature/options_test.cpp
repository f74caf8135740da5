// Options of metrics as one table: their defaults, what they take and refuse, and what metrics are called
// with them.
#include "feature/feature.h"
#include "tests/support/option_rows.h"

namespace vq::test {
namespace {

using Words = std::vector<std::string_view>;

struct Option {
  Words features;
  const char *name, *standard;
  Texts taken = {}, refused = {};
};
const Words kSpeed = {"speed_chroma", "speed_temporal"};

// In the order of each feature; those of light, which stand before Butteraugli's, SSIMULACRA 2's and
// Delta E ITP's, are left out. What SpEED-QA, motion and VIF take is libvmaf's.
const Option kOptions[] = {
    {{"cvvdp"}, "display", "auto", {"standard_fhd", "standard_hdr_hlg"}, {"standard_8k"}},
    {{"cvvdp"}, "ppd", "0", {"37.8", "400"}, {"-1", "401"}},
    {{"cvvdp"}, "peak", "0", {"100", "10000"}, {"10001"}},
    {{"cvvdp"}, "contrast", "0", {"1000"}, {"-1"}},
    {{"cvvdp"}, "ambient", "-1", {"0", "250"}, {"-2"}},
    {{"cvvdp"}, "reflectivity", "-1", {"0", "0.01"}, {"1.1"}},
    {{"cvvdp"}, "fps", "0", {"23.976", "240"}, {"241"}},
    {{"cvvdp"}, "matrix", "auto", {"bt601", "bt2020"}, {"bt470"}},
    {{"cvvdp"}, "range", "auto", {"limited", "full"}, {"pc"}},
    {{"cvvdp"}, "chroma_location", "auto", {"left", "topleft"}, {"right"}},
    {{"cvvdp"}, "chroma", "bilinear", {"cubic", "repeat"}, {"nearest"}},
    {{"cvvdp"}, "padding", "replicate", {"symmetric"}, {"valid"}},
    {{"butteraugli"}, "intensity", "80", {"1", "203", "10000"}, {"0.5", "10001"}},
    {{"butteraugli"}, "asymmetry", "1", {"0.1", "0.8", "10"}, {"0.09", "10.1"}},
    {{"ssimulacra2"}, "form", "short", {"exact"}, {"long"}},
    {{"itp"}, "white", "100", {"10", "203", "10000"}, {"9", "10001"}},
    {{"siti"}, "form", "legacy", {"full", "pq"}, {"pu21"}},
    {{"stretches"}, "black_level", "0.1", {"0", "0.2", "1"}, {"-0.1", "1.1"}},
    {{"siti", "stretches"}, "range", "auto", {"limited", "full"}, {"tv"}},
    {{"siti", "stretches"}, "transfer", "auto", {"bt1886", "pq", "hlg"}, {"srgb"}},
    {{"stretches"}, "freeze", "-1", {"0", "2", "86400"}, {"-2", "86401"}},
    {{"stretches"}, "noise", "0.001", {"0", "1"}, {"-0.1", "1.1"}},
    {{"butteraugli", "cvvdp", "ssimulacra2"}, "heatmaps_path", "", {"maps"}},
    {{"motion"}, "motion_force_zero", "false", {"true"}},
    {{"motion"}, "motion_blend_factor", "1", {"0", "0.5"}, {"1.01", "-0.1"}},
    {{"motion"}, "motion_blend_offset", "40", {"0", "3.25", "1000"}, {"1001"}},
    {{"motion"}, "motion_fps_weight", "1", {"1.7", "5"}, {"5.5"}},
    {{"motion"}, "motion_max_val", "10000", {"0", "18"}, {"nan", "10001"}},
    {{"motion"}, "motion_five_frame_window", "false", {"true"}, {"yes"}},
    {{"motion"}, "motion_moving_average", "false", {"true"}},
    {kSpeed, "speed_kernelscale", "1", {"0.1", "2.4", "4"}, {"0.05", "4.1"}},
    {kSpeed, "speed_prescale", "1", {"0.1", "0.5", "4"}, {"0.09", "4.01"}},
    {kSpeed, "speed_prescale_method", "nearest", {"bilinear", "bicubic", "lanczos4"}, {"lanczos"}},
    {kSpeed, "speed_sigma_nn", "0.29", {"0.1", "0.19", "2"}, {"0.09", "2.1"}},
    {kSpeed, "speed_nn_floor", "0", {"0.1", "1"}, {"1.1", "-0.1"}},
    {{"speed_chroma"}, "speed_weight_var_mode", "0", {"5", "6"}, {"7", "-1"}},
    {kSpeed, "speed_max_val", "1000", {"0", "45"}, {"1001"}},
    {{"speed_temporal"}, "speed_use_ref_diff", "false", {"true"}, {"1"}},
    {{"vif"}, "vif_enhn_gain_limit", "100", {"1", "1.05"}, {"0.99", "100.1", "nan", "inf", "1.0abc", "-1"}},
    {{"vif"}, "vif_skip_scale0", "false", {"true"}, {"yes"}},
    {{"motion", "vif"}, "debug", "false", {"true"}, {"True"}},
};

TEST(Options, TakeWhatIsInTheirRanges) {
  std::map<std::string_view, Words> names;
  for (const auto& [features, name, usual, taken, refused] : kOptions) {
    for (const std::string_view feature : features) {
      SCOPED_TRACE(std::string(feature) + ", " + name);
      names[feature].push_back(name);
      const OptionSet standard(find_feature(feature).options);
      EXPECT_EQ(standard.text(name), usual);
      for (const char* text : taken) {
        const OptionSet set = set_of(standard.specs(), {{name, text}});
        for (const OptionSpec& spec : standard.specs())
          EXPECT_EQ(set.text(spec.name), spec.name == name ? text : standard.text(spec.name));
      }
      for (const std::string text : refused)
        EXPECT_THROW(set_of(standard.specs(), {{name, text}}), Error) << text;
    }
  }
  for (const auto& [feature, expected] : names) {
    Words found;
    for (const OptionSpec& spec : find_feature(feature).options) found.push_back(spec.name);
    const bool has_light = feature == "butteraugli" || feature == "itp" || feature == "ssimulacra2";
    if (has_light) found.erase(found.begin(), found.begin() + 6);
    EXPECT_EQ(found, expected) << feature;
  }
}

TEST(Options, EnterMetricNamesWhereTheyDiffer) {
  struct Row {
    const char* feature;
    std::vector<std::pair<std::string, std::string>> options;
    Texts names;
  };
  const Row rows[] = {
      {"bounds",
       {{"threshold", "20"}, {"tolerance", "0.02"}},
       {"bounds_share_thr_20_tol_0.02", "bounds_x_thr_20_tol_0.02", "bounds_y_thr_20_tol_0.02",
        "bounds_width_thr_20_tol_0.02", "bounds_height_thr_20_tol_0.02"}},
      {"butteraugli", {}, {"butteraugli", "butteraugli_3norm", "butteraugli_norm3", "butteraugli_norm2"}},
      {"butteraugli",
       {{"intensity", "203"}, {"asymmetry", "0.8"}},
       {"butteraugli_asymmetry_0.8_intensity_203", "butteraugli_3norm_asymmetry_0.8_intensity_203",
        "butteraugli_norm3_asymmetry_0.8_intensity_203", "butteraugli_norm2_asymmetry_0.8_intensity_203"}},
      {"psnr_hvs", {}, {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"}},
      {"itp",
       {{"white", "203"}},
       {"delta_e_itp_white_203", "delta_e_itp_p95_white_203", "delta_e_itp_p99_white_203",
        "delta_e_itp_max_white_203", "delta_e_itp_visible_white_203", "psnr_pq_y_white_203",
        "psnr_pq_rgb_white_203"}},
      {"light",
       {{"transfer", "pq"}},
       {"light_max_transfer_pq", "light_mean_transfer_pq", "light_p50_transfer_pq", "light_p99_transfer_pq",
        "light_p99_9_transfer_pq", "light_p99_99_transfer_pq"}},
      {"psnr",
       {{"luma_weight", "6"}, {"enable_chroma", "true"}},
       {"psnr_y", "psnr_cb", "psnr_cr", "psnr_yuv"}},
      {"psnr", {{"luma_weight", "14"}, {"enable_chroma", "false"}}, {"psnr_y", "psnr_yuv_14"}},
      {"siti", {{"form", "pq"}, {"range", "full"}}, {"si_pq_range_full", "ti_pq_range_full"}},
      {"stretches",
       {{"transfer", "pq"}, {"freeze", "2"}, {"noise", "0.01"}},
       {"black_share_transfer_pq", "flash_rate_transfer_pq", "frozen_run_freeze_2_noise_0.01"}},
      {"ssimulacra2", {}, {"ssimulacra2"}},
      {"ssimulacra2",
       {{"transfer", "srgb"}, {"chroma", "repeat"}},
       {"ssimulacra2_chroma_repeat_transfer_srgb"}},
      {"xpsnr", {}, {"xpsnr_y", "xpsnr_u", "xpsnr_v", "xpsnr_min", "xpsnr_weighted"}},
      {"xpsnr", {{"fps", "60"}, {"enable_chroma", "false"}}, {"xpsnr_y", "xpsnr_min"}},
  };
  for (const Row& row : rows) {
    const FeatureInfo& info = find_feature(row.feature);
    EXPECT_THAT(info.metric_names(set_of(info.options, row.options)), ElementsAreArray(row.names))
        << row.feature;
  }
}

VideoFormat video(int width, int height, Chroma chroma = Chroma::k420, int bit_depth = 8) {
  return {.name = "show.mkv", .width = width, .height = height, .bit_depth = bit_depth, .chroma = chroma};
}

void check(std::string_view feature, const VideoFormats& formats,
           const std::vector<std::pair<std::string, std::string>>& options = {}) {
  const FeatureInfo& info = find_feature(feature);
  info.check(set_of(info.options, options), formats);
}

TEST(Videos, AreRefusedThatAreTooSmallOrLackWhatIsCompared) {
  const VideoFormat grey = video(640, 360, Chroma::k400), deep = video(640, 360, Chroma::k420, 14),
                    full = video(640, 360, Chroma::k444), other = video(640, 360, Chroma::kOther);
  struct Row {
    const char* feature;
    VideoFormat distorted, reference;
    Words parts;
    std::vector<std::pair<std::string, std::string>> options = {};
  };
  const std::vector<std::pair<std::string, std::string>> half = {{"speed_prescale", "0.5"}};
  for (const Row& row : {Row{"butteraugli", video(640, 360), other, {"show.mkv"}},
                         {"ciede", video(640, 360), grey, {"show.mkv", "4:0:0"}},
                         {"psnr_hvs", video(15, 14), video(15, 14), {"show.mkv", "8x7", "8x8"}},
                         {"psnr_hvs", grey, grey, {"show.mkv", "4:0:0"}},
                         {"psnr_hvs", deep, deep, {"show.mkv", "14", "12"}},
                         {"psnr_hvs", video(640, 360), deep, {"14"}},
                         {"psnr_hvs", video(640, 360), full, {"4:2:0", "4:4:4"}},
                         {"speed_chroma", video(160, 158), video(160, 158), {"show.mkv", "80x79", "80x80"}},
                         {"speed_chroma", video(316, 318), video(316, 318), {"79x80"}, half},
                         {"speed_chroma", grey, grey, {"show.mkv", "4:0:0"}},
                         {"speed_chroma", video(640, 360), grey, {"4:0:0"}},
                         {"speed_chroma", video(640, 360), full, {"4:2:0", "4:4:4"}},
                         {"cvvdp", video(7, 100), video(7, 100), {"8"}},
                         {"ssimulacra2", video(7, 100), video(7, 100), {"8"}},
                         {"vif", video(7, 100), video(7, 100), {"7x100", "8"}},
                         {"vif", video(100, 7), video(100, 7), {"show.mkv is 100x7;", "8"}}}) {
    const std::string message = expect_error(ErrorKind::kMismatch, {row.feature}, [&] {
      check(row.feature, {row.distorted, row.reference}, row.options);
    });
    for (const std::string_view part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
  }
  for (const auto& [feature, least] : {std::pair{"motion", video(1, 1)},
                                       {"psnr_hvs", video(15, 15)},
                                       {"speed_chroma", video(160, 160)},
                                       {"speed_temporal", grey},
                                       {"cvvdp", video(8, 8)},
                                       {"ssimulacra2", video(8, 8)},
                                       {"vif", video(8, 8)}})
    EXPECT_NO_THROW(check(feature, {least, least})) << feature;
  EXPECT_NO_THROW(check("speed_chroma", {video(318, 318), video(318, 318)}, half));
  expect_error(ErrorKind::kUsage, {"speed_kernelscale: "}, [&] {
    check("speed_chroma", {full, full}, {{"speed_kernelscale", "2.5"}});
  });
}

}  // namespace
}  // namespace vq::test
