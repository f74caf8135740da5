// The extractor that does everything on the device against the one on the CPU: the same values and heatmaps
// to the last bit.
#include <vulkan/vulkan.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/error.h"
#include "core/frame_place.h"
#include "tests/support/cambi_device.h"
#include "tests/support/cambi_host.h"
#include "tests/support/extractor_test.h"
#include "tests/support/gpu_test.h"

namespace vq::cambi::test {
namespace {

using namespace vq::test;

struct ExtractorCase {
  Size size;
  int depth = 8;
  CambiOptions options = {};
};

std::vector<FramePair> make_frames(const ExtractorCase& what, int count) {
  constexpr Pattern kPatterns[] = {Pattern::kSteps, Pattern::kRamp, Pattern::kFlatWithDots,
                                   Pattern::kTwoLevels, Pattern::kBorders};
  std::vector<FramePair> frames;
  for (int i = 0; i < count; ++i) {
    FramePair pair;
    pair.index = i;
    pair.distorted = make_frame(kPatterns[i % 5], what.size, what.depth, i);
    if (what.options.full_ref) pair.reference = make_frame(Pattern::kRamp, what.size, what.depth, i);
    frames.push_back(std::move(pair));
  }
  return frames;
}

InputFormats formats_of(const ExtractorCase& what) {
  InputFormats formats;
  formats.distorted = make_format("dist.y4m", what.size, what.depth);
  if (what.options.full_ref) formats.reference = make_format("ref.y4m", what.size, what.depth);
  return formats;
}

void expect_equal(const ExtractorCase& what, int count, bool heatmaps = true) {
  SCOPED_TRACE(std::to_string(what.size.width) + "x" + std::to_string(what.size.height) + " depth " +
               std::to_string(what.depth));
  WorkerPool pool(2);
  const std::vector<FramePair> frames = make_frames(what, count);
  Scores expected, actual;
  score_all(*make_on_host(what.options, formats_of(what), {Backend::kScalar, &pool, heatmaps}), frames,
            expected);
  const auto extractor = make_on_device(test_device(), what.options, formats_of(what),
                                                  {Backend::kVulkan, &pool, heatmaps});
  score_all(*extractor, frames, actual);
  EXPECT_EQ(expected.frames, actual.frames);
  EXPECT_EQ(expected.all, actual.all);
  EXPECT_EQ(expected.heatmap_sizes, actual.heatmap_sizes);
  EXPECT_TRUE(expected.heatmaps == actual.heatmaps);
  const BackendReport report = extractor->backend_report();
  EXPECT_EQ(report.backend, "vulkan");
  EXPECT_EQ(report.device, test_device()->info().name);
  EXPECT_GT(report.bytes_uploaded, int64_t{count} * what.size.width * what.size.height);
  // A frame that nobody wants heatmaps of sends five sums and a flag back.
  if (!heatmaps) {
    EXPECT_LT(report.bytes_read, int64_t{count} * 1000);
  }
  std::vector<std::string> stages;
  for (const StageTotal& stage : report.stages) stages.push_back(stage.stage);
  std::vector<std::string> all = {"upload", "preprocess", "mask",   "mode_filter",
                                  "slice",  "c_values",   "pooling"};
  if (heatmaps) all.push_back("heatmap");
  all.push_back("readback");
  EXPECT_EQ(stages, all);
}

TEST(CambiGpuExtractor, EqualsTheCpuAtEveryDepth) {
  for (const int depth : {8, 10, 16}) expect_equal({{320, 216}, depth}, 5);
}

TEST(CambiGpuExtractor, EqualsTheCpuOnThinStripsAndOddSizes) {
  for (const Size size : {Size{4000, 20}, {20, 4000}, {216, 1}, {1, 216}, {417, 235}}) {
    expect_equal({size, 8}, 3, size.width % 2 == 0);
  }
}

TEST(CambiGpuExtractor, EqualsTheCpuUnderEveryOption) {
  ExtractorCase resized{{640, 360}, 10};
  resized.options.enc_width = 480;
  resized.options.enc_height = 270;
  resized.options.topk = 0.05;
  expect_equal(resized, 3);
  ExtractorCase full{{320, 240}, 8};
  full.options.full_ref = true;
  full.options.src_width = 400;
  full.options.src_height = 300;
  full.options.max_log_contrast = 4;
  expect_equal(full, 6);
  ExtractorCase fast{{1920, 1081}, 8};
  fast.options.high_res_speedup = 1080;
  fast.options.vis_lum_threshold = 2;
  expect_equal(fast, 1);
  ExtractorCase wide{{500, 300}, 8};
  wide.options.window_size = 127;
  wide.options.max_log_contrast = 5;
  wide.options.topk = 1;
  expect_equal(wide, 2, false);
}

TEST(CambiGpuExtractor, GivesTheSameAgainAndAgain) {
  const ExtractorCase what{{417, 235}, 8};
  WorkerPool pool(2);
  const std::vector<FramePair> frames = make_frames(what, 5);
  Scores first;
  for (int run = 0; run < 3; ++run) {
    Scores scores;
    score_all(*make_on_device(test_device(), {}, formats_of(what), {Backend::kVulkan, &pool}),
              frames, scores);
    if (run == 0) first = scores;
    EXPECT_EQ(first.all, scores.all);
  }
}

// A still picture beside a moving reference: only the frame whose pictures both repeat is not scored again.
TEST(CambiGpuExtractor, AStillPictureWithAnotherReferenceIsScoredAgain) {
  ExtractorCase what{{320, 240}, 8};
  what.options.full_ref = true;
  std::vector<FramePair> frames = make_frames(what, 4);
  for (FramePair& pair : frames) {
    pair.reference = pair.distorted;
    pair.distorted.luma() = frames.front().distorted.luma();
  }
  frames[3].reference->luma() = frames[2].reference->luma();
  WorkerPool pool(2);
  Scores expected;
  score_all(*make_on_host(what.options, formats_of(what), {Backend::kScalar, &pool}), frames, expected);
  for (const bool hybrid : {false, true}) {
    const Execution execution{hybrid ? Backend::kHybrid : Backend::kVulkan, &pool};
    const auto extractor = make_on_device(test_device(), what.options, formats_of(what), execution);
    Scores actual;
    score_all(*extractor, frames, actual);
    EXPECT_EQ(actual.all, expected.all);
    EXPECT_EQ(extractor->backend_report().repeated_frames, 1);
  }
}

TEST(CambiGpuExtractor, NamesTheSampleAboveTheDepth) {
  const ExtractorCase what{{300, 220}, 10};
  WorkerPool pool(1);
  std::vector<FramePair> frames = make_frames(what, 6);
  const auto spoiled = std::make_shared<std::vector<uint16_t>>(300 * 220, uint16_t{500});
  (*spoiled)[219 * 300 + 299] = 1024;
  frames[4].distorted.luma().u16 = {spoiled->data(), 300, 220, 300};
  frames[4].distorted.owner = spoiled;
  const auto extractor =
      make_on_device(test_device(), {}, formats_of(what), {Backend::kVulkan, &pool});
  Scores scores;
  try {
    score_all(*extractor, frames, scores);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("dist.y4m: frame 4: luma sample 1024 at x=299, y=219"));
  }
  EXPECT_EQ(scores.frames, (std::vector<int64_t>{0, 1, 2, 3}));
}

// As often as a test wants for.
std::vector<std::shared_ptr<vulkan::Device>> same_device(size_t count) {
  std::vector<std::shared_ptr<vulkan::Device>> devices;
  for (size_t i = 0; i < count; ++i) devices.push_back(vulkan::Device::open(test_options(vulkan::Validation::kOff)));
  return devices;
}

TEST(CambiSeveralDevices, GiveTheScoresOfOneInOrder) {
  ExtractorCase what{{320, 216}, 10};
  what.options.full_ref = true;
  const std::vector<FramePair> frames = make_frames(what, 23);
  for (const Backend backend : {Backend::kHybrid, Backend::kVulkan}) {
    for (const int threads : {1, 3}) {
      WorkerPool pool(threads);
      const Execution execution{backend, &pool, backend == Backend::kVulkan};
      Scores one, three;
      const auto single = make_on_device(test_device(), what.options, formats_of(what), execution);
      score_all(*single, frames, one);
      const auto several = make_on_devices(same_device(3), what.options, formats_of(what), execution);
      score_all(*several, frames, three);
      EXPECT_EQ(three.frames, one.frames);
      EXPECT_EQ(three.all, one.all);
      EXPECT_TRUE(three.heatmaps == one.heatmaps);
      const BackendReport expected = single->backend_report(), report = several->backend_report();
      const std::string name = expected.device;
      EXPECT_EQ(report.device, name + ", " + name + ", " + name);
      EXPECT_EQ(report.driver, expected.driver);
      EXPECT_EQ(report.bytes_uploaded, expected.bytes_uploaded);
      EXPECT_EQ(report.bytes_read, expected.bytes_read);
      EXPECT_EQ(report.stages.size(), expected.stages.size());
    }
  }
}

constexpr int kSubmissions = 2;  // of a frame: its way to the device, and its work

// Counts the submissions of a device, of which one fails, or each waits until another device has had so many.
struct Counted {
  std::shared_ptr<std::atomic<int>> submissions = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> fails_at = std::make_shared<std::atomic<int>>(-1);
  std::shared_ptr<std::atomic<int>> waits_for = submissions;
  std::shared_ptr<std::atomic<int>> until = std::make_shared<std::atomic<int>>(0);

