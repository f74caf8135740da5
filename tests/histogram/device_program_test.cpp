// Histograms by the program on a device: what the CPU counts of video of every depth and sampling, to the
// last bit, cropped and beside other features.
#include "tests/support/report_test.h"

namespace vq::histogram::test {
namespace {

using cli::test::Words;
using nlohmann::json;

json report_of(const std::string& clip, const std::vector<std::string>& features, const std::string& backend,
               const Words& more = {}) {
  Words words = {testdata("clips/") + clip, "--extended", "--frame_cnt", "2", "--backend", backend};
  return cli::test::report_of_run(words, features, more);
}

struct Case {
  const char* clip;
  const char* options;
};
constexpr Case kCases[] = {{"sky_640x360_8b.mp4", "planes=y"},
                           {"textured_417x235_8b.mkv", "planes=ycbcr:clip_share=0.25"},
                           {"colour_357x355_8b_ref.mkv", "planes=rgb"},
                           {"colour_640x360_422_ref.mp4", "planes=rgb"},
                           {"colour_640x360_444_crushed.mp4", "planes=rgb"},
                           {"sky_640x360_full_range.mp4", "planes=rgb"},
                           {"sky_480x270_9b.mkv", "planes=rgb"},
                           {"colour_640x360_10b_ref.mp4", "planes=ycbcr:bins=256"},
                           {"dusk_960x540_10b_hlg.mp4", "planes=rgb"},
                           {"dusk_1280x720_10b_pq.mp4", "planes=rgb:bins=256"},
                           {"colour_384x320_12b_ref.mkv", "planes=rgb"},
                           {"textured_480x270_12b.mkv", "planes=y"},
                           {"colour_384x320_16b_ref.mkv", "planes=rgb"},
                           {"colour_384x320_16b_ref.mkv", "planes=ycbcr:bins=256"},
                           {"flat_320x240_8b.mkv", "planes=rgb"},
                           {"noise_320x240_8b.mkv", "planes=ycbcr"}};

TEST(HistogramOnDevice, EqualsTheCpu) {
  for (const auto& [clip, options] : kCases) {
    const std::string feature = "histogram=" + std::string(options);
    const json cpu = report_of(clip, {feature}, "cpu").at("frames");
    ASSERT_GE(cpu.size(), 1U);
    for (const char* backend : {"hybrid", "vulkan"}) {
      const json device = report_of(clip, {feature}, backend);
      EXPECT_EQ(device.at("frames"), cpu) << clip << ", " << options << ", " << backend;
      EXPECT_EQ(device.at("run").at("backend"), backend);
    }
  }
}

}  // namespace
}  // namespace vq::histogram::test
