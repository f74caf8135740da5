// Scenes through the program: the table of a run and of its report, lists of others, zones by scene.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using testing::HasSubstr;

class SceneProgram : public ::testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }

  // Three scenes of 12, 18 and 10 frames, of which the middle one is coded worst.
  void SetUp() override {
    const std::string source =
        "-f lavfi -i \"pal100bars=s=192x128:r=25,trim=end_frame=12[a];"
        "mandelbrot=s=192x128:r=25,trim=end_frame=18,setpts=PTS-STARTPTS[b];"
        "smptebars=s=192x128:r=25,trim=end_frame=10[c];[a][b][c]concat=n=3\" -pix_fmt yuv420p ";
    run_ffmpeg(source + "-c:v ffv1 " + in_folder("source.mkv"));
    run_ffmpeg("-i " + in_folder("source.mkv") + " -c:v libx264 -qp 40 -threads 1 " + in_folder("coded.mkv"));
  }

  ProgramResult run(Words words) const {
    for (std::string& word : words) {
      if (word.starts_with("@")) word = in_folder(word.substr(1));
    }
    return run_program(words);
  }

  std::string printed(const Words& words) const {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }

  std::string scored(const Words& more) const {
    Words words = {"-r", "@source.mkv", "-d", "@coded.mkv", "--feature", "psnr", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return printed(words);
  }

 private:
  TemporaryFolder folder_;
};

std::vector<std::string> first_columns(const std::string& csv, size_t count) {
  std::vector<std::string> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) end = line.find(',', end) + 1;
    const std::string row = line.substr(0, end - 1);
    if (rows.empty() || rows.back() != row) rows.push_back(row);
  }
  return rows;
}

TEST_F(SceneProgram, AReportHasWhatTheRunSaid) {
  const std::string of_run = scored({"--precision", "max", "--extended", "-o", "@r.json", "--scenes", "-"});
  EXPECT_EQ(first_columns(of_run, 4), (Words{"1,0,11,12", "2,12,29,18", "3,30,39,10"}));
  EXPECT_EQ(printed({"report", "@r.json", "--scenes", "-"}), of_run);
  EXPECT_EQ(read_file(in_folder("r.html")), "");  // nobody asked for a page
  EXPECT_THAT(printed({"report", "@r.json", "--scenes", "table"}),
              testing::StartsWith("3 scenes\nscene        from          to  duration  psnr_y "));
  // The table of the run is that of its frames.
  const auto report = nlohmann::json::parse(read_file(in_folder("r.json")));
  const nlohmann::json& scene = report["scenes"][1];
  double sum = 0;
  for (size_t i = 12; i < 30; ++i) sum += report["frames"][i]["metrics"]["psnr_y"].get<double>();
  EXPECT_DOUBLE_EQ(scene["metrics"]["psnr_y"]["mean"], sum / 18);
  EXPECT_EQ(scene["first"], 12);
  EXPECT_EQ(scene["end"], 1.2);
}

TEST_F(SceneProgram, TheSummaryListsThemIfAsked) {
  const Words words = {"-r", "@source.mkv", "-d", "@coded.mkv", "--feature", "psnr"};
  EXPECT_EQ(printed(words).find("scene"), std::string::npos);
  Words more = words;
  more.insert(more.end(), {"--scenes", "table"});
  EXPECT_THAT(printed(more), HasSubstr("\n3 scenes\nscene "));
}