  int operator()(vulkan::Call call) const {
    if (call != vulkan::Call::kSubmit) return 0;
    while (*waits_for < *until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return (*submissions)++ == *fails_at ? VK_ERROR_DEVICE_LOST : 0;
  }
};

std::shared_ptr<vulkan::Device> device_with(const Counted& hook) {
  vulkan::DeviceOptions options = test_options(vulkan::Validation::kOff);
  options.hook = hook;
  return vulkan::Device::open(options);
}

TEST(CambiSeveralDevices, AreAllGivenFrames) {
  const ExtractorCase what{{320, 216}, 8};
  WorkerPool pool(2);
  const Counted first, second;
  const auto extractor = make_on_devices({device_with(first), device_with(second)}, {}, formats_of(what), {Backend::kVulkan, &pool});
  const int before = *second.submissions;  // of start-up checks
  ASSERT_EQ(*first.submissions, before);
  Scores scores;
  score_all(*extractor, make_frames(what, 12), scores);
  EXPECT_EQ(*first.submissions + *second.submissions, 2 * before + kSubmissions * 12);
  EXPECT_GT(*first.submissions, before + kSubmissions * 2);
  EXPECT_GT(*second.submissions, before + kSubmissions * 2);
}

// Frames come out in order, however many the one has done before the other has done any.
TEST(CambiSeveralDevices, ASlowOneGetsFewerFrames) {
  const ExtractorCase what{{216, 20}, 8};
  WorkerPool pool(16);  // those that wait for the slow one keep none from the other
  const Counted fast;
  Counted slow;
  slow.waits_for = fast.submissions;
  const auto extractor = make_on_devices({device_with(fast), device_with(slow)}, {}, formats_of(what), {Backend::kVulkan, &pool});
  const int before = *fast.submissions;
  *slow.until = before + kSubmissions * 10;
  const std::vector<FramePair> frames = make_frames(what, 16);
  Scores scores, expected;
  score_all(*extractor, frames, scores);
  score_all(*make_on_host({}, formats_of(what), {Backend::kScalar, &pool}), frames, expected);
  EXPECT_EQ(scores.frames, expected.frames);
  EXPECT_EQ(scores.all, expected.all);
  EXPECT_GE(*fast.submissions, before + kSubmissions * 10);
  EXPECT_LT(*slow.submissions, *fast.submissions);
}

TEST(CambiSeveralDevices, OneThatFailsEndsTheRunAfterTheFramesBefore) {
  const ExtractorCase what{{320, 216}, 8};
  const std::vector<FramePair> frames = make_frames(what, 12);
  WorkerPool pool(2);
  Scores expected;
  score_all(*make_on_host({}, formats_of(what), {Backend::kScalar, &pool}), frames, expected);
  for (const int at : {0, 1, 3}) {
    const Counted failing;
    const auto extractor =
        make_on_devices({test_device(), device_with(failing)}, {}, formats_of(what), {Backend::kVulkan, &pool});
    *failing.fails_at = *failing.submissions + at;
    Scores scores;
    try {
      score_all(*extractor, frames, scores);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBackend);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("dist.y4m: frame " + std::to_string(scores.frames.size()) + ":"));
    }
    ASSERT_LT(scores.all.size(), frames.size());
    EXPECT_TRUE(std::equal(scores.all.begin(), scores.all.end(), expected.all.begin()));
  }
}

