#include <gmock/gmock.h>

#include "feature/cvvdp/comparison.h"
#include "feature/cvvdp/cvvdp.h"
#include "tests/support/implementations.h"
#include "tests/support/option_rows.h"

namespace vq::cvvdp {
namespace {

using Implementation = vq::test::Implementation<Stages>;
using vq::test::append;
using vq::test::Bits;
using vq::test::noise;

constexpr int kWidths[] = {8, 9, 15, 16, 17, 31, 33, 64, 65, 130};

// Room for scratch rows.
Plane<float> wide(int width, int height) { return Plane<float>(width + kScratch, height); }

VideoFormats formats(int width, int height) {
  const VideoFormat video = {.name = "clip", .width = width, .height = height, .frame_rate = 24};
  return {video, video};
}

Plan plan_for(std::string_view display, int width = 64, int height = 36) {
  return Cvvdp::make_plan({.display = display, .fps = 24}, formats(width, height));
}

// Runs each stage on rows of noise. Returns the bits of all.
Bits all_stages(const Stages& stages, const Plan& plan, int width) {
  Bits bits;
  const auto seed = static_cast<unsigned>(width);
  Plane<float> out = wide(width, 8), scratch = wide(width, 1);
  const Plane<float> rgb = noise(width, 3, -0.1F, 1.1F, seed);
  stages.to_dkl({rgb.row(0), rgb.row(1), rgb.row(2)}, width, plan.to_dkl,
                {out.row(0), out.row(1), out.row(2)});
  for (int i = 0; i < 3; ++i) append(bits, out.row(i), width);

  const Plane<float> rows = noise(width, 13, -50, 200, seed + 1);
  std::vector<const float*> frames;
  for (size_t i = 0; i < plan.frames(); ++i) frames.push_back(rows.row(static_cast<int>(i)));
  stages.filter_row({frames, plan.filters[kLight].data(), plan.filters[kChange].data()}, width,
                    {out.row(0), out.row(1)});
  append(bits, out.row(0), width);
  append(bits, out.row(1), width);

  for (const bool ends_even : {false, true}) {
    stages.reduce_row({.rows = {rows.row(0), rows.row(1), rows.row(2), rows.row(3), rows.row(4)},
                       .ends_even = ends_even,
                       .width = width},
                      scratch.row(0), out.row(0));
    append(bits, out.row(0), (width + 1) / 2);
    stages.expand_row({.rows = {rows.row(0), rows.row(1), rows.row(2)},
                       .is_odd = ends_even,
                       .narrow = (width + 1) / 2,
                       .width = width},
                      scratch.row(0), out.row(0));
    append(bits, out.row(0), width);
  }

  const Level& level = plan.levels[0];
  float* const background = out.row(6);
  stages.background_row(rows.row(0), width, background);
  append(bits, background, width);
  Rows<float> sensitivities = {out.row(2), out.row(3), out.row(4), out.row(5)};
  stages.sensitivity_rows(background, width, level, plan.constants, sensitivities);
  for (const float* const row : sensitivities) append(bits, row, width);
  stages.contrast_row({rows.row(1), rows.row(2), background, kLayerGain}, sensitivities[kChange], width,
                      out.row(0));
  append(bits, out.row(0), width);
  stages.compare_rows(rows.row(1), rows.row(2), width, out.row(0), out.row(1));
  append(bits, out.row(0), width);
  append(bits, out.row(1), width);
  stages.blur_row(out.row(0), width, plan.constants, out.row(7));
  append(bits, out.row(7), width);

  Plane<float> common = noise(width, kBlurTaps * static_cast<int>(kChannels), 0, 40, seed + 2),
               apart = noise(width, static_cast<int>(kChannels), 0, 9, seed + 3), sums = wide(width, 8);
  for (const size_t channels : {kChannels, kStillChannels}) {
    for (const bool is_blurred : {true, false}) {
      MaskInput in{.channels = channels, .is_blurred = is_blurred, .width = width};
      MaskOutput to{.adds = is_blurred};
      for (size_t k = 0; k < channels; ++k) {
        for (size_t i = 0; i < kBlurTaps; ++i)
          in.mutual[k][i] = common.row(static_cast<int>(k * kBlurTaps + i));
        in.difference[k] = apart.row(static_cast<int>(k));
        to.sums[k] = sums.row(static_cast<int>(k));
        to.differences[k] = sums.row(static_cast<int>(4 + k));
      }
      stages.mask_row(in, plan.constants, to);
      for (size_t k = 0; k < channels; ++k) {
        append(bits, to.sums[k], light::tiles_of(width) * light::kTile);
        append(bits, to.differences[k], width);
      }
    }
  }
  return bits;
}

TEST(CvvdpStages, HaveTheSameBitsInEveryImplementation) {
  for (const char* const display : {"standard_4k", "standard_hdr_pq", "standard_hdr_hlg"}) {
    const Plan plan = plan_for(display);
    for (const int width : kWidths) {
      vq::test::expect_same_of_all(
          vq::test::all_implementations(scalar::kStages, simd::stages_for),
          std::string(display) + " " + std::to_string(width),
          [&](const Implementation& one) { return all_stages(one.stages, plan, width); });
    }
  }
}

// x^p as exp2(p log2 x), within what 32 bits can have.
TEST(CvvdpFunctions, AreCloseToTheTruth) {
  for (float x = 1e-5F; x < 5000; x *= 1.37F) {
    const double log = std::log2(static_cast<double>(x));
    EXPECT_NEAR(log2_of(x), log, std::max(1e-7, std::abs(log) * 6.5e-8)) << x;
  }
  for (float x = -60; x < 60; x += 0.37F)
    EXPECT_NEAR(exp2_of(x) / std::exp2(static_cast<double>(x)), 1, 1.3e-7) << x;
}

Frame drawn(const VideoFormat& format, unsigned seed) {
  std::minstd_rand random(seed);
  auto planes = std::make_shared<std::array<Plane<uint8_t>, kMaxPlanes>>();
  Frame frame;
  for (int i = 0; i < kMaxPlanes; ++i) {
    const PlaneSize size = plane_size(format, i);
    Plane<uint8_t>& plane = (*planes)[static_cast<size_t>(i)];
    plane = Plane<uint8_t>(size.width, size.height);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) plane.row(y)[x] = static_cast<uint8_t>(16 + random() % 220);
    }
    frame.planes[static_cast<size_t>(i)].u8 = std::as_const(plane).view();
  }
  frame.owner = planes;
  return frame;
}

