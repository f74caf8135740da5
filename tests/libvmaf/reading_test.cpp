// Which frames have scores, when, and how they are pooled.
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tests/libvmaf/client.h"

namespace client {
namespace {

constexpr const char* kMotion = "VMAF_integer_feature_motion_sad_score";
constexpr const char* kMotion2 = "VMAF_integer_feature_motion2_score";
constexpr const char* kAdm2 = "VMAF_integer_feature_adm2_score";

TEST(LibvmafReading, ScoresAreThereAsSoonAsTheirFramesWereRead) {
  for (const unsigned threads : {0U, 1U, 2U}) {
    const Model model = load("vmaf_v0.6.1");
    const Context context = open_with(model, threads);
    std::vector<double> early;
    for (unsigned index = 0; index < 4; ++index) {
      ASSERT_EQ(read(context, {}, index), 0);
      // The first has no motion; the others need the frame behind them.
      if (index != 1) early.push_back(score(context, model, index == 0 ? 0 : index - 1).value());
      if (index != 0) {
        EXPECT_FALSE(score(context, model, index)) << index;
      }
    }
    ASSERT_EQ(flush(context), 0);
    for (unsigned index = 0; index < early.size(); ++index)
      EXPECT_EQ(score(context, "vmaf", index), early[index]) << index << ", " << threads << " threads";
    EXPECT_TRUE(score(context, model, 3));
  }
}

TEST(LibvmafReading, OneFrameHasAScoreWithoutAFlush) {
  const Model model = load("vmaf_v0.6.1");
  const Context unflushed = open_with(model), flushed = open_with(model);
  ASSERT_EQ(read(unflushed, {}, 0), 0);
  feed(flushed, {}, 1);
  EXPECT_EQ(score(unflushed, model, 0).value(), score(flushed, model, 0).value());
}

TEST(LibvmafReading, ThreadsFindTheSame) {
  const Model model = load("vmaf_v1.0.16_3d0h");
  std::vector<std::vector<double>> found;
  for (const unsigned threads : {0U, 1U, 3U, 4294967295U}) {
    const Context context = open_with(model, threads);
    feed(context, {}, 6);
    found.emplace_back();
    for (unsigned index = 0; index < 6; ++index) found.back().push_back(score(context, model, index).value());
  }
  for (const auto& scores : found) EXPECT_EQ(scores, found.front());
}

TEST(LibvmafReading, MotionComparesWithTheFrameThatWasReadBefore) {
  const Context in_order = open(), swapped = open();
  for (const Context* context : {&in_order, &swapped}) ASSERT_EQ(use(*context, "motion"), 0);
  for (const unsigned time : {0U, 2U, 1U}) {
    ASSERT_EQ(read(swapped, {}, time), 0);
  }
  unsigned index = 0;
  for (const unsigned time : {0U, 2U, 1U}) ASSERT_EQ(read_at(in_order, {}, index++, time), 0);
  EXPECT_EQ(score(swapped, kMotion, 2).value(), score(in_order, kMotion, 1).value());
  EXPECT_EQ(score(swapped, kMotion, 1).value(), score(in_order, kMotion, 2).value());
}

TEST(LibvmafReading, BehindAGapThereIsNoMotion2) {
  const Model model = load("vmaf_v0.6.1");
  for (const unsigned threads : {0U, 2U}) {
    const Context context = open_with(model, threads);
    for (const unsigned index : {0U, 1U, 4U, 5U}) ASSERT_EQ(read(context, {}, index), 0);
    ASSERT_EQ(flush(context), 0);
    EXPECT_EQ(score(context, kMotion2, 1), score(context, kMotion, 1));
    EXPECT_TRUE(score(context, kMotion, 5));
    EXPECT_TRUE(score(context, kAdm2, 5));
    EXPECT_FALSE(score(context, kMotion2, 4));
    EXPECT_TRUE(score(context, model, 1));
    EXPECT_FALSE(score(context, model, 4));
    EXPECT_FALSE(pooled(context, model, VMAF_POOL_METHOD_MEAN, 0, 5));
    EXPECT_TRUE(pooled(context, model, VMAF_POOL_METHOD_MEAN, 0, 1));
  }
}

TEST(LibvmafReading, AFrameReadTwiceKeepsItsScores) {
  for (const unsigned threads : {0U, 2U}) {
    const Context context = open(threads);
    ASSERT_EQ(use(context, "psnr", {{"enable_apsnr", "true"}}), 0);
    ASSERT_EQ(read(context, {}, 0), 0);
    const std::optional<double> first = score(context, "psnr_y", 0);
    EXPECT_EQ(read_at(context, {}, 0, 7), threads == 0 ? -EINVAL : 0);
    ASSERT_EQ(flush(context), 0);
    EXPECT_EQ(score(context, "psnr_y", 0), first);
  }
}

TEST(LibvmafReading, WithoutAFrameBeforeItThereIsNoMotion) {
  const Context context = open();
  ASSERT_EQ(use(context, "motion"), 0);
  EXPECT_EQ(read(context, {}, 3), -EINVAL);
  EXPECT_EQ(read(context, {}, 3), -EINVAL);  // a frame that was refused is none before
  EXPECT_EQ(flush(context), -EINVAL);
  EXPECT_EQ(read(context, {}, 0), 0);
  EXPECT_EQ(flush(context), 0);
}

TEST(LibvmafReading, TheEndIsTheEnd) {
  const Context context = open();
  ASSERT_EQ(use(context, "psnr"), 0);
  EXPECT_EQ(flush(context), -EINVAL);  // nothing was read
  EXPECT_EQ(read(context, {}, 0), 0);
  EXPECT_EQ(flush(context), 0);
  EXPECT_EQ(flush(context), -EINVAL);
  EXPECT_EQ(read(context, {}, 1), -EINVAL);
  EXPECT_EQ(flush(open()), 0);  // nothing was asked for
}

TEST(LibvmafReading, PicturesAreLikeTheFirst) {
  const Context context = open();
  ASSERT_EQ(use(context, "psnr"), 0);
  VmafPicture reference = alloc({VMAF_PIX_FMT_YUV420P, 10}), distorted = alloc({});
  EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, 0), -EINVAL);
  EXPECT_NE(reference.ref, nullptr);
  EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, nullptr, 0), -EINVAL);
  vmaf_picture_unref(&reference);
  vmaf_picture_unref(&distorted);
  EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, 0), -EINVAL);  // they hold nothing
  EXPECT_EQ(read(context, {}, 0), -EINVAL);  // the first was of 10 bits
  EXPECT_EQ(read(context, {VMAF_PIX_FMT_YUV420P, 10}, 0), 0);
  EXPECT_EQ(read(context, {VMAF_PIX_FMT_YUV444P, 10}, 1), -EINVAL);
  EXPECT_EQ(read(context, {VMAF_PIX_FMT_YUV420P, 10, 384, 290}, 1), -EINVAL);
}

