// Every feature against its reference implementation's figures, on the CPU.
#include "feature/vif/vif.h"
#include "tests/support/golden_cases.h"

namespace vq::cli::test {
namespace {

// A frame of each depth, odd sides, pictures that are flat, alike or have nothing in common.
bool is_single_frame(const json& golden) {
  return golden.at("frames").size() == 1 &&
         golden.at("distorted").get<std::string>().find("3840") == std::string::npos;
}
GoldenChoice ssim_frames() {
  return those([](const json& golden) {
    const json& options = golden.at("options");
    return is_single_frame(golden) && options.contains("enable_lcs") && !options.contains("scale");
  });
}
GoldenChoice ssim_options() {
  return those([](const json& golden) {
    return golden.at("reference") == "sky_640x360_8b.mp4" || golden.at("options").contains("scale");
  });
}
GoldenChoice of_clips(std::vector<std::string> clips) {
  return those(
      [clips = std::move(clips)](const json& golden) { return contains(clips, golden.at("reference")); });
}

constexpr int64_t kSmall = int64_t{640} * 360;
const std::vector<GoldenWay> kCpu = {{"cpu"}}, kCpuAndScalar = {{"cpu"}, {"scalar"}},
                             kSsimulacra2Ways = {{"cpu"}, {"cpu", 0x38}, {"scalar"}};

class Golden : public GoldenTests {};

TEST_P(Golden, EqualsTheReference) { expect_reference(); }

INSTANTIATE_TEST_SUITE_P(
    Quick, Golden,
    ::testing::Values(
        // Sides from 33 samples on, odd ones, depths of 8 to 16 bits, gain limits, a wrapping threshold, and
        // a flat reference; then several frames, the options of the models, and every other option.
        GoldenTest{"adm_pictures", "adm", numbered({6, 15, 28, 30, 31, 36, 48, 54, 57, 58, 62}), host_ways()},
        GoldenTest{"adm_clips", "adm", numbered({1, 17, 20, 35, 40, 42, 53, 55, 56, 60, 61}), kCpu},
        GoldenTest{"bounds", "bounds", all_cases(), kCpuAndScalar},
        GoldenTest{"butteraugli", "butteraugli", up_to(kSmall), kCpu},
        GoldenTest{"butteraugli_ways", "butteraugli",
                   of_clips({"colour_357x355_8b_ref.mkv", "tiny_128x96_8b.mp4"}), host_ways()},
        GoldenTest{"cambi", "cambi", all_cases(), {{"auto"}}},
        GoldenTest{"ciede", "ciede", those(is_single_frame), host_ways()},
        GoldenTest{"cvvdp", "cvvdp", up_to(1000000), kCpu},
        GoldenTest{"cvvdp_ways", "cvvdp", of_clips({"colour_357x355_8b_ref.mkv", "tiny_128x96_8b.mp4"}),
                   host_ways()},
        GoldenTest{"histogram", "histogram", all_cases(), kCpuAndScalar},
        GoldenTest{"itp", "itp", all_cases(), host_ways()},
        GoldenTest{"light", "light", all_cases(), host_ways()},
        // Several depths, and sides from 3 samples on; then options, sampled and skipped frames.
        GoldenTest{"motion_pictures", "motion", up_to(4000), host_ways()},
        GoldenTest{"motion_clips", "motion", numbered({6, 17, 23, 32, 38, 42, 45, 47, 63, 64, 65}), kCpu},
        GoldenTest{"ms_ssim_frames", "float_ms_ssim", ssim_frames(), host_ways()},
        GoldenTest{"ms_ssim_options", "float_ms_ssim", ssim_options(), kCpu},
        GoldenTest{"psnr", "psnr", all_cases(), kCpuAndScalar},
        // Every depth and sampling, one picture against itself, and two depths.
        GoldenTest{"psnr_hvs", "psnr_hvs", numbered({3, 8, 12, 13, 14, 19, 22, 23, 24, 27, 30, 31}),
                   host_ways()},
        GoldenTest{"psnr_yuv", "psnr_yuv", all_cases(), kCpuAndScalar},
        GoldenTest{"siti", "siti", all_cases(), host_ways()},
        // Each kind of picture, method, width of filters, and weight.
        GoldenTest{"speed_chroma", "speed_chroma",
                   numbered({3, 6, 14, 15, 16, 29, 35, 41, 42, 45, 46, 48, 51, 52, 53, 54, 55, 56}),
                   host_ways()},
        GoldenTest{"speed_temporal", "speed_temporal", numbered({0, 3, 6}), host_ways()},
        GoldenTest{"ssim_frames", "float_ssim", ssim_frames(), host_ways()},
        GoldenTest{"ssim_options", "float_ssim", ssim_options(), kCpu},
        GoldenTest{"ssimulacra2", "ssimulacra2", up_to(kSmall), kSsimulacra2Ways},
        GoldenTest{"stretches", "stretches", all_cases(), kCpuAndScalar},
        // Each depth, and borders that reach far into the picture; then options, sampled and skipped frames.
        GoldenTest{"vif_pictures", "vif", up_to(4000), host_ways()},
        GoldenTest{"vif_clips", "vif", numbered({1, 6, 7, 37, 62, 63}), kCpu},
        GoldenTest{"xpsnr_pictures", "xpsnr", up_to(150000), host_ways()},
        GoldenTest{"xpsnr", "xpsnr", all_cases(), kCpu}),
    name_of);

class GoldenOfEverySize : public GoldenTests {};

TEST_P(GoldenOfEverySize, EqualsTheReference) { expect_reference(); }

INSTANTIATE_TEST_SUITE_P(
    Long, GoldenOfEverySize,
    ::testing::Values(GoldenTest{"adm", "adm", all_cases(), host_ways()},
                      GoldenTest{"butteraugli", "butteraugli", larger_than(kSmall), kCpu},
                      GoldenTest{"ciede", "ciede", all_cases(), host_ways()},
                      GoldenTest{"motion", "motion", all_cases(), host_ways()},
                      GoldenTest{"ms_ssim", "float_ms_ssim", all_cases(), host_ways()},
                      GoldenTest{"psnr_hvs", "psnr_hvs", all_cases(), host_ways()},
                      GoldenTest{"speed_chroma", "speed_chroma", all_cases(), host_ways()},
                      GoldenTest{"speed_temporal", "speed_temporal", all_cases(), host_ways()},
                      GoldenTest{"ssim", "float_ssim", all_cases(), host_ways()},
                      GoldenTest{"ssimulacra2", "ssimulacra2", larger_than(kSmall), kSsimulacra2Ways},
                      GoldenTest{"vif", "vif", all_cases(), host_ways()},
                      GoldenTest{"xpsnr", "xpsnr", all_cases(), host_ways()}),
    name_of);

// As little-endian words of 16 bits.
TEST(VifGolden, LogarithmsAreThoseOfTheReference) {
  std::string bytes;
  for (int32_t i = vif::LogTable::kFirst; i < vif::LogTable::kEnd; ++i) {
    const int32_t log = vif::LogTable::get().at(i);
    bytes.push_back(static_cast<char>(log & 0xFF));
    bytes.push_back(static_cast<char>(log >> 8));
  }
  EXPECT_EQ(sha256_of(bytes), "cd475654f3d533778accfcdf113079a28e61c82d4ec193eed662ab68b9a7b49c");
}

}  // namespace
}  // namespace vq::cli::test
