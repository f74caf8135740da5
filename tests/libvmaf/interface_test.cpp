// Layouts, values, arguments and pictures.
#include <cerrno>
#include <cstddef>

#include "tests/libvmaf/client.h"
#include "tests/support/test.h"

namespace client {
namespace {

// Programs that are compiled already carry these within themselves.
static_assert(sizeof(VmafConfiguration) == 32 && offsetof(VmafConfiguration, n_threads) == 4 &&
              offsetof(VmafConfiguration, n_subsample) == 8 && offsetof(VmafConfiguration, cpumask) == 16 &&
              offsetof(VmafConfiguration, gpumask) == 24);
static_assert(sizeof(VmafPicture) == 96 && offsetof(VmafPicture, bpc) == 4 && offsetof(VmafPicture, w) == 8 &&
              offsetof(VmafPicture, h) == 20 && offsetof(VmafPicture, stride) == 32 &&
              offsetof(VmafPicture, data) == 56 && offsetof(VmafPicture, ref) == 80 &&
              offsetof(VmafPicture, priv) == 88);
static_assert(sizeof(VmafPictureConfiguration) == 20 && offsetof(VmafPictureConfiguration, pic_cnt) == 16);
static_assert(sizeof(VmafModelConfig) == 16 && offsetof(VmafModelConfig, flags) == 8);
static_assert(sizeof(VmafModelCollectionScore) == 40 &&
              offsetof(VmafModelCollectionScore, bootstrap.stddev) == 16 &&
              offsetof(VmafModelCollectionScore, bootstrap.ci.p95.lo) == 24 &&
              offsetof(VmafModelCollectionScore, bootstrap.ci.p95.hi) == 32);
static_assert(VMAF_LOG_LEVEL_NONE == 0 && VMAF_LOG_LEVEL_DEBUG == 4 && VMAF_OUTPUT_FORMAT_XML == 1 &&
              VMAF_OUTPUT_FORMAT_SUB == 4 && VMAF_POOL_METHOD_MIN == 1 &&
              VMAF_POOL_METHOD_HARMONIC_MEAN == 4 && VMAF_POOL_METHOD_NB == 5 && VMAF_PIX_FMT_YUV420P == 1 &&
              VMAF_PIX_FMT_YUV400P == 4 && VMAF_MODEL_FLAG_DISABLE_CLIP == 1 &&
              VMAF_MODEL_FLAG_ENABLE_TRANSFORM == 2 && VMAF_MODEL_FLAG_DISABLE_TRANSFORM == 4 &&
              VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP == 1);
static_assert(VMAF_API_VERSION_MAJOR == 3 && VMAF_API_VERSION_MINOR == 2 && VMAF_API_VERSION_PATCH == 0);

TEST(LibvmafInterface, TheVersionIsThatOfTheInterface) {
  EXPECT_TRUE(std::string(vmaf_version()).starts_with("3.2.0"));
  EXPECT_EQ(std::string(vmaf_version()).find_first_of("\"<&"), std::string::npos);
}

bool is_zero(const VmafPicture& picture) {
  static const VmafPicture zero = {};
  return std::memcmp(&picture, &zero, sizeof zero) == 0;
}

TEST(LibvmafPicture, ChromaIsRoundedDownAndPlanesAreZeroAndAligned) {
  for (int round = 0; round < 2; ++round) {  // memory that was used already as well
    VmafPicture picture = alloc({VMAF_PIX_FMT_YUV420P, 10, 357, 355});
    EXPECT_EQ(picture.w[1], 178U);
    EXPECT_EQ(picture.h[2], 177U);
    EXPECT_EQ(picture.stride[0], 2 * 384);
    EXPECT_EQ(picture.stride[1], 2 * 192);
    for (int plane = 0; plane < 3; ++plane) {
      const auto* data = static_cast<const unsigned char*>(picture.data[plane]);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 32, 0U);
      const size_t bytes = static_cast<size_t>(picture.stride[plane]) * picture.h[plane];
      EXPECT_EQ(std::count(data, data + bytes, 0), static_cast<ptrdiff_t>(bytes));
      std::memset(picture.data[plane], 0xff, bytes);
    }
    EXPECT_EQ(vmaf_picture_unref(&picture), 0);
    EXPECT_TRUE(is_zero(picture));
    EXPECT_EQ(vmaf_picture_unref(&picture), -EINVAL);
  }
}

TEST(LibvmafPicture, WithoutChromaThereIsOnePlane) {
  VmafPicture picture = alloc({VMAF_PIX_FMT_YUV400P, 8, 64, 64});
  EXPECT_NE(picture.data[0], nullptr);
  EXPECT_EQ(picture.data[1], nullptr);
  EXPECT_EQ(picture.w[1] + picture.h[2], 0U);
  vmaf_picture_unref(&picture);
}

TEST(LibvmafPicture, WhatIsNoPictureIsRefused) {
  VmafPicture picture;
  EXPECT_EQ(vmaf_picture_alloc(nullptr, VMAF_PIX_FMT_YUV420P, 8, 8, 8), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_UNKNOWN, 8, 8, 8), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, static_cast<VmafPixelFormat>(VMAF_PIX_FMT_YUV400P + 1), 8, 8, 8),
            -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 7, 8, 8), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 17, 8, 8), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 0, 8), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 4294967295U, 4294967295U), -ENOMEM);
}

