// Which model suits which video, and what is said where one does not.
#include "cli/models/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/models/built_in.h"

namespace vq::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

VideoFormat format_of(int width, int height, int bits = 10) {
  return {.name = "a", .width = width, .height = height, .bit_depth = bits};
}

std::string_view suited(int width, int height, std::optional<double> rate) {
  return suited_model(format_of(width, height), rate).model;
}

TEST(Catalogue, HasEveryBuiltInModel) {
  for (const BuiltIn& model : built_in_models()) EXPECT_NE(find_entry(model.name), nullptr) << model.name;
  EXPECT_EQ(catalogue().size(), built_in_models().size());
  for (const CatalogueEntry& entry : catalogue()) {
    EXPECT_THAT(catalogue_table(0), HasSubstr(std::string(entry.model) + " "));
  }
  EXPECT_EQ(find_entry("vmaf"), nullptr);
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

TEST(Catalogue, SaysWhatAModelExpects) {
  const CatalogueEntry& hd = *find_entry("vmaf_v1.0.16_3d0h");
  EXPECT_EQ(expectation(hd, format_of(1920, 1080)), "");
  EXPECT_EQ(expectation(hd, format_of(1920, 800)), "");
  EXPECT_THAT(expectation(hd, format_of(1920, 1080, 8)), HasSubstr("8 bits. Try: --score-bits 10"));
  EXPECT_THAT(expectation(hd, format_of(640, 360, 8)), HasSubstr(". Try: --scale-to 1920x1080 --score-bits 10"));
  EXPECT_THAT(expectation(hd, format_of(360, 640)), HasSubstr("--scale-to 1080x1920"));
  EXPECT_THAT(expectation(hd, format_of(1280, 536)), HasSubstr("--scale-to 1920x804"));
  EXPECT_THAT(expectation(*find_entry("vmaf_v0.6.1"), format_of(640, 360, 8)), Not(HasSubstr("bit")));
}

TEST(Catalogue, SaysWhichFrameRateAModelExpects) {
  const auto of = [](std::string_view model, std::optional<double> rate) {
    return rate_expectation(*find_entry(model), rate);
  };
  EXPECT_THAT(
      of("vmaf_v1.0.16_3d0h", 59.94),
      HasSubstr(
          "meant for up to 30 frames a second; these are 59.94. Try: --model version=vmaf_v1.0.16_hfr_3d0h"));
  EXPECT_THAT(
      of("vmaf_v1.0.16_hfr_3d0h_2160", 24),
      HasSubstr(
          "meant for 50 or 60 frames a second; these are 24. Try: --model version=vmaf_v1.0.16_3d0h_2160"));
  EXPECT_EQ(of("vmaf_v1.0.16_3d0h", 30), "");
  EXPECT_EQ(of("vmaf_v1.0.16_hfr_5d0h", 50), "");
  EXPECT_EQ(of("vmaf_v1.0.16_hfr_5d0h", std::nullopt), "");
  EXPECT_EQ(of("vmaf_v0.6.1", 60), "");
}

TEST(Catalogue, NamesTheTwinForADisplayOfThatSize) {
  const auto of = [](std::string_view model, const VideoFormat& format) { return expectation(*find_entry(model), format); };
  EXPECT_THAT(of("vmaf_v0.6.1", format_of(3840, 2160)),
              HasSubstr(". Try: --model version=vmaf_4k_v0.6.1, or --scale-to 1920x1080"));
  EXPECT_THAT(of("vmaf_v0.6.1neg", format_of(3840, 1600)), HasSubstr("version=vmaf_4k_v0.6.1neg, or --scale-to 1920x800"));
  EXPECT_THAT(of("vmaf_4k_v0.6.1", format_of(1920, 1080)), HasSubstr("version=vmaf_v0.6.1, or --scale-to 3840x2160"));
  EXPECT_THAT(of("vmaf_v1.0.16_5d0h", format_of(3840, 2160, 8)),
              HasSubstr("version=vmaf_v1.0.16_1d5h_2160, or --scale-to 1920x1080, each with --score-bits 10"));
  EXPECT_THAT(of("vmaf_v1.0.16_hfr_3d0h", format_of(3840, 2160)), HasSubstr("version=vmaf_v1.0.16_hfr_1d5h_2160, or"));
  EXPECT_THAT(of("vmaf_v0.6.1", format_of(2560, 1440)), Not(HasSubstr("version=")));
}

}  // namespace
}  // namespace vq::model
