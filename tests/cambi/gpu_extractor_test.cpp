// The extractors that use several devices, and frames that lie in a device's memory. That one device finds
// what the CPU does is the gate's business.
#include <vulkan/vulkan.h>

#include "tests/cambi/extractor_case.h"
#include "tests/support/gpu_test.h"
#include "tests/support/stored_frame.h"
#include "vulkan/device_impl.h"

namespace vq::cambi::test {
namespace {

// As often as a test wants for.
std::vector<std::shared_ptr<vulkan::Device>> same_device(size_t count) {
  std::vector<std::shared_ptr<vulkan::Device>> devices;
  for (size_t i = 0; i < count; ++i)
    devices.push_back(vulkan::Device::open(test_options(vulkan::Validation::kOff)));
  return devices;
}

TEST(CambiSeveralDevices, GiveTheScoresOfOneInOrder) {
  const ExtractorCase what = {{320, 216}, 10, {.full_ref = true}};
  const std::vector<FramePair> frames = make_frames(what, 23);
  for (const Backend backend : {Backend::kHybrid, Backend::kVulkan}) {
    for (const int threads : {1, 3}) {
      WorkerPool pool(threads);
      const Execution execution{.backend = backend, .pool = &pool, .heatmaps = backend == Backend::kVulkan};
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
  return vulkan::Device::open(test_options(vulkan::Validation::kOff), hook);
}

TEST(CambiSeveralDevices, AreAllGivenFrames) {
  const ExtractorCase what{{320, 216}, 8};
  WorkerPool pool(2);
  const Counted first, second;
  const auto extractor = make_on_devices({device_with(first), device_with(second)}, {}, formats_of(what),
                                         {Backend::kVulkan, &pool});
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
  const auto extractor = make_on_devices({device_with(fast), device_with(slow)}, {}, formats_of(what),
                                         {Backend::kVulkan, &pool});
  const int before = *fast.submissions;
  *slow.until = before + kSubmissions * 10;
  const std::vector<FramePair> frames = make_frames(what, 16);
  const Scores expected = host_scores(what, frames);
  Scores scores;
  score_all(*extractor, frames, scores);
  EXPECT_EQ(scores.frames, expected.frames);
  EXPECT_EQ(scores.all, expected.all);
  EXPECT_GE(*fast.submissions, before + kSubmissions * 10);
  EXPECT_LT(*slow.submissions, *fast.submissions);
}

TEST(CambiSeveralDevices, OneThatFailsEndsTheRunAfterTheFramesBefore) {
  const ExtractorCase what{{320, 216}, 8};
  const std::vector<FramePair> frames = make_frames(what, 12);
  WorkerPool pool(2);
  const Scores expected = host_scores(what, frames);
  for (const int at : {0, 1, 3}) {
    const Counted failing;
    const auto extractor = make_on_devices({test_device(), device_with(failing)}, {}, formats_of(what),
                                           {Backend::kVulkan, &pool});
    *failing.fails_at = *failing.submissions + at;
    Scores scores;
    try {
      score_all(*extractor, frames, scores);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBackend);
      EXPECT_THAT(error.what(), HasSubstr("dist.y4m: frame " + std::to_string(scores.frames.size()) + ":"));
    }
    ASSERT_LT(scores.all.size(), frames.size());
    EXPECT_TRUE(std::equal(scores.all.begin(), scores.all.end(), expected.all.begin()));
  }
}

// What says where its samples are.
class Placed final : public FrameMemory {
 public:
  Placed(const void* device, const Frame& frame) : device_(device), frame_(frame) {}
  const void* device() const override { return device_; }
  const std::array<SampleView, kMaxPlanes>& planes() const override { return frame_.planes; }
  PlaneSize luma_size() const override { return {frame_.luma().width(), frame_.luma().height()}; }
  Frame luma_part(const LumaLines&) const override { return frame_; }

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
  const Scores expected = host_scores(what, frames);
  Scores scores;
  for (FramePair& pair : frames)
    pair.distorted.place = std::make_shared<Placed>(devices[1].get(), pair.distorted);
  // One by one, so that there is always room.
  for (const FramePair& pair : frames) {
    extractor->push(pair, scores);
    extractor->finish(scores);
  }
  EXPECT_EQ(scores.all, expected.all);
  EXPECT_EQ(*first.submissions, before);
  EXPECT_EQ(*second.submissions, before + kSubmissions * 9);
}

// Scores do not depend on where a device finds the samples.

const ExtractorCase kPlain = {{417, 235}};

// Nothing is copied on a device whose memory is the host's.
TEST(StoredFrames, AreReadAsTheyLieWhereMemoryIsOne) {
  if (!test_device()->has_one_memory()) GTEST_SKIP() << "the device has memory of its own";
  for (const bool always_copy : {false, true}) {
    vulkan::DeviceOptions options = test_options(vulkan::Validation::kOff);
    options.always_copy = always_copy;
    WorkerPool pool(1);
    const auto extractor =
        make_on_device(vulkan::Device::open(options), {}, formats_of(kPlain), {Backend::kVulkan, &pool});
    std::vector<FramePair> pairs = make_frames(kPlain, 12);
    for (FramePair& pair : pairs) pair.distorted = stored_copy(pair.distorted, *extractor->frame_store());
    Scores scores;
    score_all(*extractor, pairs, scores);
    const BackendReport report = extractor->backend_report();
    const bool copied = contains(report.stages, "upload", &StageTotal::stage);
    EXPECT_EQ(copied, always_copy);
    EXPECT_EQ(report.bytes_uploaded > 0, always_copy);
  }
}

// More places than recordings are kept of.
TEST(StoredFrames, MayLieInManyPlaces) {
  const ExtractorCase small = {{216, 32}};
  WorkerPool pool(1);
  const auto extractor = make_on_device(test_device(), {}, formats_of(small), {Backend::kVulkan, &pool});
  std::vector<FramePair> pairs(400), plain(400);
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].index = plain[i].index = static_cast<int64_t>(i);
    plain[i].distorted = pairs[i].distorted = make_frame(Pattern::kNoise, small.size, 8, pairs[i].index);
    pairs[i].distorted = stored_copy(pairs[i].distorted, *extractor->frame_store());
  }
  Scores actual;
  score_all(*extractor, pairs, actual);
  EXPECT_EQ(host_scores(small, plain).all, actual.all);
}

TEST(StoredFrames, OutliveTheirExtractor) {
  WorkerPool pool(1);
  auto first = make_on_device(test_device(), {}, formats_of(kPlain), {Backend::kVulkan, &pool});
  std::vector<FramePair> pairs = make_frames(kPlain, 12);
  for (FramePair& pair : pairs) pair.distorted = stored_copy(pair.distorted, *first->frame_store());
  Scores expected, actual;
  score_all(*first, pairs, expected);
  first.reset();
  // Of the same device, so it takes them as they are.
  score_all(*make_on_device(test_device(), {}, formats_of(kPlain), {Backend::kVulkan, &pool}), pairs, actual);
  EXPECT_EQ(expected.all, actual.all);
}

}  // namespace
}  // namespace vq::cambi::test
