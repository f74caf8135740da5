// What a run says of two videos whose frames, or samples, do not belong together.
#include "cli/run/pair_remarks.h"

#include <gmock/gmock.h>

#include "feature/registry.h"

namespace vq::cli::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

VideoInfo video(const std::string& path, int width = 640, int height = 360) {
  VideoInfo info;
  info.path = path;
  info.format = {.name = path, .width = width, .height = height, .bit_depth = 8, .chroma = Chroma::k420};
  info.frame_rate_num = 24;
  info.frames = 240;
  return info;
}

std::vector<FeatureRequest> request(std::string_view name) {
  const FeatureInfo& info = find_feature(name);
  return {{.info = &info, .options = OptionSet(info.options)}};
}

class PairRemarks : public ::testing::Test {
 protected:
  std::vector<std::string> warnings(std::string_view feature = "psnr", bool scales = false) const {
    return pair_warnings(request(feature), {.distorted = distorted_, .reference = reference_}, scales);
  }
  std::string remedy() const { return size_remedy({.distorted = distorted_, .reference = reference_}); }

  VideoInfo distorted_ = video("show.mp4"), reference_ = video("master.mov");
};

TEST_F(PairRemarks, APairThatFitsHasNone) {
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_THAT(warnings("psnr", true), IsEmpty());
}

TEST_F(PairRemarks, FrameRatesThatDifferAreWarnedOf) {
  distorted_.frame_rate_num = 30;
  distorted_.frames = 300;
  reference_.frame_rate_num = 24000;
  reference_.frame_rate_den = 1001;
  EXPECT_THAT(warnings(),
              ElementsAre(AllOf(HasSubstr("show.mp4 has 30 frames a second and master.mov 23.976"),
                                HasSubstr("ffmpeg -i IN -vf fps=24000/1001 -c:v ffv1 OUT.mkv"))));
  EXPECT_THAT(warnings("cambi"), IsEmpty());
  distorted_.frames.reset();
  distorted_.duration = 10;
  reference_.frames.reset();
  reference_.duration = 10;
  EXPECT_EQ(warnings().size(), 1U);
  distorted_.duration.reset();
  EXPECT_EQ(warnings().size(), 1U);
  distorted_.frame_rate_num = 0;
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(PairRemarks, RatesOfPairsThatMeetFrameByFrameAreNot) {
  distorted_.frame_rate_num = 25;  // plays faster
  EXPECT_THAT(warnings(), IsEmpty());
  distorted_.frames = 238;
  EXPECT_THAT(warnings(), IsEmpty());
  distorted_.frame_rate_num = 24000;
  distorted_.frame_rate_den = 1001;
  distorted_.frames = 100;
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(PairRemarks, VideosThatPlayersTurnOtherwiseAreWarnedOf) {
  reference_.rotation = -90;
  EXPECT_THAT(warnings(), IsEmpty());  // the tag was lost; samples are as they were
  distorted_ = video("show.mp4", 360, 640);
  EXPECT_THAT(warnings(), ElementsAre(AllOf(HasSubstr("players turn master.mov by 90 degrees, but"),
                                            HasSubstr("ffmpeg -i IN -c:v ffv1"))));
  EXPECT_THAT(remedy(), HasSubstr("-c:v ffv1 OUT.mkv of master.mov"));
  reference_.rotation = 0;
  EXPECT_THAT(
      warnings(),
      ElementsAre("show.mp4 is 360x640 and master.mov is 640x360: one of them seems to lie on its side."));
  EXPECT_THAT(remedy(), HasSubstr("transpose=1"));
  distorted_ = video("show.mp4");
  distorted_.rotation = 180;
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("players turn show.mp4 by 180 degrees")));
  reference_.rotation = -180;
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(remedy(), "--scale-to reference");
}

TEST_F(PairRemarks, AReferenceThatIsSmallerIsWarnedOfWhereTheVideoIsScaledToIt) {
  distorted_ = video("show.mp4", 1280, 720);
  EXPECT_THAT(warnings("psnr", true),
              ElementsAre(HasSubstr("master.mov, is 640x360, smaller than show.mp4, which is 1280x720")));
  EXPECT_THAT(warnings(), IsEmpty());
  reference_ = video("master.mov", 1280, 536);
  EXPECT_THAT(warnings("psnr", true), IsEmpty());
}

TEST_F(PairRemarks, ChromaIsConvertedToTheCoarser) {
  VideoFormat master = reference_.format;
  master.chroma = Chroma::k422;
  master.bit_depth = 10;
  const std::string told =
      " Convert master.mov first, for example with ffmpeg -i IN -pix_fmt yuv420p10le -c:v ffv1 OUT.mkv";
  EXPECT_EQ(chroma_remedy(distorted_.format, master), told);
  EXPECT_EQ(chroma_remedy(master, distorted_.format), told);
  master.chroma = Chroma::k400;
  EXPECT_EQ(chroma_remedy(distorted_.format, master), "");
  EXPECT_EQ(chroma_remedy(distorted_.format, distorted_.format), "");
}

}  // namespace
}  // namespace vq::cli::test
