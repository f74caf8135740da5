// Scores do not depend on where a device finds the samples.
#include <algorithm>

#include "tests/cambi/extractor_case.h"
#include "tests/support/gpu_test.h"
#include "tests/support/stored_frame.h"

namespace vq::cambi::test {
namespace {

// `always_copy`: the device does not read them as they lie even where it could.
void expect_scores_of_others(bool always_copy) {
  const CambiOptions anti_dithered = {.enc_bitdepth = 8}, resized = {.enc_width = 300, .enc_height = 200},
                     with_reference = {.full_ref = true};
  vulkan::DeviceOptions device_options = test_options(vulkan::Validation::kSynchronization);
  device_options.always_copy = always_copy;
  const auto device = vulkan::Device::open(device_options);
  for (const ExtractorCase& what :
       {ExtractorCase{{417, 235}}, ExtractorCase{{333, 220}, 10, anti_dithered},
        ExtractorCase{{411, 235}, 10, resized}, ExtractorCase{{320, 200}, 12, with_reference}}) {
    SCOPED_TRACE(std::to_string(what.size.width) + ", depth " + std::to_string(what.depth));
    WorkerPool pool(2);
    const Scores expected = host_scores(what, make_frames(what, 12));
    for (const Backend backend : {Backend::kHybrid, Backend::kVulkan}) {
      const auto extractor = make_on_device(device, what.options, formats_of(what), {backend, &pool});
      const std::shared_ptr<FrameStore> store = extractor->frame_store();
      ASSERT_NE(store, nullptr);
      std::vector<FramePair> pairs = make_frames(what, 12);
      for (size_t i = 0; i < pairs.size(); ++i) {
        // Some lie elsewhere, as the first that are decoded do.
        if (i % 5 != 1)
          pairs[i].distorted = stored_copy(pairs[i].distorted, *store, static_cast<int64_t>(i % 3) * 2);
        if (pairs[i].reference && i % 3 != 0) pairs[i].reference = stored_copy(*pairs[i].reference, *store);
      }
      Scores actual;
      score_all(*extractor, pairs, actual);
      EXPECT_EQ(expected.all, actual.all);
    }
  }
  EXPECT_THAT(device->take_messages(), ::testing::IsEmpty());
}

TEST(StoredFrames, GiveTheScoresOfOthersWhereTheyAreCopied) {
  expect_scores_of_others(true);
}

TEST(StoredFrames, GiveTheScoresOfOthersWhereTheyAreReadAsTheyLie) {
  expect_scores_of_others(false);
}

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
    const bool copied = std::any_of(report.stages.begin(), report.stages.end(),
                                    [](const StageTotal& each) { return each.stage == "upload"; });
    EXPECT_EQ(copied, always_copy);
    EXPECT_EQ(report.bytes_copied > 0, always_copy);
    EXPECT_EQ(report.bytes_uploaded, report.bytes_copied);
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
