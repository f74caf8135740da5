// Scores do not depend on where a device finds the samples.
#include "tests/support/cambi_device.h"
#include "tests/support/cambi_host.h"
#include "tests/support/extractor_test.h"
#include "tests/support/gpu_test.h"
#include "tests/support/stored_frame.h"

namespace vq::cambi::test {
namespace {

using vq::test::stored_copy;

struct Case {
  Size size;
  int depth = 8;
  CambiOptions options = {};
};

std::vector<FramePair> make_pairs(const Case& what) {
  constexpr Pattern kSome[] = {Pattern::kSteps, Pattern::kRamp, Pattern::kFlatWithDots, Pattern::kTwoLevels};
  std::vector<FramePair> pairs(12);
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].index = static_cast<int64_t>(i);
    pairs[i].distorted = make_frame(kSome[i % 4], what.size, what.depth, pairs[i].index);
    if (what.options.full_ref) pairs[i].reference = make_frame(Pattern::kRamp, what.size, what.depth, pairs[i].index);
  }
  return pairs;
}

TEST(StoredFrames, GiveTheScoresOfOthers) {
  CambiOptions anti_dithered, resized, with_reference;
  anti_dithered.enc_bitdepth = 8;
  resized.enc_width = 300;
  resized.enc_height = 200;
  with_reference.full_ref = true;
  const auto device = vulkan::Device::open(test_options(vulkan::Validation::kSynchronization));
  for (const Case& what : {Case{{417, 235}}, Case{{333, 220}, 10, anti_dithered}, Case{{411, 235}, 10, resized},
                           Case{{320, 200}, 12, with_reference}}) {
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
        if (i % 5 != 1) pairs[i].distorted = stored_copy(pairs[i].distorted, *store, static_cast<int64_t>(i % 3) * 2);
        if (pairs[i].reference && i % 3 != 0) pairs[i].reference = stored_copy(*pairs[i].reference, *store);
      }
      Scores actual;
      score_all(*extractor, pairs, actual);
      EXPECT_EQ(expected.all, actual.all);
    }
  }
  EXPECT_THAT(device->take_messages(), ::testing::IsEmpty());
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
