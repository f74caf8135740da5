// The gate on the processor alone, which needs no device.
#include "cli/reports/diff.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

class GateProgram : public FolderTest {
 protected:
  ProgramResult gate(std::vector<std::string> words) const {
    words.insert(words.begin(), "gate");
    return run_program(words);
  }

  const std::string clip_ = testdata("clips/small_256x144_8b.mp4");
};

TEST_F(GateProgram, ComparesTheScalarStagesWithTheFastOnes) {
  const std::string path = in_folder("gate.json");
  const ProgramResult result = gate({clip_, "--backends", "cpu,scalar", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  const json written = read_json(path);
  EXPECT_EQ(written.at("pass"), true);
  EXPECT_EQ(written.at("places"), 17);
  ASSERT_EQ(written.at("backends").size(), 2U);
  EXPECT_EQ(written.at("backends")[1].at("backend"), "scalar");
  EXPECT_EQ(written.at("backends")[1].at("simd"), "scalar");
  EXPECT_EQ(written.at("backends")[1].at("decoders"), json::array({"h264"}));
  EXPECT_EQ(written.at("backends")[1].at("compared"), 3);
  EXPECT_EQ(written.at("backends")[1].at("worst_difference"), 0.0);
}

TEST_F(GateProgram, LeavesStandardOutputToAReport) {
  const ProgramResult result = gate({clip_, "--backends", "cpu,scalar", "-o", "-"});
  EXPECT_EQ(json::parse(result.out).at("pass"), true);
  EXPECT_THAT(result.err, HasSubstr("scalar"));
}

TEST(Gate, SaysHowEqualScoresAre) {
  GateResult result;
  result.entries.resize(2);
  EXPECT_THAT(gate_text(result), HasSubstr("\npass: scores are equal to the last bit\n"));
  result.places = 4;
  EXPECT_THAT(gate_text(result), HasSubstr("\npass: scores are equal to 4 decimal places\n"));
  result.entries[1].diff.different = 1;
  EXPECT_THAT(gate_text(result), HasSubstr("\nFAIL: scores are not equal to 4 decimal places, see"));
}

TEST(Gate, TellsDecodersWhereTheyDiffer) {
  GateResult result;
  result.entries.resize(2);
  const auto inputs = [](const std::string& distorted, const std::string& reference) {
    std::vector<InputFacts> both(2);
    both[0].decoder = distorted;
    both[1].decoder = reference;
    return both;
  };
  result.entries[0].run.inputs = result.entries[1].run.inputs = inputs("h264", "h264");
  EXPECT_THAT(gate_text(result), Not(HasSubstr("h264")));
  result.entries[1].run.inputs = inputs("h264 (cuda)", "hevc (cuda), hevc");
  EXPECT_THAT(gate_text(result), AllOf(HasSubstr("decoder"), HasSubstr("h264 (cuda), hevc (cuda), hevc")));
}

}  // namespace
}  // namespace vq::cli::test
