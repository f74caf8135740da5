// The subcommand info as other programs read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using ::testing::HasSubstr;

TEST(Subcommand, InfoOfSeveralGoesOnAfterOneThatIsNoVideo) {
  const std::string clip = testdata("clips/dusk_960x540_10b_hlg.mp4");
  const nlohmann::json files =
      nlohmann::json::parse(run_program({"info", "--json", clip, "none.mp4"}).out)["files"];
  EXPECT_EQ(files[0]["streams"][0]["color_transfer"], "arib-std-b67");
  EXPECT_EQ(files[0]["input"]["transfer"], "hlg");
  EXPECT_THAT(files[1]["error"].get<std::string>(), HasSubstr("none.mp4"));
}

}  // namespace
}  // namespace vq::cli::test
