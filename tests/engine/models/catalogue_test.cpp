// Which model suits which video, and what is said where one does not.

#include "engine/models/catalogue.h"
#include "cli/commands/flag_setters.h"
#include "tests/support/golden_text.h"

namespace vq::model {
namespace {

VideoFormat format_of(int width, int height, int bits = 10) {
  return {.name = "a", .width = width, .height = height, .bit_depth = bits};
}

std::string_view suited(int width, int height, std::optional<double> rate) {
  return suited_model(format_of(width, height), rate).model;
}

TEST(Catalogue, HasEveryBuiltInModel) {
  for (const BuiltIn& model : built_in_models()) EXPECT_NE(find_entry(model.name), nullptr) << model.name;
  EXPECT_EQ(catalogue().size(), built_in_models().size());
  for (const CatalogueEntry& entry : catalogue())
    EXPECT_THAT(catalogue_table(0), HasSubstr(std::string(entry.model) + " "));
  EXPECT_EQ(find_entry("vmaf"), nullptr);
}

TEST(Catalogue, ScoresAreCalledByTheirModel) {
  std::string all;
  for (const CatalogueEntry& entry : catalogue())
    all +=
        std::string(entry.model) + ": " + score_title(entry.model) + ", " + score_purpose(entry.model) + "\n";
  EXPECT_EQ(
      all,
      "vmaf_v1.0.16_3d0h: VMAF v1, for HD seen from 3 heights; not comparable with v0.6.1\n"
      "vmaf_v1.0.16_5d0h: VMAF v1 5H, for HD seen from 5 heights; not comparable with v0.6.1\n"
      "vmaf_v1.0.16_1d5h_2160: VMAF 4K v1, for 4K seen from 1.5 heights; not comparable with v0.6.1\n"
      "vmaf_v1.0.16_3d0h_2160: VMAF 4K v1 3H, for 4K seen from 3 heights; scores up to 110; not comparable "
      "with "
      "v0.6.1\n"
      "vmaf_v1.0.16_hfr_3d0h: VMAF v1, for HD seen from 3 heights; not comparable with v0.6.1\n"
      "vmaf_v1.0.16_hfr_5d0h: VMAF v1 5H, for HD seen from 5 heights; not comparable with v0.6.1\n"
      "vmaf_v1.0.16_hfr_1d5h_2160: VMAF 4K v1, for 4K seen from 1.5 heights; not comparable with v0.6.1\n"
      "vmaf_v1.0.16_hfr_3d0h_2160: VMAF 4K v1 3H, for 4K seen from 3 heights; scores up to 110; not "
      "comparable with "
      "v0.6.1\n"
      "vmaf_v0.6.1: VMAF v0.6.1, for HD seen from 3 heights; not comparable with v1\n"
      "vmaf_v0.6.1neg: VMAF v0.6.1 NEG, for HD seen from 3 heights; sharpening gains nothing; not comparable "
      "with v1\n"
      "vmaf_4k_v0.6.1: VMAF 4K v0.6.1, for 4K seen from 1.5 heights; not comparable with v1\n"
      "vmaf_4k_v0.6.1neg: VMAF 4K v0.6.1 NEG, for 4K seen from 1.5 heights; sharpening gains nothing; not "
      "comparable with v1\n"
      "vmaf_b_v0.6.3: VMAF v0.6.3, for HD seen from 3 heights; not comparable with v1\n");
  EXPECT_EQ(score_title("models/mine.json"), "mine.json");
  EXPECT_EQ(score_purpose("models/mine.json"), "");
}

TEST(Catalogue, LinesAndFrameRateChoose) {
  EXPECT_EQ(suited(1920, 1080, 24), "vmaf_v1.0.16_3d0h");
  EXPECT_EQ(suited(640, 360, std::nullopt), "vmaf_v1.0.16_3d0h");
  EXPECT_EQ(suited(1920, 1080, 59.94), "vmaf_v1.0.16_hfr_3d0h");
  EXPECT_EQ(suited(3840, 2160, 30), "vmaf_v1.0.16_1d5h_2160");
  EXPECT_EQ(suited(3840, 1600, 50), "vmaf_v1.0.16_hfr_1d5h_2160");
  EXPECT_EQ(suited(1080, 1920, 25), "vmaf_v1.0.16_3d0h");
  EXPECT_EQ(suited(2560, 1440, 25), "vmaf_v1.0.16_3d0h");
}

TEST(Catalogue, ExpectationsAreAsReviewed) {
  vq::test::GoldenTexts golden("models/expectations.txt");
  const auto add = [&](std::string_view model, const VideoFormat& format) {
    const std::string text = expectation(*find_entry(model), format);
    golden.add(std::string(model) + ", " + std::to_string(format.width) + "x" +
                   std::to_string(format.height) + ", " + std::to_string(format.bit_depth) + " bits",
               text.empty() ? "nothing" : text);
  };
  const std::string_view hd = "vmaf_v1.0.16_3d0h", old = "vmaf_v0.6.1";
  for (const VideoFormat& format : {format_of(1920, 1080), format_of(1920, 800), format_of(1920, 1080, 8),
                                    format_of(640, 360, 8), format_of(360, 640), format_of(1280, 536)}) {
    add(hd, format);
  }
  for (const VideoFormat& format : {format_of(640, 360, 8), format_of(3840, 2160), format_of(2560, 1440)})
    add(old, format);
  // They have twins for a display of another size.
  add("vmaf_v0.6.1neg", format_of(3840, 1600));
  add("vmaf_4k_v0.6.1", format_of(1920, 1080));
  add("vmaf_v1.0.16_5d0h", format_of(3840, 2160, 8));
  add("vmaf_v1.0.16_hfr_3d0h", format_of(3840, 2160));

  const std::tuple<const char*, std::optional<double>, const char*> rates[] = {
      {"vmaf_v1.0.16_3d0h", 59.94, "59.94"}, {"vmaf_v1.0.16_hfr_3d0h_2160", 24, "24"},
      {"vmaf_v1.0.16_3d0h", 30, "30"},       {"vmaf_v1.0.16_hfr_5d0h", 50, "50"},
      {"vmaf_v1.0.16_hfr_5d0h", {}, "no"},   {"vmaf_v0.6.1", 60, "60"}};
  for (const auto& [model, rate, words] : rates) {
    const std::string text = rate_expectation(*find_entry(model), rate);
    golden.add(std::string(model) + ", " + words + " frames a second", text.empty() ? "nothing" : text);
  }
}

}  // namespace

}  // namespace vq::model

