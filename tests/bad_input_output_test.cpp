// Bad input, cases 25 to 28 and 33: outputs and standard descriptors.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/bad_input.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class BadInputOutput : public BadInputTest {
 protected:
  const std::string bytes_ = y4m_video({});
  const std::string video_ = made("a.y4m", bytes_);
};

TEST_F(BadInputOutput, Case25OutputsThatCannotBeMade) {
  refused({video_, "-o", in_folder("none/a.json")}, 5, {"none/a.json", "No such file or directory"});
  fs::create_directory(in_folder("folder"));
  refused({video_, "-o", in_folder("folder")}, 5, {"folder", "is a folder"});
  refused({video_, "-o", in_folder("folder/")}, 5, {"folder"});
  refused({video_, "-o", in_folder("a.y4m/b.json")}, 5, {"a.y4m/b.json", "Not a directory"});
  refused({video_, "-o", in_folder(std::string(300, 'n'))}, 5, {"File name too long"});
  refused({video_, "-o", ""}, 1, {"--output"});
  // Before the input is even looked at.
  refused({in_folder("no.mkv"), "-o", in_folder("none/a.json")}, 5, {"none/a.json"});
  refused({video_, "-o", out(), "-o", in_folder("none/a.json")}, 5, {"none/a.json"});
}

TEST_F(BadInputOutput, Case25NoPermission) {
  chmod(out().c_str(), 0444);
  fs::create_directory(in_folder("closed"));
  chmod(in_folder("closed").c_str(), 0555);
  refused({video_, "-o", out()}, 5, {"report.json", "Permission denied"}, {.prepare = give_up_rights});
  refused({video_, "-o", in_folder("closed/a.json")}, 5, {"closed/a.json", "Permission denied"},
          {.prepare = give_up_rights});
  refused({video_, "--heatmaps", in_folder("closed/maps"), "-o", "-"}, 5,
          {"closed/maps", "Permission denied"}, {.prepare = give_up_rights});
  refused({video_, "-o", "/sys/kernel/a.json"}, 5, {"/sys/kernel/a.json"});
}

void limit_file_size() {
  const rlimit limit{64, 64};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(BadInputOutput, Case26FullDisks) {
  refused({video_, "-o", "/dev/full"}, 5, {"/dev/full", "No space left on device"});
  refused({video_, "-o", out(), "-o", "/dev/full"}, 5, {"/dev/full", "No space left on device"});
}

TEST_F(BadInputOutput, Case26FileSizeLimit) {
  const auto before = state();
  for (const int threads : {1, 4}) {
    // The limit also cuts what the program says, so that goes through a pipe.
    RunningProgram program({video_, "-q", "-o", out(), "--threads", std::to_string(threads)},
                           {.prepare = limit_file_size});
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 5);
    EXPECT_THAT(result.err, HasSubstr("report.json: cannot write: File too large"));
    EXPECT_EQ(state(), before);
  }
}

// A pipe that nobody reads any more as standard output.
void break_output() {
  int ends[2];
  if (pipe(ends) != 0) _exit(126);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]);
}

TEST_F(BadInputOutput, Case26StandardOutput) {
  refused({video_, "-q", "-o", "-"}, 5, {"-: cannot write: Broken pipe"}, {.prepare = break_output});
  refused({video_}, 5, {"/dev/stdout", "Broken pipe"}, {.prepare = break_output});
  refused({video_, "-o", out(), "--heatmaps", in_folder("maps")}, 5, {"/dev/stdout", "Broken pipe"},
          {.prepare = break_output});
  const auto closed = [] { close(STDOUT_FILENO); };
  scored({video_}, {}, {.prepare = closed});  // the report is what was asked for
  EXPECT_EQ(run_program({video_}, {.prepare = closed}).code, 5);
  refused({video_, "-o", "-"}, 5, {"standard output"}, {.prepare = [] { close(STDOUT_FILENO); }});
  refused({video_, "-o", "-"}, 5, {"No space left on device"},
          {.prepare = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }});
}

