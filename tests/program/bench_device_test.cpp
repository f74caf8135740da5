// The benchmark on a device, which may be a software one, and what is left when that fails.
#include "tests/support/paths.h"
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
class BenchOnDevice : public SpoiltDeviceTest {
 protected:
  // A device that is named is measured, also where it is software.
  ProgramResult bench(const std::string& frames, const ProgramOptions& options = {}) const {
    return run_program(
        {"bench", testdata("clips/small_256x144_8b.mp4"), "--device", "0", "--frames", frames, "-o", out()},
        options);
  }
  json backends() const { return json::parse(read_file(out())).at("videos").at(0).at("backends"); }
};

TEST_F(BenchOnDevice, MeasuresEveryBackend) {
  const ProgramResult result = bench("2");
  EXPECT_EQ(result.code, 0) << result.err;
  const json document = json::parse(read_file(out())), all = backends();
  ASSERT_EQ(document.at("devices").size(), 1u);
  for (const char* rate :
       {"memory_bytes_per_second", "upload_bytes_per_second", "readback_bytes_per_second"}) {
    EXPECT_GT(document.at("devices").at(0).at(rate), 0) << rate;
  }
  const std::pair<const char*, Words> expected[] = {
      {"cpu", {"prepare", "c_values", "pooling", "decimate", "mode_filter"}},
      {"hybrid",
       {"upload", "preprocess", "mask", "mode_filter", "decimate", "readback", "c_values", "pooling"}},
      {"vulkan",
       {"upload", "preprocess", "mask", "mode_filter", "slice", "c_values", "pooling", "readback"}}};
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
      // Nothing moves faster than a copy; what caches had a part of tells nothing.
      EXPECT_EQ(stage.at("floor_milliseconds").is_null(), stage.at("gigabytes_per_second").is_null());
      if (!stage.at("share_of_copy").is_null()) {
        EXPECT_LE(stage.at("share_of_copy"), 1) << names.back();
        EXPECT_FALSE(stage.at("bytes").is_null());
      }
    }
    // A device whose memory is the host's reads frames as they lie.
    Words wanted = expected[i].second;
    if (names.front() != wanted.front()) std::erase(wanted, "upload");
    EXPECT_EQ(names, wanted);
  }
  EXPECT_EQ(all[1].at("stages").at(0).at("bytes").get<int64_t>() >= 256 * 144, true);
}

// Its copies are measured, one backend and some frames of the other; then it is lost.
TEST_F(BenchOnDevice, ADeviceThatFailsInTheMiddleLeavesTheOthers) {
  const ProgramResult result = bench("8", spoilt("CAMBI_VULKAN_FAULT", "vkQueueSubmit:100+:-4"));
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_EQ(json::parse(read_file(out())).at("devices").size(), 1u);
  const json all = backends();
  ASSERT_EQ(all.size(), 3u);
  for (const size_t i : {0, 1}) {
    EXPECT_TRUE(all[i].at("error").is_null());
    EXPECT_GT(all[i].at("whole_fps"), 0);
  }
  EXPECT_FALSE(all[2].at("error").is_null());
  EXPECT_TRUE(all[2].at("whole_fps").is_null());
  EXPECT_FALSE(all[2].at("device").get<std::string>().empty());
}

// Its first work fails, which is a copy, and what follows does not.
TEST_F(BenchOnDevice, ADeviceThatCannotCopyIsMeasuredAsFarAsItWorks) {
  const ProgramResult result = bench("2", spoilt("CAMBI_VULKAN_FAULT", "vkQueueSubmit:0:-4"));
  EXPECT_EQ(result.code, 0) << result.err;
  const json document = json::parse(read_file(out()));
  EXPECT_EQ(document.at("devices"), json::array());
  EXPECT_EQ(document.at("notes").size(), 1U);
  for (const json& backend : backends()) EXPECT_TRUE(backend.at("error").is_null());
}

}  // namespace
}  // namespace vq::cli::test
