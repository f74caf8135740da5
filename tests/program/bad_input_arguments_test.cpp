// Command lines. Those that are refused are in tests/program/messages/arguments.txt and
// tests/cli/commands/arguments_test.cpp.
#include <random>

#include "tests/support/bad_input.h"
#include "tests/support/comma_locale.h"
#include "tests/support/random_feature.h"

namespace vq::cli::test {
namespace {

class BadInputArguments : public BadInputTest {
 protected:
  const std::string video_ = made("a.y4m", y4m_video({.frames = 1}));
};

// A few starts of the program: thousands of combinations are scored in one process by RandomOptions, and by
// the program in the long tests.
TEST_F(BadInputArguments, AnyCombinationInRange) {
  std::mt19937 random(20240501);
  for (int i = 0; i < 4; ++i) {
    const std::string feature = random_feature(random);
    SCOPED_TRACE(feature);
    const ProgramResult result = run({"-r", video_, "-d", video_, "-q", "--feature", feature}, 1 + i);
    ASSERT_EQ(result.code, 0) << result.err;
    const auto report = nlohmann::json::parse(read_file(out()));
    for (const auto& [name, value] : report.at("frames")[0].at("metrics").items())
      EXPECT_TRUE(value.is_number() && value >= 0) << name << " " << value;
  }
}

TEST_F(BadInputArguments, DecimalPointsInEveryLocale) {
  const CommaLocale locale;
  const ProgramOptions german{.environment = {{"LC_ALL", locale.name()}, {"LOCPATH", locale.folder()}}};
  const Words words = {video_, "--feature", "cambi=topk=0.25"};
  EXPECT_EQ(scored(words, {}, german), scored(words));
  refused({{video_, "--feature", "cambi=topk=0,25"}, 1, {"topk", "0,25"}}, german);
  EXPECT_THAT(run(words, 1, german).out, ::testing::HasSubstr("cambi_topk_0.25"));
}

}  // namespace
}  // namespace vq::cli::test