std::vector<FrameResult> scored(const Execution& execution, int width, int height, int count,
                                bool is_same = false) {
  const VideoFormats videos = formats(width, height);
  const FeatureInfo& info = feature_info();
  OptionSet set(info.options);
  info.resolve(set, videos, AskedBy::kProgram);
  const auto feature = info.make(set, videos, execution);
  PreviousFrames before(info.neighbours(set));
  std::vector<FrameResult> results;
  for (int i = 0; i < count; ++i) {
    FramePair pair{.distorted = drawn(videos.distorted, static_cast<unsigned>(is_same ? i : i + 100)),
                   .reference = drawn(*videos.reference, static_cast<unsigned>(i))};
    pair.distorted.index = pair.reference->index = pair.index = i;
    before.give(pair);
    results.push_back(feature->score(pair));
  }
  return results;
}

// Odd sides, levels that are not blurred, and the first frame, which may be a still.
TEST(CvvdpFrames, HaveTheSameBitsOnEveryInstructionSet) {
  for (const auto& [width, height] : {std::pair{8, 8}, {9, 40}, {77, 53}, {130, 64}}) {
    const std::vector<FrameResult> expected = scored({.backend = Backend::kScalar}, width, height, 3);
    for (const uint32_t mask : {0U, +kMaskAvx512, +kMaskAvx2, +kMaskSse41}) {
      const std::vector<FrameResult> found = scored({.cpumask = mask}, width, height, 3);
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(found[i].values_if_last(), expected[i].values_if_last()) << mask;
      EXPECT_GT(found[0].values_if_last()[1], 0);
    }
  }
}

TEST(CvvdpFrames, HaveAHeatmapOfWhatIsLost) {
  const std::vector<FrameResult> alike = scored({.heatmaps = true}, 64, 48, 1, true),
                                 other = scored({.heatmaps = true}, 64, 48, 1);
  ASSERT_EQ(alike[0].heatmaps.size(), 1U);
  double sum = 0;
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      EXPECT_EQ(alike[0].heatmaps[0].row(y)[x], 0);
      sum += other[0].heatmaps[0].row(y)[x] * kJodPerLevel;
    }
  }
  // As far from the reference as the picture is: the map is that of the authors, whose mean is no score.
  const double lost = 10 - jod_of(other[0].values[0]), mean = sum / (64 * 48);
  EXPECT_GT(mean, lost / 4);
  EXPECT_LT(mean, lost * 4);
}