// What says where its samples are.
class Placed final : public FramePlace {
 public:
  Placed(const void* device, const Frame& frame) : device_(device), frame_(frame) {}
  const void* device() const override { return device_; }
  const std::array<SampleView, kMaxPlanes>& planes() const override { return frame_.planes; }
  PlaneSize luma_size() const override { return {frame_.luma().width(), frame_.luma().height()}; }
  Frame luma_rows(std::span<const int>) const override { return frame_; }

 private:
  const void* const device_;
  const Frame frame_;
};

TEST(CambiSeveralDevices, AFrameGoesToTheDeviceThatHasIt) {
  const ExtractorCase what{{320, 216}, 8};
  WorkerPool pool(2);
  const Counted first, second;
  const std::vector devices = {device_with(first), device_with(second)};
  const auto extractor = make_on_devices(devices, {}, formats_of(what), {Backend::kVulkan, &pool});
  const int before = *second.submissions;
  std::vector<FramePair> frames = make_frames(what, 9);
  Scores expected, scores;
  score_all(*make_on_host({}, formats_of(what), {Backend::kScalar, &pool}), frames, expected);
  for (FramePair& pair : frames) pair.distorted.place = std::make_shared<Placed>(devices[1].get(), pair.distorted);
  // One by one, so that there is always room.
  for (const FramePair& pair : frames) {
    extractor->push(pair, scores);
    extractor->finish(scores);
  }
  EXPECT_EQ(scores.all, expected.all);
  EXPECT_EQ(*first.submissions, before);
  EXPECT_EQ(*second.submissions, before + kSubmissions * 9);
}

}  // namespace
}  // namespace vq::cambi::test
