// What --model takes.
#include "engine/models/model_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/flag_setters.h"
#include "core/error.h"
#include "tests/support/golden_text.h"

namespace vq::model {
namespace {

using ::testing::ElementsAre;
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
