// What the subcommands print that only tell: info, features, devices and version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(Subcommand, InfoDescribesAVideo) {
  const std::string clip = testdata("clips/dusk_960x540_10b_hlg.mp4");
  const ProgramResult result = run_program({"info", clip});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "file          " + clip +
                            "\n"
                            "container     mov,mp4,m4a,3gp,3g2,mj2\n"
                            "file size     3.8 kB\n"
                            "bit rate      35 kbit/s\n"
                            "encoder       x265 (build 199) - 3.5+1-f0c1022b6:[Linux][GCC 12.2.0][64 bit] 10bit\n"
                            "codec         hevc (Main 10)\n"
                            "pixel format  yuv420p10le\n"
                            "size          960x540\n"
                            "bit depth     10\n"
                            "chroma        4:2:0\n"
                            "range         limited (color_range=tv)\n"
                            "transfer      hlg (color_transfer=arib-std-b67)\n"
                            "matrix        bt2020 (color_space=bt2020nc)\n"
                            "primaries     bt2020\n"
                            "scan          progressive\n"
                            "film grain    none\n"
                            "frame rate    24 fps\n"
                            "frames        3 (declared)\n"
                            "duration      0:00:00.12\n");
}

TEST(Subcommand, InfoOfSeveralGoesOnAfterOneThatIsNoVideo) {
  const std::string clip = testdata("clips/dusk_960x540_10b_hlg.mp4"), other = testdata("clips/black_320x240_10b.mkv");
  const ProgramResult result = run_program({"info", clip, "none.mp4", other, "neither.mp4"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, HasSubstr("duration      0:00:00.12\n\nfile          " + other + "\n"));
  EXPECT_THAT(result.err, HasSubstr("none.mp4 cannot be opened"));
  EXPECT_THAT(result.err, HasSubstr("neither.mp4 cannot be opened"));
  const nlohmann::json files = nlohmann::json::parse(run_program({"info", "--json", clip, "none.mp4"}).out)["files"];
  EXPECT_EQ(files[0]["streams"][0]["color_transfer"], "arib-std-b67");
  EXPECT_EQ(files[0]["input"]["transfer"], "hlg");
  EXPECT_THAT(files[1]["error"].get<std::string>(), HasSubstr("none.mp4 cannot be opened"));
  EXPECT_EQ(run_program({"info", "-", "-"}).code, 1);
}

TEST(Subcommand, InfoRefusesWhatIsNoVideo) {
  const ProgramResult result = run_program({"info", testdata("golden/cambi.json")});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("cambi: error: "));
}

TEST(Subcommand, FeaturesListsThemWithTheirBackends) {
  const ProgramResult result = run_program({"features"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("cambi  banding: "));
  EXPECT_THAT(result.out, ContainsRegex("\n  backends: scalar cpu"));
  EXPECT_THAT(result.out, HasSubstr("\nInstruction sets of this CPU, best first"));
}

TEST(Subcommand, FeaturesTellsEveryOptionOfOne) {
  const ProgramResult result = run_program({"features", "cambi"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, ContainsRegex("\noption +alias +default +range +meaning\n"));
  EXPECT_THAT(result.out, ContainsRegex("\nwindow_size +ws +65 +15\\.\\.127 +side of the window"));
  const ProgramResult unknown = run_program({"features", "camby"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("Did you mean \"cambi\"?"));
}

TEST(Subcommand, VersionIsOneLine) {
  EXPECT_THAT(run_program({"version"}).out, ::testing::MatchesRegex("cambi [0-9.]+[^\n]*\n"));
}

}  // namespace
}  // namespace vq::cli::test