// With threads nobody hears of an extractor that fails, and others go on.
TEST(LibvmafReading, ThreadsHideExtractorsThatFail) {
  const Shape small = {VMAF_PIX_FMT_YUV420P, 8, 160, 96};
  const Context plain = open(), threaded = open(2);
  for (const Context* context : {&plain, &threaded}) {
    ASSERT_EQ(use(*context, "cambi"), 0);
    ASSERT_EQ(use(*context, "adm"), 0);
  }
  EXPECT_EQ(read(plain, small, 0), -EINVAL);
  EXPECT_EQ(read(threaded, small, 0), 0);
  EXPECT_EQ(flush(threaded), 0);
  EXPECT_TRUE(score(threaded, kAdm2, 0));
  EXPECT_FALSE(score(threaded, "Cambi_feature_cambi_score", 0));
}

// Samples beyond the depth's maximum: no feature of them, but of the others.
TEST(LibvmafReading, ASampleTooLargeFailsWhatCannotTakeIt) {
  const Shape deep = {VMAF_PIX_FMT_YUV420P, 10};
  for (const unsigned threads : {0U, 2U}) {
    const Context context = open(threads);
    ASSERT_EQ(use(context, "adm"), 0);
    ASSERT_EQ(use(context, "psnr"), 0);
    ASSERT_EQ(read(context, deep, 0), 0);
    VmafPicture reference = alloc(deep), distorted = alloc(deep);
    static_cast<uint16_t*>(reference.data[0])[5] = 1024;
    EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, 1), threads == 0 ? -EINVAL : 0);
    vmaf_picture_unref(&reference);
    vmaf_picture_unref(&distorted);
    EXPECT_EQ(read(context, deep, 2), 0);
    EXPECT_EQ(flush(context), 0);
    EXPECT_FALSE(score(context, kAdm2, 1));
    EXPECT_TRUE(score(context, kAdm2, 2));
    EXPECT_TRUE(score(context, "psnr_y", 2));
    if (threads > 0) {
      EXPECT_TRUE(score(context, "psnr_y", 1));
    }
  }
}

