// Every feature against its reference implementation's figures, on a device.
#include "tests/support/golden_cases.h"

namespace vq::cli::test {
namespace {

const std::vector<GoldenWay> kVulkan = {{"vulkan"}}, kHybrid = {{"hybrid"}},
                             kVulkanAndCpu = {{"vulkan"}, {"cpu"}};

GoldenChoice whose_reference_is_like(std::vector<std::string> names) {
  return those([names = std::move(names)](const json& golden) {
    const std::string clip = golden.at("reference");
    return std::ranges::any_of(names,
                               [&](const std::string& name) { return clip.find(name) != std::string::npos; });
  });
}
GoldenChoice those_with(const std::string& option) {
  return those([=](const json& golden) { return golden.at("options").contains(option); });
}

class GoldenOnDevice : public GoldenTests {};

TEST_P(GoldenOnDevice, EqualsTheReference) {
  expect_reference();
}

INSTANTIATE_TEST_SUITE_P(
    Quick, GoldenOnDevice,
    ::testing::Values(
        GoldenTest{"adm", "adm", numbered({15, 31, 36, 58, 62}), kVulkan},
        GoldenTest{"bounds", "bounds", all_cases(), device_ways()},
        GoldenTest{"butteraugli", "butteraugli",
                   whose_reference_is_like({"tiny_128x96_8b", "small_256x144_8b", "textured_417x235_8b"}),
                   kVulkanAndCpu},
        // Stills; PQ and HLG; chroma of each kind; odd sides; filters of 7 to 17 frames; both paddings.
        GoldenTest{"cvvdp", "cvvdp", numbered({4, 5, 11, 13, 20, 21, 38, 39, 42, 44}), kVulkanAndCpu},
        GoldenTest{"itp", "itp", all_cases(), kVulkan}, GoldenTest{"light", "light", all_cases(), kVulkan},
        // Small pictures of several depths; then clips with options, sampled and skipped frames.
        GoldenTest{"motion_pictures", "motion", up_to(1000), device_ways()},
        GoldenTest{"motion_clips", "motion", numbered({23, 42, 63, 65}), device_ways()},
        GoldenTest{"ms_ssim", "float_ms_ssim", whose_reference_is_like({"_480x270_"}), kVulkan},
        GoldenTest{"psnr", "psnr", all_cases(), device_ways()},
        // 8, 10 and 12 bits, 4:2:0, 4:2:2 and 4:4:4, two depths, and equal pictures.
        GoldenTest{"psnr_hvs", "psnr_hvs", numbered({3, 8, 12, 13, 14, 19, 22, 23, 24}), kVulkan},
        GoldenTest{"psnr_yuv", "psnr_yuv", all_cases(), kVulkan},
        GoldenTest{"siti", "siti", all_cases(), kVulkan},
        // Depths, odd sizes, both directions of scaling, a wide filter, and what is singular or nearly so.
        GoldenTest{"speed_chroma", "speed_chroma", numbered({3, 14, 15, 16, 29, 42, 46, 48, 51}),
                   device_ways()},
        GoldenTest{"speed_temporal", "speed_temporal", numbered({0, 3}), device_ways()},
        // Every factor, with sides that it divides and that it does not; at 1 the host does it all. Then 12
        // bits beside 8.
        GoldenTest{"ssim_factors", "float_ssim", those_with("scale"), kVulkan},
        GoldenTest{"ssim_depths", "float_ssim", whose_reference_is_like({"textured_480x270_12b"}), kHybrid},
        GoldenTest{"stretches", "stretches", all_cases(), kVulkan},
        // 8, 10 and 16 bits, borders that reach far into the picture, and options; then a clip.
        GoldenTest{"vif_pictures", "vif", numbered({45, 58, 60}), kVulkan},
        GoldenTest{"vif_clip", "vif", numbered({3}), kHybrid},
        // Other samplings, depths, and rates; odd sides; a picture in cells.
        GoldenTest{"xpsnr", "xpsnr", numbered({9, 13, 19, 22, 23, 25, 26, 27, 29, 31, 35}), device_ways()}),
    name_of);

class GoldenOnDeviceOfEverySize : public GoldenTests {};

TEST_P(GoldenOnDeviceOfEverySize, EqualsTheReference) {
  expect_reference();
}

INSTANTIATE_TEST_SUITE_P(
    Long, GoldenOnDeviceOfEverySize,
    ::testing::Values(
        GoldenTest{"adm", "adm", all_cases(), kVulkan},
        GoldenTest{"butteraugli",
                   "butteraugli",
                   those([](const json& golden) { return golden.at("intensity_target") == 80; }),
                   {{"hybrid"}, {"cpu"}}},
        GoldenTest{"ciede", "ciede", all_cases(), device_ways()},
        GoldenTest{"cvvdp", "cvvdp", all_cases(), kVulkanAndCpu},
        GoldenTest{"motion", "motion", all_cases(), device_ways()},
        GoldenTest{"ms_ssim", "float_ms_ssim", all_cases(), device_ways()},
        GoldenTest{"psnr_hvs", "psnr_hvs", all_cases(), device_ways()},
        GoldenTest{"speed_chroma", "speed_chroma", all_cases(), device_ways()},
        GoldenTest{"speed_temporal", "speed_temporal", all_cases(), device_ways()},
        GoldenTest{"ssim", "float_ssim", all_cases(), device_ways()},
        GoldenTest{"vif", "vif", all_cases(), device_ways()},
        GoldenTest{"xpsnr", "xpsnr", those([](const json& golden) { return golden.contains("distorted"); }),
                   device_ways()}),
    name_of);

}  // namespace
}  // namespace vq::cli::test