TEST(LibvmafPicture, APictureIsWhereItsStructWasCopiedTo) {
  const Context context = open();
  ASSERT_EQ(use(context, "psnr"), 0);
  VmafPicture reference = alloc({}), distorted = alloc({});
  draw(reference, 0, 0);
  draw(distorted, 0, 3);
  VmafPicture moved[2] = {reference, distorted};
  std::memset(&reference, 0xa5, sizeof reference);
  EXPECT_EQ(vmaf_read_pictures(context.get(), &moved[0], &moved[1], 0), 0);
  EXPECT_TRUE(is_zero(moved[0]) && is_zero(moved[1]));
  EXPECT_TRUE(score(context, "psnr_y", 0));
}

// The struct of headers in which a description of colours stands before `ref` (ADR 0041): what the library
// writes there as `ref` and `priv` is the caller's `color`.
struct NextPicture {
  VmafPixelFormat pix_fmt;
  unsigned bpc;
  unsigned w[3], h[3];
  ptrdiff_t stride[3];
  void* data[3];
  struct {
    int range, primaries, transfer, matrix;
  } color;
  void *ref, *priv;
};
static_assert(offsetof(NextPicture, color) == offsetof(VmafPicture, ref) &&
              offsetof(NextPicture, ref) == sizeof(VmafPicture));

VmafPicture& seen_by_the_library(NextPicture& picture) { return reinterpret_cast<VmafPicture&>(picture); }

NextPicture drawn_by_the_next(unsigned strength) {
  NextPicture picture;
  std::memset(&picture, 0x5a, sizeof picture);
  EXPECT_EQ(vmaf_picture_alloc(&seen_by_the_library(picture), VMAF_PIX_FMT_YUV420P, 8, 384, 288), 0);
  draw(seen_by_the_library(picture), 0, strength);
  picture.color = {1, 1, 1, 1};
  return picture;
}

TEST(LibvmafPicture, CallersWithADescriptionOfColoursAreSafe) {
  const Context old = open(), next = open();
  ASSERT_EQ(use(old, "psnr"), 0);
  ASSERT_EQ(use(next, "psnr"), 0);
  ASSERT_EQ(read(old, {}, 0), 0);
  NextPicture reference = drawn_by_the_next(0), distorted = drawn_by_the_next(13),
              unused = drawn_by_the_next(1);
  EXPECT_EQ(
      vmaf_read_pictures(next.get(), &seen_by_the_library(reference), &seen_by_the_library(distorted), 0), 0);
  EXPECT_EQ(score(next, "psnr_y", 0), score(old, "psnr_y", 0));
  EXPECT_EQ(vmaf_picture_unref(&seen_by_the_library(unused)), 0);
  NextPicture untouched;
  std::memset(&untouched, 0x5a, sizeof untouched);
  for (const NextPicture& picture : {reference, distorted, unused}) {
    EXPECT_EQ(picture.data[0], nullptr);
    EXPECT_EQ(picture.ref, untouched.ref);  // behind what callers of this header have memory for
    EXPECT_EQ(picture.priv, untouched.priv);
  }
  EXPECT_EQ(vmaf_picture_unref(&seen_by_the_library(unused)), -EINVAL);
}

TEST(LibvmafPicture, APoolGrowsAndItsPicturesOutliveIt) {
  VmafPictureConfiguration pool = {};
  pool.pic_params = {64, 48, 8, VMAF_PIX_FMT_YUV422P};
  VmafPicture first, second;
  {
    const Context context = open();
    EXPECT_EQ(vmaf_fetch_preallocated_picture(context.get(), &first), -EINVAL);
    EXPECT_EQ(vmaf_preallocate_pictures(context.get(), pool), -EINVAL);  // of no pictures
    pool.pic_cnt = 1;
    ASSERT_EQ(vmaf_preallocate_pictures(context.get(), pool), 0);
    ASSERT_EQ(vmaf_fetch_preallocated_picture(context.get(), &first), 0);
    pool.pic_params.w = 128;
    ASSERT_EQ(vmaf_preallocate_pictures(context.get(), pool), 0);
    ASSERT_EQ(vmaf_fetch_preallocated_picture(context.get(), &second), 0);
  }
  EXPECT_EQ(first.w[0], 64U);
  EXPECT_EQ(second.w[0], 128U);
  draw(first, 0, 0);
  std::thread([&] { EXPECT_EQ(vmaf_picture_unref(&first), 0); }).join();
  EXPECT_EQ(vmaf_picture_unref(&second), 0);
}

