// The benchmark on a device, which may be a software one, and what is left when that fails.
#include "tests/support/paths.h"
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BenchOnDevice : public SpoiltDeviceTest {
 protected:
  // A device that is named is measured, also where it is software.
  ProgramResult bench(const ProgramOptions& options = {}) const {
    return run_program({"bench", testdata("clips/small_256x144_8b.mp4"), "--device", "0", "--frames", "2", "-o", out()}, options);
  }
  json backends() const { return json::parse(read_file(out())).at("videos").at(0).at("backends"); }
};

TEST_F(BenchOnDevice, MeasuresEveryBackend) {
  const ProgramResult result = bench();
  EXPECT_EQ(result.code, 0) << result.err;
  const json document = json::parse(read_file(out())), all = backends();
  ASSERT_EQ(document.at("devices").size(), 1u);
  for (const char* rate : {"memory_bytes_per_second", "upload_bytes_per_second", "readback_bytes_per_second"}) {
    EXPECT_GT(document.at("devices").at(0).at(rate), 0) << rate;
  }
  const std::pair<const char*, Words> expected[] = {
      {"cpu", {"prepare", "c_values", "pooling", "decimate", "mode_filter"}},
      {"hybrid", {"upload", "preprocess", "mask", "mode_filter", "decimate", "readback", "c_values", "pooling"}},
      {"vulkan", {"upload", "preprocess", "mask", "mode_filter", "slice", "c_values", "pooling", "readback"}}};
  ASSERT_EQ(all.size(), 3u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].at("backend"), expected[i].first);
    EXPECT_EQ(all[i].at("device").get<std::string>().empty(), i == 0);
    EXPECT_TRUE(all[i].at("error").is_null());
    EXPECT_GT(all[i].at("whole_fps"), 0);
    Words names;
    for (const json& stage : all[i].at("stages")) {
      names.push_back(stage.at("name"));
      EXPECT_GT(stage.at("milliseconds"), 0) << names.back();
      EXPECT_EQ(stage.at("floor_milliseconds").is_null(), stage.at("bytes").is_null());
    }
    EXPECT_EQ(names, expected[i].second);
  }
  EXPECT_EQ(all[1].at("stages").at(0).at("bytes").get<int64_t>() >= 256 * 144, true);
}

// The first backend on it makes a device of its own, and so does the next: both fail, the CPU does not.
TEST_F(BenchOnDevice, ADeviceThatFailsInTheMiddleLeavesTheOthers) {
  const ProgramResult result = bench(spoilt("CAMBI_VULKAN_FAULT", "vkQueueSubmit:60+:-4"));
  EXPECT_EQ(result.code, 4) << result.err;
  const json all = backends();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0].at("error").is_null());
  EXPECT_GT(all[0].at("whole_fps"), 0);
  EXPECT_THAT(all[2].at("error").get<std::string>(), HasSubstr("lost"));
  EXPECT_THAT(result.out, HasSubstr("failed: "));
  EXPECT_THAT(result.out, HasSubstr("limits: "));
}

}  // namespace
}  // namespace vq::cli::test