TEST_F(SceneProgram, ListsOfOthersReplaceThoseFound) {
  const std::string found =
      scored({"--scenes", "@found.csv", "--segments-output", "av1an-scenes:-", "--segments", "psnr_y:0"});
  write_file(in_folder("av1an.json"), found);
  EXPECT_EQ(scored({"--scenes-from", "@av1an.json", "--scenes", "-"}), read_file(in_folder("found.csv")));
  EXPECT_EQ(scored({"--scenes-from", "@found.csv", "--scenes", "-"}), read_file(in_folder("found.csv")));
  write_file(in_folder("others.csv"),
             "Timecode List:,00:00:00.800\nScene Number,Start Frame,Start Timecode\n"
             "1,1,00:00:00.000\n2,21,00:00:00.800\n");
  EXPECT_EQ(first_columns(scored({"--scenes-from", "@others.csv", "--scenes", "-"}), 4),
            (Words{"1,0,19,20", "2,20,39,20"}));
  // They count from the start of the video, what was skipped of it included.
  EXPECT_EQ(first_columns(scored({"--scenes-from", "@others.csv", "--scenes", "-", "--frame_skip_dist", "5",
                                  "--frame_skip_ref", "5"}),
                          4),
            (Words{"1,0,14,15", "2,15,34,20"}));
  EXPECT_EQ(first_columns(scored({"--scenes-from", "@others.csv", "--scenes", "-", "--start", "25"}), 4),
            (Words{"1,25,39,15"}));
  scored({"-o", "@r.json", "--extended"});
  EXPECT_EQ(first_columns(printed({"report", "@r.json", "--scenes-from", "@others.csv", "--scenes", "-"}), 4),
            (Words{"1,0,19,20", "2,20,39,20"}));
}

// The middle scene is the worst by far.
TEST_F(SceneProgram, ZonesMayBeScenes) {
  const Words zones = {"--segments", "scenes:psnr_y:34", "--segments-output", "x265:-"};
  EXPECT_EQ(scored(zones), "12,29,b=1.5\n");
  Words words = zones;
  words.insert(words.end(), {"-o", "@r.json", "--extended"});
  EXPECT_EQ(scored(words), "12,29,b=1.5\n");
  EXPECT_EQ(printed({"report", "@r.json", "--segments-output", "x265:-"}), "12,29,b=1.5\n");
  const auto report = nlohmann::json::parse(read_file(in_folder("r.json")));
  EXPECT_EQ(report["run"]["segments"]["by_scene"], true);
  const nlohmann::json& segment = report["run"]["segments"]["list"].at(0);
  EXPECT_NEAR(segment["mean"], report["scenes"][1]["metrics"]["psnr_y"]["mean"], 1e-6);
}

TEST_F(SceneProgram, EachVideoOfABatchHasATable) {
  printed({"batch", "@coded.mkv", "-r", "@source.mkv", "--feature", "psnr", "--reports", "@out", "--formats",
           "scenes", "-q"});
  EXPECT_EQ(first_columns(read_file(in_folder("out/coded.mkv.scenes.csv")), 4),
            (Words{"1,0,11,12", "2,12,29,18", "3,30,39,10"}));
}

TEST_F(SceneProgram, RefusesWhatMakesNoSense) {
  const auto refusal = [&](const Words& words, int code = 1) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, code) << result.err;
    return result.err;
  };
  EXPECT_THAT(refusal({"@coded.mkv", "--scenes", "scenes.json"}), HasSubstr("--scenes-from FILE"));
  EXPECT_THAT(refusal({"@coded.mkv", "--scenes-from", "@none", "--scenes", "-"}, 2),
              HasSubstr("none cannot be opened"));
  EXPECT_THAT(refusal({"@coded.mkv", "--segments", "scenes:5", "--segments-until", "4"}),
              HasSubstr("judged as a whole"));
  EXPECT_THAT(refusal({"batch", "@coded.mkv", "--reports", "@out", "--scenes-from", "@source.mkv"}, 2),
              HasSubstr("A list of scenes is"));
  EXPECT_THAT(refusal({"batch", "@coded.mkv", "--reports", "@out", "--scenes", "table"}),
              HasSubstr("--formats scenes"));
  EXPECT_THAT(refusal({"compare", "@coded.mkv", "@source.mkv", "--scenes", "table"}),
              HasSubstr("does not take --scenes"));
  write_file(in_folder("scenes.csv"), "Start Frame\n1\n");
  EXPECT_THAT(refusal({"@coded.mkv", "--scenes-from", "@scenes.csv", "--scenes", "@scenes.csv"}),
              HasSubstr("same file"));
  scored({"-o", "@plain.json"});
  EXPECT_THAT(refusal({"report", "@plain.json", "--scenes", "-"}), HasSubstr("has no scenes"));
  EXPECT_THAT(refusal({"report", "@plain.json", "--segments", "scenes:psnr_y:30"}),
              HasSubstr("has no scenes"));
}

}  // namespace
}  // namespace vq::cli::test