namespace vq {

// Names of scores that no table of features has.

namespace {

// The metric of a report whose models these are.
Metric of_models(const std::string& name, const std::vector<std::string>& models) {
  return {name, {}, find_model_score(name, models)};
}

TEST(ModelScores, VmafIsKnown) {
  EXPECT_EQ(known_metric("vmaf").better, Better::kHigher);
  EXPECT_EQ(known_metric("vmaf").usual_top, 100);
  EXPECT_EQ(known_metric("vmaf_4k").better, Better::kHigher);
  EXPECT_TRUE(is_model_score({"vmaf", {}}));
  EXPECT_TRUE(is_model_score({"vmaf_neg", {}}));
  EXPECT_TRUE(is_model_score({"vmaf_4k", {}}));
  EXPECT_FALSE(is_model_score({"vmafx", {}}));
  EXPECT_FALSE(is_model_score({"cambi", {}}));
  EXPECT_EQ(feature_of_metric({"vmaf", {}}), nullptr);
}

TEST(ModelScores, WhatACollectionAddsIsOfItsModel) {
  EXPECT_EQ(known_metric("vmaf_stddev").better, Better::kNeither);
  EXPECT_TRUE(is_neutral({"vmaf_stddev", {}}));
  EXPECT_EQ(known_metric("vmaf_bagging").better, Better::kHigher);
  EXPECT_EQ(known_metric("vmaf_neg_ci_p95_lo").title, "VMAF, lower end");
  for (const char* const name : {"vmaf_0007", "vmaf_neg_0007"}) {
    EXPECT_TRUE(known_metric(name).is_detail) << name;
    EXPECT_EQ(model_part(known_metric(name)), ModelPart::kOfCollection) << name;
    EXPECT_FALSE(is_model_score({name, {}})) << name;
  }
  EXPECT_FALSE(is_model_score({"vmaf_bagging", {}}));
  EXPECT_EQ(model_part(known_metric("cambi")), ModelPart::kNone);
}

TEST(ModelScores, AnyNameMayBeThatOfAModel) {
  const std::vector<std::string> models = {"of_mine", "of_mine_0001", "psnr_y_model"};
  EXPECT_FALSE(is_known(known_metric("of_mine")));
  EXPECT_TRUE(is_model_score(of_models("of_mine", models)));
  EXPECT_EQ(model_part(metric_info(of_models("of_mine_0002", models))), ModelPart::kOfCollection);
  EXPECT_EQ(find_model_score("of_mine_else", models), nullptr);
  EXPECT_EQ(find_model_score("_bagging", std::vector<std::string>{""}), nullptr);
  // The longest name is the model's.
  EXPECT_TRUE(is_model_score(of_models("of_mine_0001", models)));
  // It wins over a feature's metric of the same beginning.
  EXPECT_EQ(metric_info(of_models("psnr_y_model", models)).title, "VMAF");
  EXPECT_EQ(feature_of_metric(of_models("psnr_y_model", models)), nullptr);
  EXPECT_EQ(base_name(of_models("psnr_y_model", models)), "psnr_y_model");
  EXPECT_EQ(base_name({"psnr_y_model", {}}), "psnr_y");
}

TEST(ModelScores, TheScoreOfAModelLeads) {
  const Metric metrics[] = {{"cambi", {}}, {"psnr_y", {}}, {"vmaf_bagging", {}}, {"vmaf", {}}};
  EXPECT_EQ(leading_metric(metrics), 3U);
  EXPECT_EQ(leading_metric(std::span(metrics).first(2)), 0U);
}

}  // namespace

}  // namespace vq

