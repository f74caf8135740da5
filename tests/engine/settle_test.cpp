#include "engine/settle.h"

#include "tests/support/expect_error.h"

namespace vq {
namespace {

VideoFormat known_video(int width, int height) {
  return {.name = std::to_string(height) + ".mkv",
          .width = width,
          .height = height,
          .bit_depth = 8,
          .chroma = Chroma::k420};
}

FeatureRequest request_of_user(const char* feature) {
  const FeatureInfo& info = find_feature(feature);
  return {.info = &info, .options = OptionSet(info.options), .asked_by = AskedBy::kUser};
}

class Settle : public ::testing::Test {
 protected:
  const Settled& settle() {
    settled_ = vq::settle(request_, select(request_), videos_);
    return settled_;
  }
  const FeatureRequest& feature(std::string_view name) const {
    const auto is_it = [&](const FeatureRequest& request) { return request.info->name == name; };
    return *std::ranges::find_if(settled_.features, is_it);
  }

  Request request_;
  KnownVideos videos_{.formats = {known_video(640, 360), known_video(640, 360)}};
  Settled settled_;
};

TEST_F(Settle, BringsVideosToTheSizeAndBitsThatWereAskedFor) {
  request_.asked_features = {request_of_user("psnr")};
  videos_.formats.reference = known_video(1280, 720);
  EXPECT_FALSE(settle().distorted_fitting);
  request_.score_bits = 8;
  EXPECT_FALSE(settle().distorted_fitting);
  request_.score_bits = 10;
  EXPECT_EQ(settle().distorted_fitting, (Fitting{.size = {}, .least_bits = 10}));
  EXPECT_EQ(settled_.formats.distorted.bit_depth, 10);
  EXPECT_EQ(settled_.formats.distorted.width, 640);
  request_.scale = ScaleRequest{};
  EXPECT_EQ(settle().formats.distorted.width, 1280);
  EXPECT_EQ(settled_.reference_fitting->least_bits, 10);
  EXPECT_THAT(settled_.fitted, ElementsAre("360.mkv scaled to 1280x720 (bicubic)",
                                           "360.mkv scored at 10 bits", "720.mkv scored at 10 bits"));
  request_.scale->size = PlaneSize{320, 180};
  EXPECT_EQ(settle().formats.distorted.width, 320);
  EXPECT_EQ(settled_.formats.reference->height, 180);
  // Samples never lose bits.
  videos_.formats.distorted.bit_depth = 12;
  EXPECT_EQ(settle().formats.distorted.bit_depth, 12);
}

TEST_F(Settle, ScalesWhatAModelLooksAtAndNothingElse) {
  request_.model_specs = {model::parse_model_spec("version=vmaf_v1.0.16_3d0h:scaled")};
  request_.asked_features = {request_of_user("psnr")};
  EXPECT_THAT(settle().fitted_for, ElementsAre("vmaf scored at 1920x1080, 10 bits (bicubic)"));
  EXPECT_FALSE(feature("psnr").fitting);
  EXPECT_EQ(feature("adm").fitting, (Fitting{.size = {1920, 1080}, .least_bits = 10}));
  EXPECT_EQ(formats_of(feature("adm"), settled_.formats).reference->width, 1920);
  // What CAMBI is to know of the encode.
  EXPECT_EQ(feature("cambi").options.text("enc_width"), "640");
  EXPECT_EQ(feature("cambi").options.text("enc_bitdepth"), "8");
  // Not what it was brought to before it is scored.
  videos_.encoded = known_video(320, 180);
  settle();
  EXPECT_EQ(feature("cambi").options.text("enc_width"), "320");
}

TEST_F(Settle, LeavesVideosOfTheDisplaysSizeAlone) {
  videos_.formats = {known_video(1920, 800), known_video(1920, 800)};
  request_.model_specs = {model::parse_model_spec("vmaf_v1.0.16_3d0h:scaled")};
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  for (const FeatureRequest& request : settled_.features) EXPECT_FALSE(request.fitting) << request.info->name;
  // A smaller encode of the same master is brought to its size.
  videos_.formats.distorted = known_video(960, 400);
  EXPECT_EQ(settle().fitted_for.size(), 1U);
  EXPECT_EQ(feature("adm").fitting->size, (PlaneSize{1920, 800}));
}

TEST_F(Settle, EvensOutRangeForFeaturesThatCompare) {
  videos_.formats.distorted.range = Range::kFull;
  request_.asked_features = {request_of_user("psnr"), request_of_user("cambi")};
  EXPECT_THAT(settle().fitted_for, ElementsAre("360.mkv converted from full to limited range"));
  EXPECT_EQ(formats_of(feature("psnr"), settled_.formats).distorted.range, Range::kLimited);
  EXPECT_FALSE(feature("cambi").fitting);
  request_.as_stored = true;
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  EXPECT_FALSE(feature("psnr").fitting);
  request_.as_stored = false;
  videos_.formats.reference->range = Range::kFull;
  EXPECT_THAT(settle().fitted_for, IsEmpty());
}

TEST_F(Settle, ChoosesAModelByTheWholeReferenceAndItsRate) {
  request_.model_specs = {model::parse_model_spec("auto")};
  videos_.formats = {known_video(1280, 536), known_video(3840, 1600)};
  videos_.display = known_video(3840, 2160);
  videos_.reference_rate = 50;
  EXPECT_THAT(settle().chosen, ElementsAre("vmaf=vmaf_v1.0.16_hfr_1d5h_2160 (3840x2160, 50 frames/s)"));
  EXPECT_EQ(settled_.models.front().model.spec.version, "vmaf_v1.0.16_hfr_1d5h_2160");
  videos_.display.reset();
  videos_.reference_rate.reset();
  request_.scale = ScaleRequest{PlaneSize{1920, 1080}};
  EXPECT_THAT(settle().chosen, ElementsAre("vmaf=vmaf_v1.0.16_3d0h (1920x1080, an unknown frame rate)"));
}

TEST_F(Settle, KeepsPathsOfTheSelection) {
  request_.model_specs = {model::parse_model_spec("auto")};
  Selection selection = select(request_);
  for (FeatureRequest& feature : selection.features) {
    if (feature.info->heatmaps != nullptr)
      feature.options.set(feature.info->heatmap_option, "maps", OptionForm::kOwn);
  }
  settled_ = vq::settle(request_, selection, videos_);
  const FeatureRequest& cambi = feature("cambi");
  EXPECT_EQ(cambi.options.get_text(cambi.info->heatmap_option), "maps");
}

TEST_F(Settle, RefusesAVideoThatAScaledModelDoesNotKnow) {
  request_.model_specs = {model::parse_model_spec("auto")};
  videos_.formats = {known_video(160, 90), known_video(160, 90)};
  test::expect_error(ErrorKind::kMismatch, {"160x90@8", "cambi", "widths of 180"}, [&] { settle(); });
}

TEST_F(Settle, TellsWhatBecameOfOpenOptionsOnce) {
  request_.model_specs = {model::parse_model_spec("version=vmaf_v1.0.16_3d0h")};
  request_.asked_features = {request_of_user("cambi")};
  request_.asked_features.front().options.set("eotf", "auto", OptionForm::kOwn);
  videos_.formats.distorted.transfer = Transfer::kPq;
  EXPECT_THAT(settle().resolved, ElementsAre("eotf=pq (from the stream)", "range=limited (as asked)"));
}

TEST_F(Settle, IsTheSameHoweverOften) {
  request_.model_specs = {model::parse_model_spec("auto")};
  request_.asked_features = {request_of_user("psnr")};
  const auto names = [&] {
    std::vector<std::string> all;
    for (const Metric& metric : report_metrics(settle().features, settled_.models))
      all.push_back(metric.name);
    return all;
  };
  const std::vector<std::string> first = names();
  EXPECT_EQ(names(), first);
  EXPECT_EQ(first.back(), "vmaf");
}

TEST(Select, AFeatureThatAModelAndAUserAskForIsOne) {
  Request request{.model_specs = {model::parse_model_spec("version=vmaf_v0.6.1")},
                  .asked_features = {request_of_user("motion")}};
  const Selection selection = select(request);
  const auto is_motion = [](const FeatureRequest& feature) { return feature.info->name == "motion"; };
  EXPECT_EQ(std::ranges::count_if(selection.features, is_motion), 1);
  const auto motion = std::ranges::find_if(selection.features, is_motion);
  EXPECT_FALSE(motion->is_inner);
  EXPECT_THAT(selection.remarks, IsEmpty());
}

TEST(Select, SettingsConcernAskedFeaturesBeforeThoseOfModels) {
  const FeatureSetting setting{
      .asked_by = "--topk 0.3", .feature = "cambi", .option = "topk", .value = "0.3"};
  Request request{.model_specs = {model::parse_model_spec("version=vmaf_v1.0.16_3d0h")},
                  .settings = {setting}};
  const Selection changed = select(request);
  ASSERT_EQ(changed.remarks.size(), 1U);
  EXPECT_EQ(changed.remarks.front().text, "vmaf is scored with --topk 0.3, which its model does not have.");
  EXPECT_EQ(changed.remarks.front().advice, Advice::kSeparateFeature);
  EXPECT_THAT(changed.remarks.front().subjects, ElementsAre("cambi", " --topk 0.3"));
  request.asked_features = {request_of_user("cambi")};
  EXPECT_THAT(select(request).remarks, IsEmpty());
}

TEST(Select, RefusesTwoScoresOfOneName) {
  Request request{.model_specs = {model::parse_model_spec("version=vmaf_v0.6.1"),
                                  model::parse_model_spec("version=vmaf_v0.6.1neg")}};
  try {
    select(request);
    ADD_FAILURE() << "accepted";
  } catch (const AdvisedError& error) {
    EXPECT_EQ(error.diagnostic().advice, Advice::kNameModel);
    EXPECT_THAT(error.what(), HasSubstr("both report \"vmaf\""));
  }
  request.model_specs.assign(33, request.model_specs.front());
  vq::test::expect_error(ErrorKind::kUsage, {"more than 32 models"}, [&] { select(request); });
}

// Features of light know RGB; the others see it in the other video's form, or by itself as BT.709.
TEST_F(Settle, ShowsRgbAsYcbcr) {
  VideoFormat rgb = known_video(640, 360);
  rgb.name = "a.png";
  rgb.chroma = Chroma::k444;
  rgb.matrix = Matrix::kRgb;
  rgb.range = Range::kFull;
  request_.asked_features = {request_of_user("psnr"), request_of_user("ssimulacra2")};
  videos_.formats = {rgb, rgb};
  settle();
  EXPECT_EQ(feature("psnr").fitting->ycbcr, YcbcrForm());
  EXPECT_FALSE(feature("psnr").fitting->limits_range);
  EXPECT_FALSE(feature("ssimulacra2").fitting);
  EXPECT_THAT(settled_.fitted_for,
              ElementsAre("a.png converted from RGB to Y'CbCr (bt709, 4:4:4, limited range)",
                          "a.png converted from RGB to Y'CbCr (bt709, 4:4:4, limited range)"));
  const VideoFormats seen = formats_of(feature("psnr"), settled_.formats);
  EXPECT_EQ(seen.distorted.matrix, Matrix::kBt709);
  EXPECT_EQ(seen.distorted.range, Range::kLimited);
  EXPECT_EQ(settled_.formats.distorted.matrix, Matrix::kRgb);

  VideoFormat& jpeg = *videos_.formats.reference = known_video(640, 360);
  jpeg.matrix = Matrix::kBt601;
  jpeg.range = Range::kFull;
  jpeg.is_picture = true;
  jpeg.chroma_location = ChromaLocation::kCenter;
  settle();
  EXPECT_EQ(feature("psnr").fitting->ycbcr,
            (YcbcrForm{Matrix::kBt601, Chroma::k420, ChromaLocation::kCenter}));
  EXPECT_TRUE(feature("psnr").fitting->limits_range);
  EXPECT_FALSE(feature("ssimulacra2").fitting);  // which reads either range
  EXPECT_THAT(settled_.fitted_for,
              ElementsAre("a.png converted from RGB to Y'CbCr (bt601, 4:2:0, limited range)",
                          "360.mkv converted from full to limited range"));
  request_.asked_features = {request_of_user("ssimulacra2")};
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  request_.asked_features = {request_of_user("siti"), request_of_user("stretches"), request_of_user("light")};
  settle();
  EXPECT_TRUE(feature("siti").fitting->ycbcr && feature("stretches").fitting->ycbcr);
  EXPECT_FALSE(feature("light").fitting);
  request_.asked_features = {request_of_user("psnr")};
  jpeg.matrix = Matrix::kOther;
  settle();
  EXPECT_EQ(feature("psnr").fitting->ycbcr->matrix, Matrix::kBt709);
  jpeg.matrix = Matrix::kUnspecified;  // that of SD
  settle();
  EXPECT_EQ(feature("psnr").fitting->ycbcr->matrix, Matrix::kBt601);
}

// Features that compare chroma see the coarser sampling, whichever video has it; all others see what there
// is.
TEST_F(Settle, BringsChromaToTheCoarserSampling) {
  request_.asked_features = {request_of_user("psnr"), request_of_user("float_ssim"), request_of_user("ciede"),
                             request_of_user("ssimulacra2"), request_of_user("histogram")};
  VideoFormat &encode = videos_.formats.distorted, &master = *videos_.formats.reference;
  master.name = "master.mov";
  master.chroma = Chroma::k422;
  encode.chroma_location = ChromaLocation::kTopLeft;
  const Fitting expected{.chroma = ChromaForm{Chroma::k420, ChromaLocation::kTopLeft}};
  EXPECT_THAT(settle().fitted_for,
              ElementsAre("chroma of master.mov converted from 4:2:2 to 4:2:0, as in 360.mkv"));
  EXPECT_EQ(feature("psnr").fitting, expected);
  for (const char* name : {"float_ssim", "ciede", "ssimulacra2", "histogram"})
    EXPECT_FALSE(feature(name).fitting) << name;
  EXPECT_EQ(formats_of(feature("psnr"), settled_.formats).reference->chroma, Chroma::k420);
  EXPECT_EQ(settled_.formats.reference->chroma, Chroma::k422);

  std::swap(encode.chroma, master.chroma);
  EXPECT_THAT(settle().fitted_for,
              ElementsAre("chroma of 360.mkv converted from 4:2:2 to 4:2:0, as in master.mov"));
  EXPECT_EQ(feature("psnr").fitting->chroma, ChromaForm());
  request_.as_stored = true;
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  EXPECT_FALSE(feature("psnr").fitting);
  request_.as_stored = false;
  encode.chroma = Chroma::k400;
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  encode.chroma = Chroma::k422;
  request_.asked_features = {request_of_user("float_ssim")};
  EXPECT_THAT(settle().fitted_for, IsEmpty());

  // Features of a scaled model see the same frames.
  request_.asked_features.clear();
  request_.model_specs = {model::parse_model_spec("version=vmaf_v1.0.16_3d0h:scaled")};
  settle();
  EXPECT_EQ(feature("adm").fitting->chroma, ChromaForm());
  EXPECT_EQ(feature("adm").fitting, feature("speed_chroma").fitting);
}

TEST_F(Settle, BringsTheDistortedVideoToTheReferencesMatrix) {
  request_.asked_features = {request_of_user("psnr"), request_of_user("ciede"), request_of_user("motion"),
                             request_of_user("cambi"), request_of_user("ssimulacra2")};
  VideoFormat &encode = videos_.formats.distorted, &master = *videos_.formats.reference;
  master.name = "master.mov";
  master.matrix = Matrix::kBt709;
  encode.matrix = Matrix::kBt601;
  EXPECT_THAT(settle().fitted_for,
              ElementsAre("360.mkv converted from the matrix of bt601 to that of bt709, as in master.mov"));
  for (const char* name : {"psnr", "ciede"})
    EXPECT_EQ(feature(name).fitting, Fitting{.matrix = Matrix::kBt709}) << name;
  for (const char* name : {"cambi", "ssimulacra2"}) EXPECT_FALSE(feature(name).fitting) << name;
  request_.as_stored = true;
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  request_.as_stored = false;
  request_.asked_features = {request_of_user("psnr")};
  for (const Matrix other : {Matrix::kOther, Matrix::kUnspecified, Matrix::kBt709}) {
    encode.matrix = other;
    EXPECT_THAT(settle().fitted_for, IsEmpty()) << to_string(other);
  }
}

TEST_F(Settle, SharesTheTagsOfAPair) {
  request_.asked_features = {request_of_user("ssimulacra2")};
  VideoFormat &encode = videos_.formats.distorted, &master = *videos_.formats.reference;
  encode.name = "f%04d.png";
  encode.matrix = Matrix::kRgb;
  encode.chroma = Chroma::k444;
  encode.is_picture = true;
  EXPECT_THAT(settle().fitted_for, ElementsAre("f%04d.png is taken for bt1886, as 360.mkv is"));
  EXPECT_EQ(settled_.formats.distorted.transfer, Transfer::kBt1886);
  master.transfer = Transfer::kPq;
  master.primaries = Primaries::kBt2020;
  EXPECT_EQ(settle().formats.distorted.transfer, Transfer::kPq);
  EXPECT_EQ(settled_.formats.distorted.primaries, Primaries::kBt2020);
  encode.transfer = Transfer::kLinear;
  EXPECT_EQ(settle().formats.distorted.transfer, Transfer::kLinear);

  // Pictures beside each other are sRGB.
  encode.transfer = master.transfer = Transfer::kUnspecified;
  master.is_picture = true;
  EXPECT_THAT(settle().fitted_for, IsEmpty());
  EXPECT_EQ(settled_.formats.distorted.transfer, Transfer::kUnspecified);

  encode = master = known_video(640, 360);
  encode.transfer = Transfer::kSrgb;
  encode.assumes_srgb = encode.is_picture = true;
  EXPECT_EQ(settle().formats.distorted.transfer, Transfer::kBt1886);
  master = encode;
  EXPECT_EQ(settle().formats.distorted.transfer, Transfer::kSrgb);
  EXPECT_THAT(settled_.resolved, Contains("360.mkv is taken for sRGB, as pictures without a tag are"));

  encode = master = known_video(640, 360);
  encode.name = "encode.mp4";
  master.matrix = Matrix::kBt709;
  EXPECT_EQ(settle().formats.distorted.matrix, Matrix::kBt709);
  EXPECT_THAT(settled_.resolved, Contains("encode.mp4 is taken for bt709, as 360.mkv is"));
  std::swap(encode.matrix, master.matrix);
  EXPECT_EQ(settle().formats.reference->matrix, Matrix::kBt709);
  request_.as_stored = true;
  EXPECT_EQ(settle().formats.reference->matrix, Matrix::kUnspecified);
}

}  // namespace
}  // namespace vq
