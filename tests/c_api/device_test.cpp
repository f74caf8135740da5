// The library on Vulkan devices, of which a software one will do.

#include "tests/c_api/run_under_test.h"
#include "tests/support/leaving_driver.h"

namespace vq::test {
namespace {

std::vector<std::vector<double>> scores_with(const char* backend, const char* model, int last) {
  RunUnderTest run({.threads = 2, .backend = backend});
  run.model(model).feature("cambi").feature("psnr").feature("histogram");
  run.push(kShape, 0, last);
  run.finish();
  CambiBackend facts = {.size = sizeof facts};
  EXPECT_EQ(cambi_run_backend(run, &facts), CAMBI_OK);
  EXPECT_STREQ(facts.backend, backend);
  std::vector<std::vector<double>> scores;
  for (const std::string& name : run.metrics()) scores.push_back(run.scores(name.c_str()));
  return scores;
}

TEST(CApiDevice, HasTheScoresOfTheCpu) {
  const auto expected = scores_with("cpu", "vmaf_v0.6.1", 4);
  ASSERT_EQ(expected[0].size(), 5U);
  EXPECT_EQ(scores_with("vulkan", "vmaf_v0.6.1", 4), expected);
  EXPECT_EQ(scores_with("hybrid", "vmaf_v0.6.1", 4), expected);
  // Scaled on the device.
  EXPECT_EQ(scores_with("vulkan", "auto", 1), scores_with("cpu", "auto", 1));
}

TEST(CApiDevice, IsSharedByTheRunsOfAContext) {
  RunUnderTest first({.threads = 1, .backend = "vulkan"});
  CambiRun* second = nullptr;
  ASSERT_EQ(cambi_run_open(first.context(), nullptr, &second), CAMBI_OK);
  ASSERT_EQ(cambi_run_add_feature(second, "psnr"), CAMBI_OK);
  first.feature("psnr");
  for (int i = 0; i < 3; ++i) {
    first.push(kShape, i, i);
    const TestPicture distorted(kShape, i, 3), reference(kShape, i, 1);
    const CambiPicture one = distorted.picture(), other = reference.picture();
    ASSERT_EQ(cambi_run_push(second, &one, &other), CAMBI_OK) << cambi_error();
  }
  first.finish();
  ASSERT_EQ(cambi_run_finish(second), CAMBI_OK);
  double scores[3] = {};
  ASSERT_EQ(cambi_run_scores(second, "psnr_y", 0, 3, scores), CAMBI_OK);
  EXPECT_EQ(first.scores("psnr_y"), (std::vector<double>{scores[0], scores[1], scores[2]}));
  cambi_run_close(second);
}

TEST(CApiDevice, IsRefusedInWordsIfThereIsNone) {
  RunUnderTest run({.threads = 1, .backend = "vulkan", .device = "no such card"});
  run.feature("psnr");
  const TestPicture picture(kShape, 0, 1);
  const CambiPicture one = picture.picture();
  EXPECT_EQ(cambi_run_push(run, &one, &one), CAMBI_EUSAGE);
  EXPECT_NE(std::string(cambi_error()).find("no such card"), std::string::npos) << cambi_error();
}

TEST(CApiDevice, OfSoftwareIsNotTakenUnasked) {
  RunUnderTest run({.threads = 1});
  run.feature("psnr");
  run.push(kShape, 0, 0);
  CambiBackend facts = {.size = sizeof facts};
  ASSERT_EQ(cambi_run_backend(run, &facts), CAMBI_OK);
  EXPECT_EQ(std::string(facts.device).find("llvmpipe"), std::string::npos);
}

// The process ends while a run scores on a Vulkan device. From where else it may, and when, is in
// tests/libvmaf/device_test.cpp, whose library has the same devices.
void exit_while_at_work(std::chrono::milliseconds moment) {
  RunUnderTest run({.threads = 2, .backend = "vulkan"});
  run.feature("psnr");
  std::thread([&run] {
    const TestPicture distorted(kShape, 0, 3), reference(kShape, 0, 1);
    const CambiPicture one = distorted.picture(), other = reference.picture();
    while (cambi_run_push(run, &one, &other) == CAMBI_OK) {
    }
    for (;;) pause();
  }).detach();
  int64_t rows = 0;
  while (rows == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    cambi_run_progress(run, nullptr, &rows);
  }
  std::this_thread::sleep_for(moment);
  end_soon();
}

class CApiDeviceDeathTest : public EndingDeathTest {
 protected:
  const LeavingDriver driver_{"vkCreateComputePipelines"};
};

TEST_F(CApiDeviceDeathTest, AProcessMayEndWhileItIsAtWork) {
  for (const int moment : {0, 3, 11, 25, 40})
    EXPECT_EXIT(exit_while_at_work(std::chrono::milliseconds(moment)), is_in_order_, "") << moment;
}

}  // namespace
}  // namespace vq::test
