// Golden cases on a device.
#include "tests/support/still_sequence.h"
#include "tests/xpsnr/golden_cases.h"

namespace vq::xpsnr::test {
namespace {

json metrics_of(const json& golden, const GoldenWay& way) {
  return report_of_clips(
      golden.at("reference"), golden.at("distorted"), {text_of_feature(golden)},
      {"--backend", way.backend, "--as-stored", "--frame_cnt", std::to_string(golden.at("frames").size())});
}

void expect_golden_on_device(const json& golden) {
  for (const GoldenWay& way : device_ways()) {
    SCOPED_TRACE(golden.at("reference").get<std::string>() + " and " +
                 golden.at("distorted").get<std::string>() + ", " + way.backend);
    const json report = metrics_of(golden, way);
    ASSERT_TRUE(report.is_object());
    for (const char* name : kFigures) {
      for (size_t i = 0; i < report.at("frames").size(); ++i)
        EXPECT_EQ(report.at("frames")[i].at("metrics").at(name), golden.at("frames")[i].at(name)) << i;
      EXPECT_EQ(report.at("aggregate_metrics").at(name), golden.at("run").at(name));
    }
    EXPECT_EQ(report.at("aggregate_metrics").at("xpsnr_min"), golden.at("run").at("minimum"));
  }
}

// Other samplings, depths, and rates; odd sides; a picture in cells.
TEST(XpsnrGoldenOnDevice, SomeCasesEqualTheFilter) {
  for (const size_t i : {9U, 13U, 19U, 22U, 23U, 25U, 26U, 27U, 29U, 31U, 35U})
    expect_golden_on_device(xpsnr_cases().at(i));
}

TEST(XpsnrGoldenOnDeviceOfEverySize, EqualsTheFilter) {
  for (const json& golden : xpsnr_cases()) {
    if (golden.contains("distorted")) expect_golden_on_device(golden);
  }
}

TEST(XpsnrOnDevice, TellsItsStages) {
  const std::string clip = "static_640x360_8b.mp4";
  const json run = report_of_clips(clip, clip, {"xpsnr"}, {"--extended", "--backend", "vulkan"}).at("run");
  EXPECT_TRUE(run.at("gpu_milliseconds").contains("block_activities"));
  EXPECT_TRUE(run.at("gpu_milliseconds").contains("block_errors"));
  EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0);
}

}  // namespace
}  // namespace vq::xpsnr::test
