#include <gmock/gmock.h>

#include "feature/cvvdp/cvvdp.h"
#include "tests/support/option_rows.h"

namespace vq::cvvdp {
namespace {

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
