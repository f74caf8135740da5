// What --model takes.
#include "cli/models/model_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/models/presets.h"
#include "core/error.h"

namespace vq::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string spec_fault(const std::string& text) {
  try {
    parse_model_spec(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "none";
}

TEST(ModelSpec, TakesEveryPart) {
  const ModelSpec spec = parse_model_spec(
      "version=vmaf_v0.6.1:name=other:disable_clip:enable_transform=true:adm.adm_enhn_gain_limit=1.2:cambi.enc_width=auto");
  EXPECT_EQ(spec.version, "vmaf_v0.6.1");
  EXPECT_EQ(spec.name, "other");
  EXPECT_TRUE(spec.disable_clip);
  EXPECT_TRUE(spec.enable_transform);
  EXPECT_FALSE(spec.is_automatic);
  EXPECT_THAT(spec.overloads,
              ElementsAre(Overload{"adm", "adm_enhn_gain_limit", "1.2"}, Overload{"cambi", "enc_width", "auto"}));
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
  EXPECT_THAT(spec_fault("path=a\\b"), HasSubstr("backslash"));
}

TEST(ModelSpec, AutoIsAVersionOfItsOwn) {
  EXPECT_TRUE(parse_model_spec("auto:name=x").is_automatic);
  EXPECT_TRUE(parse_model_spec("version=auto").is_automatic);
}

TEST(ModelSpec, SaysWhatIsWrong) {
  EXPECT_THAT(spec_fault(""), HasSubstr("lacks a \"=\""));
  EXPECT_THAT(spec_fault("vmaf"), HasSubstr("Write version=NAME, or path=FILE"));
  EXPECT_THAT(spec_fault("vmaf_v0.6.1"), HasSubstr("Write version=vmaf_v0.6.1"));
  EXPECT_THAT(spec_fault("models/a.json"), HasSubstr("Write path=models/a.json"));
  EXPECT_THAT(spec_fault("name=a"), HasSubstr("names no model"));
  EXPECT_THAT(spec_fault("version=a:disable_clp"), HasSubstr("Did you mean \"disable_clip\"?"));
  EXPECT_THAT(spec_fault("version=a:phone"), HasSubstr("unknown part \"phone\". It takes version, path, name"));
  EXPECT_THAT(spec_fault("version=a:name"), HasSubstr("lacks a \"=\""));
  EXPECT_THAT(spec_fault("version=a:b.c"), HasSubstr("lacks a \"=\""));
  EXPECT_THAT(spec_fault("version=a:nme=b"), HasSubstr("Did you mean \"name\"?"));
  EXPECT_THAT(spec_fault("version=a:disable_clip=maybe"), HasSubstr("true or false"));
  EXPECT_THAT(spec_fault("version=a:name="), HasSubstr("no name"));
  EXPECT_THAT(spec_fault("version=a:name=a b"), HasSubstr("no name"));
  EXPECT_THAT(spec_fault("version=a:.b=1"), HasSubstr("unknown part"));
  std::string many = "version=a";
  for (int i = 0; i < 33; ++i) many += ":a.b=1";
  EXPECT_THAT(spec_fault(many), HasSubstr("more than 32"));
}

TEST(ModelSpec, ItsTextReadsBack) {
  for (const char* text : {"version=a:name=b:disable_clip:x.y=1", "path=a\\:b", "auto:enable_transform"}) {
    const ModelSpec spec = parse_model_spec(text);
    EXPECT_EQ(parse_model_spec(text_of(spec)), spec) << text;
  }
}

TEST(Preset, AddsWhatTheVersionHas) {
  EXPECT_THAT(aom_ctc("v1.0").models, ElementsAre("version=vmaf_v0.6.1:name=vmaf", "version=vmaf_v0.6.1neg:name=vmaf_neg"));
  EXPECT_EQ(aom_ctc("v2.0").features.size(), 5U);
  EXPECT_EQ(aom_ctc("v3.0").features.back(), "cambi");
  EXPECT_EQ(aom_ctc("v6.0").features[2], "float_ssim=enable_db=true:clip_db=true");
  EXPECT_EQ(aom_ctc("v7.0").features[2], "float_ssim=scale=1:enable_db=true:clip_db=true");
  EXPECT_THAT(nflx_ctc("v1.0").models, ElementsAre("version=vmaf_4k_v0.6.1:name=vmaf", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"));
  EXPECT_THROW(aom_ctc("v8.0"), Error);
  EXPECT_THROW(nflx_ctc("v2.0"), Error);
}

}  // namespace
}  // namespace vq::model