TEST(LibvmafReading, AnExtractorBeginsWithTheFrameBehindItsRegistration) {
  for (const unsigned threads : {0U, 2U}) {
    const Context context = open(threads);
    ASSERT_EQ(use(context, "psnr"), 0);
    ASSERT_EQ(read(context, {}, 0), 0);
    ASSERT_EQ(use(context, "vif"), 0);
    ASSERT_EQ(read(context, {}, 1), 0);
    ASSERT_EQ(flush(context), 0);
    EXPECT_FALSE(score(context, "VMAF_integer_feature_vif_scale0_score", 0));
    EXPECT_TRUE(score(context, "VMAF_integer_feature_vif_scale0_score", 1));
  }
}

TEST(LibvmafReading, OfEqualRegistrationsTheFirstStands) {
  const Context context = open();
  ASSERT_EQ(use(context, "psnr", {{"enable_chroma", "false"}}), 0);
  ASSERT_EQ(use(context, "psnr", {{"enable_chroma", "true"}}), 0);
  feed(context, {}, 1);
  EXPECT_TRUE(score(context, "psnr_y", 0));
  EXPECT_FALSE(score(context, "psnr_cb", 0));
}

TEST(LibvmafReading, SubsamplingLeavesOutWhatNeedsNoNeighbours) {
  const Model model = load("vmaf_v0.6.1");
  const Context every = open_with(model), third = open_with(model, 0, 3);
  ASSERT_EQ(use(third, "psnr"), 0);
  feed(every, {}, 7);
  feed(third, {}, 7);
  for (unsigned index = 0; index < 7; ++index) {
    EXPECT_TRUE(score(third, "psnr_y", index));
    EXPECT_EQ(score(third, kMotion2, index), score(every, kMotion2, index));
    EXPECT_EQ(score(third, kAdm2, index).has_value(), index % 3 == 0);
    if (index % 3 == 0) {
      EXPECT_EQ(score(third, model, index), score(every, model, index));
    }
  }
  // The smallest is 0 where the interval does not begin with a frame that counts.
  EXPECT_EQ(pooled(third, model, VMAF_POOL_METHOD_MIN, 1, 6), 0);
  EXPECT_GT(pooled(third, model, VMAF_POOL_METHOD_MIN, 0, 6).value(), 1);
  EXPECT_TRUE(std::isnan(pooled(third, model, VMAF_POOL_METHOD_MEAN, 1, 2).value()));
}

TEST(LibvmafReading, ContextsInThreadsShareAModel) {
  const Model model = load("vmaf_v0.6.1");
  std::vector<double> found(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      const Context context = open_with(model, static_cast<unsigned>(i % 3));
      feed(context, {}, 3);
      found[i] = pooled(context, model, VMAF_POOL_METHOD_HARMONIC_MEAN, 0, 2).value_or(-1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double one : found) EXPECT_EQ(one, found.front());
  EXPECT_GT(found.front(), 0);
}

TEST(LibvmafReading, ScoresAreAskedForBesideReading) {
  const Context context = open(2);
  ASSERT_EQ(use(context, "psnr"), 0);
  std::thread asking([&] {
    for (int i = 0; i < 200; ++i) (void)score(context, "psnr_y", static_cast<unsigned>(i % 20));
  });
  for (unsigned index = 0; index < 20; ++index) EXPECT_EQ(read(context, {}, index), 0);
  asking.join();
  for (unsigned index = 0; index < 20; ++index) EXPECT_TRUE(score(context, "psnr_y", index)) << index;
}

// Twenty frames wait behind one thread; the context is closed all the same.
TEST(LibvmafReading, ClosingDropsWhatWaits) {
  const Model model = load("vmaf_v1.0.16_3d0h");
  Context context = open_with(model, 1);
  for (unsigned index = 0; index < 8; ++index) EXPECT_EQ(read(context, {}, index), 0);
  context.reset();
}

}  // namespace
}  // namespace client
