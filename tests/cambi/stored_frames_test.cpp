// Scores do not depend on where a device finds the samples.
#include "tests/support/cambi_device.h"
#include "tests/support/cambi_host.h"
#include "tests/support/extractor_test.h"
#include "tests/support/gpu_test.h"
#include "tests/support/stored_frame.h"

namespace vq::cambi::test {
namespace {

using namespace vq::test;

struct StoredCase {
  Size size;
  int depth = 8;
  CambiOptions options = {};
};

std::vector<FramePair> make_pairs(const StoredCase& what) {
  constexpr Pattern kSome[] = {Pattern::kSteps, Pattern::kRamp, Pattern::kFlatWithDots, Pattern::kTwoLevels};
  std::vector<FramePair> pairs(12);
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].index = static_cast<int64_t>(i);
    pairs[i].distorted = make_frame(kSome[i % 4], what.size, what.depth, pairs[i].index);
    if (what.options.full_ref)
      pairs[i].reference = make_frame(Pattern::kRamp, what.size, what.depth, pairs[i].index);
  }
  return pairs;
}

// `always_copy`: the device does not read them as they lie even where it could.
void expect_scores_of_others(bool always_copy) {
  CambiOptions anti_dithered, resized, with_reference;
  anti_dithered.enc_bitdepth = 8;
  resized.enc_width = 300;
  resized.enc_height = 200;
  with_reference.full_ref = true;
  vulkan::DeviceOptions device_options = test_options(vulkan::Validation::kSynchronization);
  device_options.always_copy = always_copy;
  const auto device = vulkan::Device::open(device_options);
  for (const StoredCase& what : {StoredCase{{417, 235}}, StoredCase{{333, 220}, 10, anti_dithered},
                           StoredCase{{411, 235}, 10, resized}, StoredCase{{320, 200}, 12, with_reference}}) {
    SCOPED_TRACE(std::to_string(what.size.width) + ", depth " + std::to_string(what.depth));
    WorkerPool pool(2);
    InputFormats formats;
    formats.distorted = make_format("dist", what.size, what.depth);
    if (what.options.full_ref) formats.reference = make_format("ref", what.size, what.depth);
    Scores expected;
    score_all(*make_on_host(what.options, formats, {Backend::kScalar, &pool}), make_pairs(what), expected);
    for (const Backend backend : {Backend::kHybrid, Backend::kVulkan}) {
      const auto extractor = make_on_device(device, what.options, formats, {backend, &pool});
      const std::shared_ptr<FrameStore> store = extractor->frame_store();
      ASSERT_NE(store, nullptr);
      std::vector<FramePair> pairs = make_pairs(what);
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

// Nothing is copied on a device whose memory is the host's.
TEST(StoredFrames, AreReadAsTheyLieWhereMemoryIsOne) {
  if (!test_device()->has_one_memory()) GTEST_SKIP() << "the device has memory of its own";
  for (const bool always_copy : {false, true}) {
    vulkan::DeviceOptions options = test_options(vulkan::Validation::kOff);
    options.always_copy = always_copy;
    WorkerPool pool(1);
    InputFormats formats;
    formats.distorted = make_format("dist", {417, 235}, 8);
    const auto extractor =
        make_on_device(vulkan::Device::open(options), {}, formats, {Backend::kVulkan, &pool});
    std::vector<FramePair> pairs = make_pairs({{417, 235}});
    for (FramePair& pair : pairs) pair.distorted = stored_copy(pair.distorted, *extractor->frame_store());
    Scores scores;
    score_all(*extractor, pairs, scores);
    const std::vector<StageTotal> stages = extractor->backend_report().stages;
    const bool copied = std::any_of(stages.begin(), stages.end(),
                                    [](const StageTotal& each) { return each.stage == "upload"; });
    EXPECT_EQ(copied, always_copy);
  }
}

// More places than recordings are kept of.
TEST(StoredFrames, MayLieInManyPlaces) {
  constexpr Size kSmall{216, 32};
  WorkerPool pool(1);
  InputFormats formats;
  formats.distorted = make_format("dist", kSmall, 8);
  const auto extractor = make_on_device(test_device(), {}, formats, {Backend::kVulkan, &pool});
  std::vector<FramePair> pairs(400), plain(400);
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].index = plain[i].index = static_cast<int64_t>(i);
    plain[i].distorted = pairs[i].distorted = make_frame(Pattern::kNoise, kSmall, 8, pairs[i].index);
    pairs[i].distorted = stored_copy(pairs[i].distorted, *extractor->frame_store());
  }
  Scores expected, actual;
  score_all(*make_on_host({}, formats, {Backend::kScalar, &pool}), plain, expected);
  score_all(*extractor, pairs, actual);
  EXPECT_EQ(expected.all, actual.all);
}

TEST(StoredFrames, OutliveTheirExtractor) {
  WorkerPool pool(1);
  InputFormats formats;
  formats.distorted = make_format("dist", {417, 235}, 8);
  auto first = make_on_device(test_device(), {}, formats, {Backend::kVulkan, &pool});
  std::vector<FramePair> pairs = make_pairs({{417, 235}});
  for (FramePair& pair : pairs) pair.distorted = stored_copy(pair.distorted, *first->frame_store());
  Scores expected, actual;
  score_all(*first, pairs, expected);
  first.reset();
  // Of the same device, so it takes them as they are.
  score_all(*make_on_device(test_device(), {}, formats, {Backend::kVulkan, &pool}), pairs, actual);
  EXPECT_EQ(expected.all, actual.all);
}

}  // namespace
}  // namespace vq::cambi::test
