// The golden cases of motion, through the program.
#include "tests/support/still_sequence.h"

namespace vq::motion::test {
namespace {

using namespace cli::test;

const SequenceGolden& golden() {
  static const SequenceGolden kGolden("motion.json", "motion");
  return kGolden;
}

TEST(MotionGolden, FileHasAllItsCases) {
  EXPECT_EQ(golden().size(), 66U);
}

// Of several depths, and with sides from 3 samples on.
TEST(MotionGolden, SmallPicturesScoreAsTheReferenceOnEveryInstructionSet) {
  const std::vector<size_t> small = golden().up_to(4000);
  EXPECT_EQ(small.size(), 13U);
  golden().expect(small, host_ways());
}

// Options, sampled and skipped frames.
TEST(MotionGolden, ClipsScoreAsTheReference) {
  golden().expect({6, 23, 32, 38, 42, 45, 47, 63, 64, 65}, {{"cpu"}});
}

// As the reference tool appends it when the video ends.
TEST(MotionProgram, WhatIsKnownLateStandsBehindOtherFeatures) {
  const TemporaryFolder folder;
  const std::string clip = testdata("clips/static_640x360_8b.mp4"), path = folder.path() + "/report.json";
  const ProgramResult result =
      run_program({"-r", clip, "-d", clip, "--feature", "motion", "--feature", "psnr=enable_chroma=false",
                   "--frame_cnt", "3", "-q", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream file(path);
  std::vector<std::string> names;
  const auto report = nlohmann::ordered_json::parse(file);
  for (const auto& [name, value] : report.at("frames")[1].at("metrics").items()) names.push_back(name);
  const std::vector<std::string> expected = {"VMAF_integer_feature_motion_sad_score", "psnr_y",
                                             "integer_motion2", "integer_motion3"};
  EXPECT_EQ(names, expected);
}

TEST(MotionGoldenOfEverySize, EqualsTheReferenceOnEveryInstructionSet) {
  golden().expect_all(host_ways());
}

}  // namespace
}  // namespace vq::motion::test
