#include "cli/inputs/feature_flags.h"
#include "engine/analysis/picture_format.h"
#include "feature/cambi/plan.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

VideoFormats video(Transfer transfer, Range range) {
  return {{.name = "a.mkv", .range = range, .transfer = transfer}, std::nullopt};
}

// As the program words them.
std::vector<std::string> warnings_of(const Resolution& resolution) {
  std::vector<std::string> lines;
  for (const ResolutionWarning& warning : resolution.warnings)
    lines.push_back(in_words(warning, find_feature("cambi")));
  return lines;
}

struct Settled {
  std::vector<std::string> notes, warnings;
  std::string metric;
};
Settled settled(const std::string& eotf, const std::string& range, const VideoFormats& formats) {
  OptionSet options(cambi::Cambi::kOptions.specs());
  options.set_own_defaults();
  if (!eotf.empty()) options.set("eotf", eotf, OptionForm::kOwn);
  if (!range.empty()) options.set("range", range, OptionForm::kOwn);
  if (formats.reference) options.set("full_ref", "true");
  const Resolution outcome = cambi::resolve(options, formats, AskedBy::kProgram);
  return {outcome.notes, warnings_of(outcome), options.metric_name("cambi")};
}
Settled settled(const VideoFormats& formats) { return settled("", "", formats); }

TEST(Colour, AutoTakesAllElseAsBt1886) {
  EXPECT_THAT(settled(video(Transfer::kBt1886, Range::kLimited)).notes,
              ElementsAre("eotf=bt1886 (from the stream)"));
  for (const Transfer transfer : {Transfer::kUnspecified, Transfer::kOther}) {
    const Settled result = settled(video(transfer, Range::kUnspecified));
    EXPECT_EQ(result.metric, "cambi");
    EXPECT_THAT(result.notes, ElementsAre("eotf=bt1886 (assumed)"));
  }
}

TEST(Colour, VideosThatDifferAreSaidWhereBothAreScored) {
  VideoFormats formats = video(Transfer::kPq, Range::kLimited);
  formats.reference = formats.distorted;
  formats.reference->name = "b.mkv";
  EXPECT_THAT(settled(formats).warnings, IsEmpty());
  formats.reference->transfer = Transfer::kBt1886;
  formats.reference->range = Range::kFull;
  EXPECT_THAT(
      settled(formats).warnings,
      ElementsAre("a.mkv is pq and b.mkv is bt1886; the transfer function of the first is used for both.",
                  "a.mkv is limited range and b.mkv is full range; the range of the first is used for "
                  "both."));
}

// A picture whose samples are those of `row`.
std::optional<int> depth_of(std::vector<uint16_t> row, int bit_depth) {
  Frame frame;
  frame.bit_depth = bit_depth;
  const int half = static_cast<int>(row.size()) / 2;
  frame.luma().u16 = {row.data(), half, 2, half};
  PaddedDepth padded;
  padded.look(frame);
  return padded.depth();
}

TEST(PaddedDepth, FindsLowBitsThatNeverVary) {
  EXPECT_EQ(depth_of({64, 68, 72, 940}, 10), 8);
  EXPECT_EQ(depth_of({65, 69, 73, 941}, 10), 8);  // padded with ones
  EXPECT_EQ(depth_of({64 << 2, 68 << 2, 72 << 2, 940 << 2}, 12), 8);
}

TEST(PaddedDepth, SaysNothingWithoutEvidence) {
  EXPECT_EQ(depth_of({64, 64, 64, 64}, 10), std::nullopt);   // flat
  EXPECT_EQ(depth_of({64, 68, 72, 941}, 10), std::nullopt);  // the last bit varies
  EXPECT_EQ(depth_of({256, 260, 264, 269 << 2}, 12), 10);
  EXPECT_EQ(PaddedDepth().depth(), std::nullopt);
}

TEST(PaddedDepth, LooksAtEveryPicture) {
  PaddedDepth padded;
  std::vector<uint16_t> row = {64, 68, 72, 76};
  Frame frame;
  frame.bit_depth = 10;
  frame.luma().u16 = {row.data(), 4, 1, 4};
  padded.look(frame);
  EXPECT_EQ(padded.depth(), 8);
  row[3] = 77;
  padded.look(frame);
  EXPECT_EQ(padded.depth(), std::nullopt);
}

TEST(Colour, OneThatIsNotScoredNeedsNoWarning) {
  VideoFormats formats = video(Transfer::kPq, Range::kFull);
  formats.reference = formats.distorted;
  formats.reference->name = "b.mkv";
  OptionSet options(cambi::Cambi::kOptions.specs());
  EXPECT_THAT(
      warnings_of(cambi::resolve(options, formats, AskedBy::kUser)),
      ElementsAre("a.mkv is full range; CAMBI's thresholds assume limited range.",
                  "a.mkv is tagged pq, but CAMBI takes it as bt1886. Try --feature cambi --eotf auto."));
  EXPECT_THAT(cambi::resolve(options, formats, AskedBy::kModel).warnings, SizeIs(1));
  options.set("full_ref", "true");
  EXPECT_THAT(warnings_of(cambi::resolve(options, formats, AskedBy::kUser)), SizeIs(4));
}

TEST(CambiFlags, DepthMattersWhereDitherIsFiltered) {
  const FeatureInfo& info = find_feature("cambi");
  FeatureRequest request{.info = &info, .options = OptionSet(info.options), .asked_by = AskedBy::kUser};
  const VideoFormat video{.name = "a", .width = 640, .height = 360, .bit_depth = 12};
  EXPECT_EQ(depth_advice(request, video, 8), "--enc 640x360@8");
  EXPECT_EQ(depth_advice(request, video, 10), "");
  request.asked_by = AskedBy::kModel;
  EXPECT_EQ(depth_advice(request, video, 8), "--model ...:cambi.enc_bitdepth=8");
  request.options.set("enc_bitdepth", "8");
  EXPECT_EQ(depth_advice(request, video, 8), "");
  const FeatureInfo& psnr = find_feature("psnr");
  EXPECT_EQ(depth_advice({.info = &psnr, .options = OptionSet(psnr.options)}, video, 8), "");
}

TEST(ColourRun, EightBitMaterialInTenBitsIsSaid) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/padded.y4m";
  std::string clip = "YUV4MPEG2 W320 H240 F25:1 Cmono10\nFRAME\n";
  for (int i = 0; i < 320 * 240; ++i) {
    const int sample = (16 + i % 320 / 2) << 2;
    clip += static_cast<char>(sample & 255);
    clip += static_cast<char>(sample >> 8);
  }
  test::write_file(path, clip);
  EXPECT_THAT(test::run_well({path}).out, HasSubstr("  8-bit material in 10 bits (try --enc 320x240@8)"));
  EXPECT_THAT(test::run_well({path, "--enc", "320x240@8"}).out, Not(HasSubstr("material")));
}

}  // namespace
}  // namespace vq::cli