TEST_F(BadInputOutput, Case27OutputThatIsAnInput) {
  const std::string link = in_folder("link"), hard = in_folder("hard");
  fs::create_symlink("a.y4m", link);
  fs::create_hard_link(video_, hard);
  for (const std::string& output : {video_, link, hard, in_folder("./a.y4m")})
    refused({video_, "-o", output}, 1, {output, video_, "same file"});
  refused({"-r", video_, "-d", clip("flat_320x240_8b.mkv"), "-o", hard}, 1, {hard, video_});
  refused({"-", "-o", video_}, 1, {video_, "same file"},
          {.prepare = [this] { dup2(open(video_.c_str(), O_RDONLY), STDIN_FILENO); }});
  refused({made("b.json.partial", bytes_), "-o", in_folder("b.json")}, 1, {"b.json.partial"});
}

TEST_F(BadInputOutput, Case27OutputsThatAreTheSame) {
  fs::create_symlink("report.json", in_folder("link"));
  refused({video_, "-o", out(), "-o", in_folder("link")}, 1, {"report.json", "link", "same file"});
  refused({video_, "-o", out(), "-o", out()}, 1, {"report.json"});
  refused({video_, "-o", in_folder("new.xml"), "-o", in_folder("./new.xml")}, 1, {"new.xml"});
}

TEST_F(BadInputOutput, Case28Heatmaps) {
  refused({video_, "--heatmaps", out()}, 5, {"report.json", "Not a directory"});
  refused({video_, "--heatmaps", in_folder("none/maps")}, 5, {"none/maps", "No such file or directory"});
  refused({video_, "--heatmaps", in_folder(std::string(300, 'n'))}, 5, {"File name too long"});
  const std::string maps = in_folder("maps");
  fs::create_directories(maps + "/cambi_heatmap_scale_3_40x30_16b.gray");
  refused({video_, "--heatmaps", maps}, 5, {"cambi_heatmap_scale_3_40x30_16b.gray", "is a folder"});
  // A raw input that one of the heatmaps would replace.
  const std::string raw = in_folder("own/cambi_heatmap_scale_0_320x240_16b.gray");
  fs::create_directory(in_folder("own"));
  write_file(raw, raw_video({.bit_depth = 16, .chroma = "400"}));
  refused({raw, "-w", "320", "-h", "240", "-p", "400", "-b", "16", "--heatmaps", in_folder("own")}, 1,
          {raw, "same file"});
  refused({video_, "--heatmaps", in_folder("own"), "-o", raw}, 1, {raw, "same file"});
}

TEST_F(BadInputOutput, Case28HeatmapsOnAFullDisk) {
  fs::create_directory(in_folder("maps"));
  const std::string finest = made("maps/cambi_heatmap_scale_0_320x240_16b.gray", "old");
  const auto before = state();
  const auto limit = [] {
    const rlimit small{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &small);
  };
  for (const int threads : {1, 4}) {
    const ProgramResult result = run({video_, "--heatmaps", in_folder("maps")}, threads, {.prepare = limit});
    EXPECT_EQ(result.code, 5);
    EXPECT_THAT(result.err,
                HasSubstr("cambi_heatmap_scale_0_320x240_16b.gray: cannot write: File too large"));
    EXPECT_EQ(state(), before);
  }
}

TEST_F(BadInputOutput, Case33StandardErrorClosedOrFull) {
  const auto expected = scored({video_});
  EXPECT_EQ(scored({video_}, {}, {.prepare = [] { close(STDERR_FILENO); }}), expected);
  EXPECT_EQ(scored({video_}, {}, {.prepare = [] { dup2(open("/dev/full", O_WRONLY), STDERR_FILENO); }}),
            expected);
  const auto close_all = [] {
    for (const int fd : {STDIN_FILENO, STDERR_FILENO}) close(fd);
  };
  for (const int threads : {1, 4}) {
    EXPECT_EQ(run({in_folder("none")}, threads, {.prepare = close_all}).code, 2);
    EXPECT_EQ(run({video_, "--nonsense"}, threads, {.prepare = close_all}).code, 1);
  }
  EXPECT_EQ(read_file(video_), bytes_);
}

}  // namespace
}  // namespace vq::cli::test
