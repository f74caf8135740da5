// How videos are read, and that the tables of light are the same with any mathematical library.
#include "feature/light/light.h"
#include "tests/support/expect_error.h"

namespace vq::light {
namespace {

VideoFormat untagged(int height) { return {.name = "video", .width = 640, .height = height}; }

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
                                                    .chroma = ChromaFilter::kRepeat}));
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

// SMPTE ST 2084, 1.0 being 100 cd/m2.
long double pq_light(long double v) {
  const long double c1 = 0.8359375L, c2 = 18.8515625L, c3 = 18.6875L, m1 = 0.1593017578125L, m2 = 78.84375L;
  const long double q = std::pow(v, 1 / m2);
  return 100 * std::pow(std::max(q - c1, 0.0L) / (c2 - c3 * q), 1 / m1);
}

// ITU-R BT.2100's inverse OETF.
long double hlg_light(long double v) {
  const long double a = 0.17883277L, b = 1 - 4 * a, c = 0.55991073L;
  return v <= 0.5L ? v * v / 3 : (std::exp((v - c) / a) + b) / 12;
}

// Results of libraries differ in the last bit of a double, which PQ's steps enlarge to some hundred: none of
// the floats may depend on that.
TEST(LightTables, NoEntryDependsOnTheLastBitsOfADouble) {
  constexpr long double kErrors = 1024 * 0x1p-53L;
  const VideoFormat video{.name = "video", .width = 64, .height = 64, .bit_depth = 10};
  for (const Curve curve : {Curve::kPq, Curve::kHlg}) {
    const auto light = curve == Curve::kPq ? pq_light : hlg_light;
    const std::vector<float> table = make_conversion({.curve = curve}, video).curve;
    ASSERT_EQ(table.size(), static_cast<size_t>(kCurveSteps + 2));
    for (int i = 0; i <= kCurveSteps; ++i) {
      const long double exact = light(static_cast<long double>(i) / kCurveSteps);
      const float entry = table[static_cast<size_t>(i)];
      if (entry == 0) {
        EXPECT_LT(exact, 0x1p-40L) << i;
        continue;
      }
      EXPECT_EQ(static_cast<float>(exact * (1 - kErrors)), entry) << i;
      EXPECT_EQ(static_cast<float>(exact * (1 + kErrors)), entry) << i;
    }
  }
}

}  // namespace
}  // namespace vq::light
