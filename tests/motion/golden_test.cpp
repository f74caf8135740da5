// The golden cases of motion, through the program.
#include "tests/support/still_sequence.h"

namespace vq::motion::test {
namespace {

using namespace cli::test;

const json& cases() {
  static const json kCases = sequence_cases("motion.json", "motion");
  return kCases;
}

TEST(MotionGolden, FileHasAllItsCases) {
  EXPECT_EQ(cases().size(), 66U);
}

// Of several depths, and with sides from 3 samples on.
TEST(MotionGolden, SmallPicturesScoreAsTheReferenceOnEveryInstructionSet) {
  size_t tried = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    if (frame_samples(cases()[i]) > 4000) continue;
    SCOPED_TRACE("case " + std::to_string(i));
    for (const GoldenWay& way : host_ways()) expect_sequence(cases()[i], way);
    ++tried;
  }
  EXPECT_EQ(tried, 13U);
}

// Options, sampled and skipped frames.
TEST(MotionGolden, ClipsScoreAsTheReference) {
  for (const size_t i : {6U, 23U, 32U, 38U, 42U, 45U, 47U, 63U, 64U, 65U}) {
    SCOPED_TRACE("case " + std::to_string(i));
    expect_sequence(cases().at(i), {"cpu", 0});
  }
}

// As the reference tool appends it when the video ends.
TEST(MotionProgram, WhatIsKnownLateStandsBehindOtherFeatures) {
  const TemporaryFolder folder;
  const std::string clip = testdata("clips/static_640x360_8b.mp4"), path = folder.path() + "/report.json";
  const ProgramResult result = run_program({"-r", clip, "-d", clip, "--feature", "motion", "--feature", "psnr=enable_chroma=false",
                                            "--frame_cnt", "3", "-q", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream file(path);
  std::vector<std::string> names;
  const auto report = nlohmann::ordered_json::parse(file);
  for (const auto& [name, value] : report.at("frames")[1].at("metrics").items()) names.push_back(name);
  const std::vector<std::string> expected = {"VMAF_integer_feature_motion_sad_score", "psnr_y", "integer_motion2",
                                             "integer_motion3"};
  EXPECT_EQ(names, expected);
}

TEST(MotionGoldenOfEverySize, EqualsTheReferenceOnEveryInstructionSet) {
  for (size_t i = 0; i < cases().size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    for (const GoldenWay& way : host_ways()) expect_sequence(cases()[i], way);
  }
}

}  // namespace
}  // namespace vq::motion::test