namespace vq::model {

// What --model takes.

namespace {

using vq::test::GoldenTexts;

TEST(ModelSpec, TakesEveryPart) {
  const ModelSpec spec = parse_model_spec(
      "version=vmaf_v0.6.1:name=other:disable_clip:enable_transform=true:adm.adm_enhn_gain_limit=1.2:cambi."
      "enc_width=auto");
  EXPECT_EQ(spec.version, "vmaf_v0.6.1");
  EXPECT_EQ(spec.name, "other");
  EXPECT_TRUE(spec.disable_clip);
  EXPECT_TRUE(spec.enable_transform);
  EXPECT_FALSE(spec.is_automatic);
  EXPECT_THAT(spec.overloads, ElementsAre(Overload{"adm", "adm_enhn_gain_limit", "1.2"},
                                          Overload{"cambi", "enc_width", "auto"}));
}

TEST(ModelSpec, TheNameIsVmafAndFlagsMayBeFalse) {
  const ModelSpec spec = parse_model_spec("path=a.json:disable_clip=false");
  EXPECT_EQ(spec.name, "vmaf");
  EXPECT_EQ(spec.path, "a.json");
  EXPECT_FALSE(spec.disable_clip);
  EXPECT_EQ(parse_model_spec("path=a.json:version=v").path, "");
}

TEST(ModelSpec, ABackslashEscapes) {
  EXPECT_EQ(parse_model_spec("path=C\\:\\\\a\\=b").path, "C:\\a=b");
  EXPECT_EQ(parse_model_spec("path=a=b").path, "a=b");
}

TEST(ModelSpec, AutoIsAVersionOfItsOwn) {
  EXPECT_TRUE(parse_model_spec("auto:name=x").is_automatic);
  EXPECT_TRUE(parse_model_spec("version=auto").is_automatic);
}

TEST(ModelSpec, NamesStandAlone) {
  EXPECT_EQ(parse_model_spec("vmaf_v0.6.1:name=x").version, "vmaf_v0.6.1");
  EXPECT_EQ(parse_model_spec("neg").version, "vmaf_v0.6.1neg");
  EXPECT_EQ(parse_model_spec("models/a.json").path, "models/a.json");
  // Of a folder that is not there.
  EXPECT_EQ(parse_model_spec("models/vmaf_v0.6.1neg.json").version, "vmaf_v0.6.1neg");
  const std::vector<ModelSpec> two = parse_model_specs("version=a:name=x|path=b|c.json:name=y");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].name, "x");
  EXPECT_EQ(two[1].path, "b|c.json");
}

TEST(ModelSpec, AutoIsScaled) {
  EXPECT_TRUE(parse_model_spec("auto").is_scaled);
  EXPECT_FALSE(parse_model_spec("version=a").is_scaled);
  EXPECT_TRUE(parse_model_spec("version=a:scaled").is_scaled);
  EXPECT_FALSE(parse_model_spec("version=a:scaled=false").is_scaled);
}

TEST(ModelSpec, SaysWhatIsWrong) {
  GoldenTexts golden("models/spec_refusals.txt");
  golden.add_refusals(
      ErrorKind::kUsage,
      {"", "vmaf", "name=a", "path=a:scaled", "path=a\\b", "version=a:disable_clp", "version=a:phone",
       "version=a:name", "version=a:b.c", "version=a:nme=b", "version=a:disable_clip=maybe",
       "version=a:name=", "version=a:name=a b", "version=a:.b=1"},
      parse_model_spec);
  std::string many = "version=a";
  for (int i = 0; i < 33; ++i) many += ":a.b=1";
  golden.add_refusal(many, ErrorKind::kUsage, [&] { parse_model_spec(many); });
}

TEST(ModelSpec, ItsTextReadsBack) {
  for (const char* text :
       {"version=a:name=b:disable_clip:scaled:x.y=1", "path=a\\:b", "auto:enable_transform"}) {
    const ModelSpec spec = parse_model_spec(text);
    EXPECT_EQ(parse_model_spec(text_of(spec)), spec) << text;
  }
}

TEST(Preset, AddsWhatTheVersionHas) {
  EXPECT_THAT(aom_ctc("v1.0").models,
              ElementsAre("version=vmaf_v0.6.1:name=vmaf", "version=vmaf_v0.6.1neg:name=vmaf_neg"));
  EXPECT_EQ(aom_ctc("v2.0").features.size(), 5U);
  EXPECT_EQ(aom_ctc("v3.0").features.back(), "cambi");
  EXPECT_EQ(aom_ctc("v6.0").features[2], "float_ssim=enable_db=true:clip_db=true");
  EXPECT_EQ(aom_ctc("v7.0").features[2], "float_ssim=scale=1:enable_db=true:clip_db=true");
  EXPECT_THAT(nflx_ctc("v1.0").models,
              ElementsAre("version=vmaf_4k_v0.6.1:name=vmaf", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"));
  EXPECT_THROW(aom_ctc("v8.0"), Error);
  EXPECT_THROW(nflx_ctc("v2.0"), Error);
}

}  // namespace

}  // namespace vq::model