TEST(CvvdpFrames, AreTheSameBesideOthersOfTheReference) {
  const VideoFormats videos = formats(64, 48);
  OptionSet set(feature_info().options);
  feature_info().resolve(set, videos, AskedBy::kProgram);
  const auto alone = feature_info().make(set, videos, {}), together = feature_info().make(set, videos, {});
  std::vector<FramePair> pairs;
  for (const unsigned seed : {5U, 6U, 7U})
    pairs.push_back({.distorted = drawn(videos.distorted, seed), .reference = drawn(*videos.reference, 1)});
  for (FramePair& pair : pairs) pair.reference = pairs[0].reference;
  const std::vector<FrameResult> found =
      together->score_together(std::vector<const FramePair*>{&pairs[0], &pairs[1], &pairs[2]});
  for (size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(found[i].values_if_last(), alone->score(pairs[i]).values_if_last());
}

using ::testing::ElementsAre;
VideoFormats videos(int width, int height, Transfer transfer = Transfer::kUnspecified, double rate = 0) {
  const VideoFormat video = {
      .name = "clip", .width = width, .height = height, .transfer = transfer, .frame_rate = rate};
  return {video, video};
}

TEST(CvvdpDisplays, FollowTheTags) {
  for (const auto& [transfer, name] : {std::pair{Transfer::kUnspecified, "standard_4k"},
                                       {Transfer::kBt1886, "standard_4k"},
                                       {Transfer::kPq, "standard_hdr_pq"},
                                       {Transfer::kHlg, "standard_hdr_hlg"}}) {
    OptionSet set(feature_info().options);
    const Resolution resolution = feature_info().resolve(set, videos(64, 64, transfer, 30), AskedBy::kUser);
    EXPECT_EQ(set.get_text("display"), name);
    EXPECT_EQ(set.get_real("fps"), 30);
    EXPECT_TRUE(resolution.warnings.empty());
    EXPECT_THAT(feature_info().metric_names(set), ElementsAre("cvvdp_v0.5.6_display_" + std::string(name)));
  }
  OptionSet set = vq::test::set_of(feature_info().options, {{"display", "standard_4k"}});
  EXPECT_EQ(feature_info().resolve(set, videos(64, 64, Transfer::kPq), AskedBy::kUser).warnings.size(), 2U);
}

TEST(CvvdpDisplays, SayWhatReportsState) {
  const OptionSet set =
      vq::test::set_of(feature_info().options, {{"display", "standard_fhd"}, {"peak", "400"}});
  const auto words = feature_info().reading(set, videos(64, 64).distorted);
  for (const auto& word : std::vector<std::pair<std::string, std::string>>{{"matrix", "bt709"},
                                                                           {"chroma", "bilinear"},
                                                                           {"display", "standard_fhd"},
                                                                           {"ppd", "37.84"},
                                                                           {"peak", "400"},
                                                                           {"black", "0.4"},
                                                                           {"reflection", "0.3979"}})
    EXPECT_THAT(words, ::testing::Contains(word));
}

TEST(CvvdpDisplays, WithoutADefinitionAreRefused) {
  for (const auto& options : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"display", "standard_hdr_hlg"}, {"ambient", "0"}}, {{"ppd", "1"}}, {{"contrast", "0.5"}}}) {
    vq::test::expect_error(ErrorKind::kUsage, {"cvvdp"}, [&] {
      feature_info().check(vq::test::set_of(feature_info().options, options), videos(64, 64));
    });
  }
}

std::vector<double> clip_of(const std::vector<FrameValues>& results, const Options& options = {}) {
  const auto sequence = Cvvdp::make_sequence(options);
  std::vector<double> scores;
  const auto take = [&](const std::vector<FrameValues>& complete) {
    for (const FrameValues& values : complete) scores.push_back(values.front());
  };
  for (const FrameValues& values : results) take(sequence->next({.values = values}));
  take(sequence->finish());
  return scores;
}

// Filters of three frames: the first two wait for the third. Rows of shards have NaN behind.
TEST(CvvdpScore, OfTheFirstFramesWaitsForThoseAfterThem) {
  constexpr double kRest = std::numeric_limits<double>::quiet_NaN();
  const std::vector<FrameValues> results = {
      {9, 8, kRest, kRest, kRest}, {9, -1, 6, 7, kRest}, {9, -1, 1, 2, 3}, {4, -1, kRest, kRest, kRest}};
  const std::vector<double> expected[] = {{8 * kStill}, {6, 7}, {1, 2, 3}, {1, 2, 3, 4}};
  for (int count = 1; count <= 4; ++count) {
    std::vector<double> scores = expected[count - 1];
    for (double& q : scores) q = jod_of(q);
    EXPECT_EQ(clip_of({results.begin(), results.begin() + count}, {.fps = 8, .padding = kPaddings[1]}),
              scores);
  }
}

}  // namespace
}  // namespace vq::cvvdp
