// --sandbox, as users meet it: the same scores inside, and nothing to gain for a decoder that a video has
// taken over.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "cli/pages/page_assets.h"
#include "cli/sandbox/sandbox.h"
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

// The exit code with which a sandbox is refused here; 0 where it is kept.
int refusal_code() {
  try {
    check_filter_is_built();
  } catch (const Error&) {
    return 1;
  }
  return landlock_version() > 0 ? 0 : 8;
}

class Sandbox : public FolderTest {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have threads and start processes themselves";
    if (refusal_code() != 0)
      GTEST_SKIP() << "this system or build has no sandbox, which another test expects";
  }

  // A run outside and one inside, each with a folder of outputs of its own, both of which must succeed.
  void both(const Words& words) const {
    for (const char* side : {"outside", "inside"}) {
      fs::create_directories(in_folder(side));
      Words all = words;
      for (std::string& word : all) {
        if (const size_t at = word.find("OUT/"); at != std::string::npos)
          word.replace(at, 3, in_folder(side));
      }
      if (side == std::string("inside")) all.push_back("--sandbox");
      run_well(all);
    }
  }
  void expect_same(const std::string& name) const {
    const std::string outside = read_file(in_folder("outside/" + name));
    EXPECT_FALSE(outside.empty());
    EXPECT_EQ(read_file(in_folder("inside/" + name)), outside);
  }

  // What the decoder tells of its attempts: those that were done, and those that failed.
  std::map<std::string, std::string> misbehaviour(const Words& words) const {
    fs::create_directories(in_folder("secrets"));
    for (const auto& entry : fs::directory_iterator(in_folder("secrets"))) fs::remove_all(entry);
    write_file(secret(), "secret");
    const std::string library =
        fs::path(failing_calls_module()).parent_path().string() + "/libmisbehaving_decoder.so";
    const ProgramResult result =
        run_well(words, {.environment = {{"LD_PRELOAD", library}, {"CAMBI_SECRET", secret()}}});
    std::map<std::string, std::string> attempts;
    const std::string begin = "misbehaviour: ";
    for (const std::string& line : lines_of(result.err)) {
      if (!line.starts_with(begin)) continue;
      const size_t colon = line.find(": ", begin.size());
      attempts[line.substr(begin.size(), colon - begin.size())] = line.substr(colon + 2);
    }
    return attempts;
  }
  std::string secret() const { return in_folder("secrets/key"); }
};

TEST(SandboxOfThisSystem, IsKeptOrRefused) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have threads and start processes themselves";
  const ProgramResult result = run_program({clip("small_256x144_8b.mp4"), "--frame_cnt", "1", "--sandbox"});
  EXPECT_EQ(result.code, refusal_code()) << result.err;
  EXPECT_THAT(result.err, HasSubstr("sandbox"));
  EXPECT_EQ(result.out.empty(), result.code != 0);
}

