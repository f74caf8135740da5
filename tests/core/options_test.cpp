#include "core/options.h"

#include "feature/cambi/plan.h"
#include "tests/support/test.h"

namespace vq {
namespace {

std::string message_of(std::string_view name, std::string_view text) {
  OptionSet set(cambi::Cambi::kOptions.specs());
  try {
    set.set(name, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(Options, MetricNameCarriesWhatDiffersFromTheDefault) {
  OptionSet set(cambi::Cambi::kOptions.specs());
  EXPECT_EQ(set.metric_name("cambi"), "cambi");
  set.set("enc_width", "960");
  set.set("enc_height", "540");
  EXPECT_EQ(set.metric_name("cambi"), "cambi_ench_540_encw_960");
  set.set("topk", "0.30");
  set.set("eotf", "pq");
  set.set("full_ref", "true");
  set.set("heatmaps_path", "maps");
  EXPECT_EQ(set.metric_name("cambi"), "cambi_ench_540_encw_960_eotf_pq_topk_0.3");
}

TEST(Options, OfABooleanTheNameStandsForItself) {
  constexpr OptionSpec kSpecs[] = {
      {.name = "five_frames", .alias = "ff", .kind = OptionKind::kBool, .default_number = 0},
      {.name = "weight", .alias = "w", .default_number = 1, .min = 0, .max = 5}};
  OptionSet set(kSpecs);
  EXPECT_EQ(set.metric_name("motion"), "motion");
  set.set("five_frames", "true");
  set.set("weight", "2");
  EXPECT_EQ(set.metric_name("motion"), "motion_ff_w_2");
}

// As in the reference tool, and as help has it.
TEST(Options, ABooleanIsTrueOrFalseInWords) {
  const auto taken = [](const char* text) {
    OptionSet set(cambi::Cambi::kOptions.specs());
    set.set("full_ref", text);
    return set.get_bool("full_ref");
  };
  EXPECT_TRUE(taken("true"));
  EXPECT_FALSE(taken("false"));
  for (const char* const text : {"1", "0", "True", "yes", "", " true"}) {
    try {
      taken(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find("true or false"), std::string::npos) << error.what();
    }
  }
}

TEST(Options, ADefaultWrittenOutLeavesTheNameAlone) {
  OptionSet set(cambi::Cambi::kOptions.specs());
  set.set("window_size", "65");
  set.set("cambi_max_val", "1000.0");
  EXPECT_EQ(set.metric_name("cambi"), "cambi");
}

TEST(Options, OwnFlagsKnowMoreThanTheExactForm) {
  OptionSet set(cambi::Cambi::kOptions.specs());
  EXPECT_THROW(set.set("eotf", "hlg"), Error);
  EXPECT_THROW(set.set("range", "full"), Error);
  set.set("eotf", "hlg", OptionForm::kOwn);
  set.set("range", "full", OptionForm::kOwn);
  EXPECT_EQ(set.metric_name("cambi"), "cambi_eotf_hlg_range_full");
  EXPECT_THAT(message_of("eotf", "hlg"), ::testing::HasSubstr("allowed: bt1886 or pq"));
}

// Not every feature has each option: whether one is set can be asked of all.
TEST(Options, AFeatureMayLackAnOption) {
  constexpr OptionSpec kSpecs[] = {{.name = "radius", .default_number = 3, .min = 1, .max = 9}};
  OptionSet set(kSpecs);
  EXPECT_FALSE(set.is_set("enc_bitdepth"));
  EXPECT_EQ(set.find("enc_bitdepth"), std::nullopt);
  EXPECT_FALSE(set.is_set("radius"));
  EXPECT_EQ(set.find("radius"), OptionValue(3));
  set.set("radius", "3");
  EXPECT_TRUE(set.is_set("radius"));
  try {
    set.get_int("enc_bitdepth");
    ADD_FAILURE() << "a value of no option";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
  }
}

TEST(Options, RefusesWhatIsNotWhollyANumber) {
  for (const char* text : {"", " 65", "65 ", "65.9", "0x41", "six", "99999999999999999999", "nan", "1e2"})
    EXPECT_THAT(message_of("window_size", text), ::testing::HasSubstr("15..127")) << text;
  for (const char* text : {"", "0.5abc", "nan", "inf", "-inf", "1e999", "0,5", "--1", "1.1", "-0.1"})
    EXPECT_THAT(message_of("topk", text), ::testing::HasSubstr("0.0001..1")) << text;
}

TEST(Options, PrintableEscapesWhatIsNotText) {
  EXPECT_EQ(printable("plain \xC3\xA9"), "plain \xC3\xA9");
  EXPECT_EQ(printable("a\nb\x1B[31m\x7F"), "a\\nb\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xC2\x9B"
                      "1m"),
            "\\xc2\\x9b"
            "1m");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable(std::string(100, 'x'), 10), "xxxxxxxxxx...");
}

TEST(Options, WhatIsPutGivesWayToWhatIsSet) {
  OptionSet set(cambi::Cambi::kOptions.specs());
  set.put("topk", "0.5");
  EXPECT_EQ(set.get_real("topk"), 0.5);
  EXPECT_FALSE(set.is_set("topk"));
  set.set("topk", "0.4");
  set.put("topk", "0.3");
  EXPECT_EQ(set.get_real("topk"), 0.4);
  EXPECT_THROW(set.set("topk", "0.2"), Error);
  set.set_own_defaults();
  EXPECT_EQ(set.get_text("eotf"), "auto");
  EXPECT_EQ(set.metric_name("cambi"), "cambi_topk_0.4");  // what is left open is not in the name
  set.resolve("eotf", "pq");
  EXPECT_EQ(set.metric_name("cambi"), "cambi_eotf_pq_topk_0.4");
}

}  // namespace
}  // namespace vq