TEST(LibvmafInterface, WhatIsMissingIsSaidSo) {
  const Context context = open();
  const Model model = load("vmaf_v0.6.1");
  VmafModel* other = nullptr;
  VmafModelCollection* collection = nullptr;
  VmafFeatureDictionary* dictionary = nullptr;
  double value = 0;
  EXPECT_EQ(vmaf_init(nullptr, VmafConfiguration()), -EINVAL);
  EXPECT_EQ(vmaf_close(nullptr), -EINVAL);
  EXPECT_EQ(vmaf_model_load(&other, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_model_load(nullptr, nullptr, "vmaf_v0.6.1"), -EINVAL);
  EXPECT_EQ(vmaf_model_load(&other, nullptr, "vmaf_v9"), -EINVAL);
  EXPECT_EQ(vmaf_model_load(&other, nullptr, "vmaf_b_v0.6.3"), -EINVAL);  // a collection
  EXPECT_EQ(vmaf_model_collection_load(&other, &collection, nullptr, "vmaf_v0.6.1"), -EINVAL);
  EXPECT_EQ(vmaf_model_load_from_path(&other, nullptr, "/nowhere/model.json"), -EINVAL);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(collection, nullptr);
  EXPECT_EQ(vmaf_use_feature(context.get(), "bounds", nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(context.get(), "float_vif", nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(context.get(), "null", nullptr), 0);
  EXPECT_EQ(vmaf_feature_dictionary_set(&dictionary, "key", nullptr), -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_free(&dictionary), 0);
  EXPECT_EQ(vmaf_feature_score_pooled(context.get(), "x", VMAF_POOL_METHOD_MEAN, nullptr, 0, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_pooled(context.get(), model.get(), VMAF_POOL_METHOD_UNKNOWN, &value, 0, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_pooled(context.get(), model.get(), VMAF_POOL_METHOD_MEAN, &value, 1, 0), -EINVAL);
  EXPECT_EQ(vmaf_write_output(context.get(), nullptr, VMAF_OUTPUT_FORMAT_XML), -EINVAL);
  EXPECT_EQ(vmaf_write_output(context.get(), "/nowhere/x", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
}

// Whoever frees it then is right, and so is who does not.
TEST(LibvmafInterface, ADictionaryStaysTheCallersWhereItIsRefused) {
  const Context context = open();
  VmafFeatureDictionary* dictionary = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&dictionary, "window_size", "1"), 0);
  EXPECT_EQ(vmaf_use_feature(context.get(), "cambi", dictionary), -EINVAL);
  ASSERT_EQ(vmaf_feature_dictionary_set(&dictionary, "window_size", "63"), 0);
  EXPECT_EQ(vmaf_use_feature(context.get(), "cambi", dictionary), 0);
}

TEST(LibvmafInterface, NumbersGoThroughAFloatAndSixDigits) {
  const std::pair<const char*, const char*> kNames[] = {{"1.0", "integer_vif_scale0_egl_1"},
                                                        {"0x2.8p0", "integer_vif_scale0_egl_2.5"},
                                                        {"12.3456789", "integer_vif_scale0_egl_12.3457"},
                                                        {" +7.50 ", "integer_vif_scale0_egl_7.5"},
                                                        {"100.00", "VMAF_integer_feature_vif_scale0_score"}};
  for (const auto& [value, name] : kNames) {
    const Context context = open();
    ASSERT_EQ(use(context, "vif", {{"vif_enhn_gain_limit", value}, {"not_an_option", "1"}}), 0);
    feed(context, {}, 1);
    EXPECT_TRUE(score(context, name, 0)) << value;
  }
  const Context context = open();
  EXPECT_EQ(use(context, "vif", {{"vif_enhn_gain_limit", "0.99"}}), -EINVAL);
  EXPECT_EQ(use(context, "vif", {{"debug", "yes"}}), -EINVAL);
  EXPECT_EQ(use(context, "cambi", {{"window_size", "31.7"}}), 0);  // the beginning that is a number
  EXPECT_EQ(use(context, "adm", {{"adm_ref_display_height", "1234567"}}), 0);  // by then 1.23457e+06
}

// Which frames have scores, when, and how they are pooled.

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

TEST(LibvmafReading, MotionComparesWithTheFrameThatWasReadBefore) {
  const Context in_order = open(), swapped = open();
  for (const Context* context : {&in_order, &swapped}) ASSERT_EQ(use(*context, "motion"), 0);
  for (const unsigned time : {0U, 2U, 1U}) ASSERT_EQ(read(swapped, {}, time), 0);
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