// Has the kernel refuse the call from then on, as older ones and some containers do.
void lack(uint32_t call, uint32_t error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST_F(Sandbox, IsRefusedWhereTheKernelHasNone) {
  constexpr uint32_t kCreateRuleset = 444, kRestrictSelf = 446;
  const std::string report = in_folder("run.json");
  for (const auto& [call, error] : {std::pair(kCreateRuleset, ENOSYS),
                                    {kCreateRuleset, EOPNOTSUPP},
                                    {kCreateRuleset, EPERM},
                                    {kRestrictSelf, EPERM}}) {
    const ProgramResult result = run_program(
        {clip("small_256x144_8b.mp4"), "--frame_cnt", "1", "--sandbox", "-o", report},
        {.prepare = [lacking = call, code = error] { lack(lacking, static_cast<uint32_t>(code)); }});
    EXPECT_EQ(result.code, 8);
    EXPECT_THAT(result.err, HasSubstr("Landlock"));
    EXPECT_THAT(result.err, HasSubstr(std::strerror(error)));
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(fs::exists(report));
  }
}

TEST_F(Sandbox, ScoresAreTheSameToTheByte) {
  both({"-r", clip("sky_640x360_8b_ref.mp4"), "-d", clip("sky_640x360_8b.mp4"), "--feature", "cambi",
        "--feature", "psnr", "--model", "version=vmaf_v0.6.1", "-q", "-o", "OUT/run.csv"});
  expect_same("run.csv");
  write_file(in_folder("a.y4m"), y4m_video({}));
  both({in_folder("a.y4m"), "-q", "-o", "OUT/y4m.csv"});
  expect_same("y4m.csv");
}

TEST_F(Sandbox, PicturesAndPagesAreMade) {
  Words words = {clip("sky_640x360_8b.mp4"), "-q",      "--heatmaps",   "OUT/maps",   "--heatmap-format",
                 "png,video,gray",           "-o",      "OUT/run.json", "--extended", "--trace",
                 "OUT/trace.json",           "--junit", "OUT/run.xml"};
  if (has_pages()) words.insert(words.end(), {"--html", "OUT/run.html"});
  both(words);
  std::set<std::string> names[2];
  for (const int side : {0, 1}) {
    const std::string top = in_folder(side == 0 ? "outside" : "inside");
    for (const auto& entry : fs::recursive_directory_iterator(top))
      names[side].insert(entry.path().lexically_relative(top));
  }
  EXPECT_GE(names[0].size(), 8U);
  EXPECT_EQ(names[1], names[0]);
  for (const std::string& name : names[0]) {
    if (name.ends_with(".png")) expect_same(name);
  }
  EXPECT_THAT(read_file(in_folder("inside/run.json")), HasSubstr("\"sandbox=Landlock "));
  EXPECT_THAT(read_file(in_folder("outside/run.json")), Not(HasSubstr("sandbox")));
}

TEST_F(Sandbox, CommandsThatDecodeHaveIt) {
  const std::string video = clip("small_256x144_8b.mp4");
  both({"compare", video, clip("sky_640x360_8b.mp4"), "--frame_cnt", "2", "-q", "-o", "OUT/ranking.csv"});
  expect_same("ranking.csv");
  both({"batch", video, "--reports", "OUT/reports", "--formats", "csv", "--frame_cnt", "2", "-q"});
  expect_same("reports/small_256x144_8b.mp4.csv");
  both({"fingerprint", video, "--frame_cnt", "2", "-o", "OUT/hashes.csv", "-q"});
  expect_same("hashes.csv");
  both({"gate", video, "--frame_cnt", "2", "--backends", "cpu,scalar"});
  both({"info", video});
  both({"bench", video, "--backend", "cpu", "--frames", "2"});
  both({"plan", video, "-o", "OUT/plan.json", "-q"});
  both({"shard", "OUT/plan.json", "--index", "0", "-q"});
  EXPECT_FALSE(fs::is_empty(in_folder("inside/plan.shards")));
}

TEST_F(Sandbox, ADecoderThatWasTakenOverGainsNothing) {
  const Words words = {clip("small_256x144_8b.mp4"), "--frame_cnt", "1", "--backend", "cpu", "-q"};
  const std::map<std::string, std::string> outside = misbehaviour(words);
  // Which shows that the attempts are real ones.
  for (const char* what : {"read", "list", "write", "truncate", "chmod", "create", "rename", "link", "remove",
                           "parent", "fork", "signal", "unshare", "keys", "socket", "datagrams", "local"}) {
    EXPECT_EQ(outside.at(what), "done") << what;
  }
  const std::map<std::string, std::string> inside = misbehaviour(joined(words, {"--sandbox"}));
  EXPECT_GE(inside.size(), outside.size());
  const std::set<std::string> refusals = {"Permission denied", "Operation not permitted"};
  for (const auto& [what, how] : inside) {
    const bool is_known = what == "signal" && landlock_version() < 6;
    if (what == "connect" || what == "send" || is_known) continue;  // without a socket there is nothing to do
    EXPECT_EQ(refusals.count(how), 1U) << what << ": " << how;
  }
  EXPECT_EQ(read_file(secret()), "secret");
}

// Drivers may have sockets, but nobody to talk to.
TEST_F(Sandbox, WithAGpuSocketsAreOfNoUse) {
  const std::map<std::string, std::string> inside =
      misbehaviour({clip("small_256x144_8b.mp4"), "--frame_cnt", "1", "-q", "--sandbox"});
  EXPECT_EQ(inside.at("local"), "done");
  for (const char* what : {"socket", "datagrams", "connect", "send", "fork", "exec"})
    EXPECT_EQ(inside.at(what), "Operation not permitted") << what;
  for (const char* what : {"read", "list", "write"}) EXPECT_EQ(inside.at(what), "Permission denied") << what;
}

// Each picture is a file of its own, and one of them may be a link.
TEST_F(Sandbox, APictureElsewhereIsNotRead) {
  fs::create_directories(in_folder("shots"));
  fs::create_directories(in_folder("elsewhere"));
  const std::string still = testdata("formats/still.tif");
  fs::copy_file(still, in_folder("shots/f1.tif"));
  fs::copy_file(still, in_folder("elsewhere/f2.tif"));
  fs::create_symlink("../elsewhere/f2.tif", in_folder("shots/f2.tif"));
  for (const char* name : {"shots", "shots/f%d.tif", "shots/*.tif"}) {
    const Words words = {in_folder(name), "--feature", "bounds", "-q", "-o", in_folder("run.csv")};
    run_well(words);
    const ProgramResult inside = run_program(joined(words, {"--sandbox"}));
    EXPECT_EQ(inside.code, 6) << inside.err;
    EXPECT_THAT(inside.err, HasSubstr("shots/f2.tif cannot be opened: Permission denied"));
  }
}

TEST_F(Sandbox, InputsMayBeDescriptors) {
  for (const char* input : {"- < $VIDEO", "/dev/fd/3 3< $VIDEO", "<(cat $VIDEO)"}) {
    const std::string video = clip("bright_480x270_8b.mkv");
    const std::string line = "$CAMBI -q --frame_cnt 1 --csv --sandbox " + std::string(input);
    const ProgramResult result =
        run_program({"-c", line},
                    {.program = "/bin/bash", .environment = {{"CAMBI", cambi_program()}, {"VIDEO", video}}});
    EXPECT_EQ(result.code, 0) << input << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("cambi")) << input;
  }
}

