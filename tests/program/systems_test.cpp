// What differs from system to system must not show: names, bytes that text has a meaning for, files that are
// replaced, other programs' pipes.
#include "core/platform.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

class SystemsTest : public FolderTest {
 protected:
  Words names(const std::string& folder) const {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(path_of(folder)))
      names.push_back(text_of(entry.path().filename()));
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(SystemsTest, NamesAreInAnyScriptAndLong) {
  const std::string folder = in_folder("é漢 🎬/" + std::string(150, 'l') + "/" + std::string(150, 'g')),
                    video = folder + "/film é漢🎬.y4m", report = folder + "/résultat 漢.json",
                    page = folder + "/página 🎬.html";
  std::filesystem::create_directories(folder);
  write_file(video, y4m_video({}));
  run_well({video, "-q", "--extended", "-o", report, "--html", page, "--heatmaps", folder + "/cartes é"});
  const json inputs = read_json(report).at("run").at("inputs");
  EXPECT_THAT(inputs.at(0).at("path").get<std::string>(), ::testing::EndsWith("film é漢🎬.y4m"));
  EXPECT_THAT(read_file(page), AllOf(StartsWith("<!doctype html>"), HasSubstr("film é漢🎬.y4m")));
  EXPECT_THAT(names(folder), ElementsAre("cartes é", "film é漢🎬.y4m", "página 🎬.html", "résultat 漢.json"));
  EXPECT_THAT(names(folder + "/cartes é"), Contains(StartsWith("film é漢🎬.")));
  const ProgramResult missing = run_program({folder + "/無.y4m"});
  EXPECT_THAT(missing, Ends(2, HasSubstr("無.y4m")));
}

// Line ends of either kind and the byte that ends a text on Windows are in every row.
TEST_F(SystemsTest, BytesAreNotText) {
  const VideoShape shape{.width = 256, .height = 256, .frames = 1, .chroma = "400"};
  std::string reference = y4m_header(shape) + "FRAME\n", distorted = reference;
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) {
      reference += x == 11 ? '\n' : static_cast<char>(x);
      distorted += static_cast<char>(reference.back() ^ 1);
    }
  }
  const std::string a = made("a.y4m", reference), b = made("b.y4m", distorted);
  const Words words = {"--feature", "psnr", "--precision", "max", "-q", "-o"};
  const ProgramResult files = run_well(joined({"-r", a, "-d", b}, joined(words, {"/dev/stdout"}))),
                      input = run_well(joined({"-r", a, "-d", "-"}, joined(words, {in_folder("out.json")})),
                                       {.input = distorted});
  // A difference of one in each sample.
  constexpr double kPsnr = 48.130803608679;
  EXPECT_NEAR(read_json(in_folder("out.json")).at("frames").at(0).at("metrics").at("psnr_y").get<double>(),
              kPsnr, 1e-9);
  EXPECT_THAT(files.out, HasSubstr("psnr_y=\"48.1308036"));
  for (const std::string& text : {files.out, input.out, read_file(in_folder("out.json"))})
    EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST_F(SystemsTest, OnlyOneFileIsTheSame) {
  const std::string a = made("a.y4m", y4m_video({})), b = made("b.y4m", y4m_video({.phase = 7}));
  run_well(
      {"-r", a, "-d", b, "--feature", "psnr", "-q", "-o", in_folder("c.json"), "-o", in_folder("d.xml")});
  const auto is_refused = Ends(1, HasSubstr("same file"));
  EXPECT_THAT(run_program({a, "-o", in_folder("./a.y4m")}), is_refused);
  EXPECT_THAT(run_program({a, "-o", in_folder("e.json"), "-o", in_folder("./e.json")}), is_refused);
  EXPECT_EQ(read_file(a), y4m_video({}));
}

TEST_F(SystemsTest, AReportIsReplacedWhole) {
  const std::string video = made("a.y4m", y4m_video({})), report = made("report.json", "old");
  run_well({video, "-q", "-o", report});
  const json first = read_json(report);
  run_well({video, "-q", "-o", report});
  EXPECT_EQ(first.at("frames").size(), read_json(report).at("frames").size());
  EXPECT_THAT(names(in_folder("")), ElementsAre("a.y4m", "report.json"));
}

TEST_F(SystemsTest, AnotherProgramWritesThePipe) {
  const std::string clip = testdata("clips/sky_640x360_8b.mp4"), report = in_folder("report.json");
  const Words quiet = {"-q", "--precision", "max", "-o", report};
  run_well(joined({clip}, quiet));
  const json frames = read_json(report).at("frames");
  output_of("ffmpeg -v error -i " + clip + " -f yuv4mpegpipe - | '" + cambi_program() +
            "' - -q --precision max -o '" + report + "'");
  EXPECT_EQ(read_json(report).at("frames"), frames);
}

}  // namespace
}  // namespace vq::cli::test
