#include <gmock/gmock.h>

#include "feature/light/light.h"
#include "tests/support/expect_error.h"

namespace vq::light {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

VideoFormat untagged(int height) {
  return {.name = "video", .width = 640, .height = height};
}

VideoFormat tagged() {
  VideoFormat video = untagged(1080);
  video.range = Range::kFull;
  video.transfer = Transfer::kPq;
  video.matrix = Matrix::kBt2020;
  video.primaries = Primaries::kBt709;
  video.chroma_location = ChromaLocation::kTopLeft;
  return video;
}

TEST(LightOptions, UntaggedVideoIsReadByItsHeight) {
  EXPECT_EQ(reading_of({}, untagged(576)), (Reading{.matrix = Matrix::kBt601}));
  EXPECT_EQ(reading_of({}, untagged(577)), (Reading{.matrix = Matrix::kBt709}));
  VideoFormat wide = untagged(2160);
  wide.matrix = Matrix::kBt2020;
  EXPECT_TRUE(reading_of({}, wide).has_bt2020_primaries);
}

TEST(LightOptions, TagsAreFollowed) {
  EXPECT_EQ(reading_of({}, tagged()), (Reading{.matrix = Matrix::kBt2020,
                                               .curve = Curve::kPq,
                                               .has_bt2020_primaries = false,
                                               .is_full_range = true,
                                               .location = ChromaLocation::kTopLeft}));
}

TEST(LightOptions, OptionsComeBeforeTags) {
  const LightOptions options = {.matrix = "bt709",
                                .transfer = "srgb",
                                .primaries = "bt2020",
                                .range = "limited",
                                .chroma_location = "center",
                                .chroma = "repeat"};
  EXPECT_EQ(reading_of(options, tagged()), (Reading{.matrix = Matrix::kBt709,
                                                    .curve = Curve::kSrgb,
                                                    .has_bt2020_primaries = true,
                                                    .is_full_range = false,
                                                    .location = ChromaLocation::kCenter,
                                                    .repeats_chroma = true}));
}

TEST(LightOptions, RgbIsFullRangeSrgb) {
  VideoFormat rgb = untagged(360);
  rgb.chroma = Chroma::k444;
  rgb.matrix = Matrix::kRgb;
  EXPECT_EQ(reading_of({}, rgb),
            (Reading{.matrix = Matrix::kRgb, .curve = Curve::kSrgb, .is_full_range = true}));
  test::expect_error(ErrorKind::kMismatch, {"RGB"}, [&] { reading_of({.matrix = "bt709"}, rgb); });
  test::expect_error(ErrorKind::kMismatch, {"not RGB"}, [] { reading_of({.matrix = "rgb"}, untagged(360)); });
}

TEST(LightOptions, OtherMatricesAreRefusedUnlessOneIsGiven) {
  VideoFormat video = untagged(480);
  video.matrix = Matrix::kSmpte240;
  test::expect_error(ErrorKind::kMismatch, {"smpte240", "matrix="}, [&] { reading_of({}, video); });
  EXPECT_EQ(reading_of({.matrix = "bt709"}, video).matrix, Matrix::kBt709);
}

TEST(LightOptions, NotesSayWhatIsAssumedAndWhatDiffers) {
  const VideoFormat video = untagged(360), reference = tagged();
  EXPECT_THAT(notes_on({}, video, nullptr),
              ElementsAre("matrix=bt601 (assumed from the size)", "transfer=bt1886 (assumed)"));
  EXPECT_THAT(notes_on({}, tagged(), nullptr), IsEmpty());
  EXPECT_THAT(notes_on({.matrix = "bt709", .transfer = "pq"}, video, &reference),
              ElementsAre("range=full (of the reference)", "chroma_location=topleft (of the reference)"));
  VideoFormat sd = untagged(480);
  sd.primaries = Primaries::kBt601;
  EXPECT_THAT(notes_on({.matrix = "bt601", .transfer = "bt1886"}, sd, nullptr),
              ElementsAre("primaries=bt709 (the video's bt601 are not converted)"));
}

}  // namespace
}  // namespace vq::light