// A report may name any file as its video; only those of the command line are opened for its pictures.
TEST_F(Sandbox, ReportsOpenNoVideos) {
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  Words reports;
  for (const char* name : {"small_256x144_8b.mp4", "sky_640x360_8b.mp4"}) {
    reports.push_back(in_folder(std::string(name) + ".json"));
    run_well({clip(name), "-q", "--frame_cnt", "3", "--extended", "-o", reports.back()});
  }
  both({"compare", reports[0], reports[1], "-q", "--html", "OUT/page.html"});
  const auto size = [&](const char* side) {
    return fs::file_size(in_folder(std::string(side) + "/page.html"));
  };
  EXPECT_LT(size("inside") + 10'000, size("outside"));  // by its pictures
}

// It may lie anywhere, and need not exist.
TEST_F(Sandbox, TheSummaryOfAStepIsWritten) {
  write_file(in_folder("a.y4m"), y4m_video({}));
  fs::create_directories(in_folder("out"));
  EXPECT_THAT(run_well({in_folder("a.y4m"), "--sandbox", "--github", "-q", "-o", in_folder("out/a.json")},
                       {.environment = {{"GITHUB_STEP_SUMMARY", in_folder("summary.md")}}})
                  .err,
              Not(HasSubstr("cannot write")));
  EXPECT_THAT(read_file(in_folder("summary.md")), HasSubstr("cambi"));
}

// With or without a sandbox: where memory is never writable and executable, a flaw cannot bring code of its
// own.
TEST(MemoryOfARun, IsNeverWritableAndExecutable) {
  if (kSanitized) GTEST_SKIP() << "sanitizers lay out memory in their own way";
  RunningProgram program({"-", "--progress", "json", "--backend", "cpu", "--feature", "cambi"});
  program.write_input(y4m_video({.frames = 16}));
  ASSERT_TRUE(program.wait_for_error("{\"frames\": 1"));
  const Words maps = lines_of(read_file("/proc/" + std::to_string(program.id()) + "/maps"));
  program.close_input();
  size_t executable = 0;
  for (const std::string& line : maps) {
    const std::string rights = line.substr(line.find(' ') + 1, 4);
    executable += rights[2] == 'x';
    EXPECT_FALSE(rights[1] == 'w' && rights[2] == 'x') << line;
  }
  EXPECT_GT(executable, 3U);
  EXPECT_EQ(program.wait().code, 0);
}

}  // namespace
}  // namespace vq::cli::test
