// The words of the program: messages/<topic>.txt are transcripts of commands, which are run again here. Other
// tests look at exit codes, files and numbers, so that a sentence stands in one place, where it is reviewed.
// With CAMBI_UPDATE_MESSAGES=1 the transcripts are written anew, and the test fails where that changed one.
//
//   # a comment; "# needs vulkan" and "# needs pages" name what the build must have
//   $ a shell command, in a folder of the topic's own; see SetUp() for what is there
//   > a line of standard output
//   ! a line of standard error
//   + a file that is new or changed, - one that is gone
//   = the exit code, if it is not 0
#include <sys/stat.h>

#include <cctype>
#include <regex>

#include "cli/pages/page_assets.h"
#include "core/version.h"
#include "tests/support/synthetic_model.h"

namespace vq::cli::test {
namespace {

// A build has the sources that it was made from.
const std::string kTopics = testdata("../tests/program/messages/");

std::vector<std::string> topics() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kTopics)) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

// A command and what came of it; or what stands between two of them, where the command is empty.
struct Block {
  std::string command, text;
};

std::vector<Block> blocks_of(const std::string& transcript) {
  std::vector<Block> blocks;
  for (const std::string& line : lines_of(transcript)) {
    if (line.starts_with("$ ")) {
      blocks.push_back({line.substr(2), ""});
    } else {
      const bool is_between = line.empty() || line.starts_with('#');
      if (blocks.empty() || is_between == !blocks.back().command.empty()) blocks.emplace_back();
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

std::string shown(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks)
    text += (block.command.empty() ? "" : "$ " + block.command + "\n") + block.text;
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Control characters, by which a text file would be none.
std::string printable(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) == 0) {
      shown += c;
    } else {
      shown += {'\\', 'x', kDigits[(c >> 4) & 15], kDigits[c & 15]};
    }
  }
  return shown;
}

// One line for each, behind the sign.
std::string marked(const std::string& sign, const std::string& text) {
  std::string lines;
  for (const std::string& line : lines_of(text))
    lines += sign + (line.empty() ? "" : " " + printable(line)) + "\n";
  return lines;
}

class MessagesOf : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fs::create_directory_symlink(testdata("clips"), in_folder("clips"));
    fs::create_directory_symlink(testdata("formats"), in_folder("formats"));
    write_file(in_folder("a.y4m"), y4m_video({}));  // two frames of 320x240
    write_file(in_folder("b.y4m"), y4m_video({.phase = 3}));
    write_file(in_folder("small.y4m"), y4m_video({.width = 240, .height = 160}));
    write_file(in_folder("a.yuv"), raw_video({}));
    write_file(in_folder("text.txt"), "This is a text.\n");
    write_file(in_folder("model.json"), synthetic_model({"psnr_y"}).dump());
    fs::create_directory(in_folder("folder"));
    fs::create_symlink(cambi_program(), cache_.path() + "/vmaf");
  }

  std::string in_folder(const std::string& name) const { return work_.path() + "/" + name; }

  // Each file below the folder, with its inode and the time when it was written: also of one that is written
  // again as it was.
  std::map<std::string, std::pair<ino_t, fs::file_time_type>> files() const {
    std::map<std::string, std::pair<ino_t, fs::file_time_type>> files;
    for (const auto& entry : fs::recursive_directory_iterator(work_.path())) {
      struct stat status {};
      if (entry.is_directory() || lstat(entry.path().c_str(), &status) != 0) continue;
      files[entry.path().lexically_relative(work_.path())] = {
          status.st_ino, entry.is_symlink() ? fs::file_time_type() : entry.last_write_time()};
    }
    return files;
  }

  // Without what differs from run to run and from machine to machine.
  std::string settled(const std::string& text) const {
    static const std::pair<std::regex, const char*> kVarying[] = {
        {std::regex("cpu \\(\\w+, [0-9]+ threads?\\)  [0-9.]+ fps"), "cpu (SIMD, N threads)  N fps"},
        {std::regex("\\([0-9.]+ (bytes|kB)\\)"), "(N bytes)"}};
    std::string settled = replaced(replaced(text, work_.path(), "DIR"), testdata(""), "TESTDATA/");
    settled = replaced(settled, version(), "VERSION");
    for (const auto& [pattern, to] : kVarying) settled = std::regex_replace(settled, pattern, to);
    return settled;
  }

  std::string run(const std::string& command) const {
    const auto before = files();
    const std::string setting = "unset COLUMNS\ncambi() { \"" + cambi_program() + "\" \"$@\"; }\nvmaf() { " +
                                cache_.path() + "/vmaf \"$@\"; }\ncd " + work_.path() + "\n";
    const ProgramResult ended =
        run_program({"-c", setting + command},
                    {.program = "/bin/sh", .environment = {{"XDG_CACHE_HOME", cache_.path()}}});
    const auto after = files();
    std::string text = marked(">", settled(ended.out)) + marked("!", settled(ended.err));
    for (const auto& [name, written] : after) {
      if (!before.contains(name) || before.at(name) != written) text += "+ " + printable(name) + "\n";
    }
    for (const auto& [name, written] : before) {
      if (!after.contains(name)) text += "- " + printable(name) + "\n";
    }
    return text + (ended.code == 0 ? "" : "= " + std::to_string(ended.code) + "\n");
  }

 private:
  TemporaryFolder work_, cache_;
};

TEST_P(MessagesOf, AreThoseOfTheTranscript) {
  const std::string path = kTopics + GetParam() + ".txt", transcript = read_file(path);
  if (transcript.find("# needs vulkan") != std::string::npos && failing_vulkan_module().empty())
    GTEST_SKIP() << "this build has no Vulkan";
  if (transcript.find("# needs pages") != std::string::npos && !has_pages())
    GTEST_SKIP() << "this build has no pages";
  std::vector<Block> blocks = blocks_of(transcript);
  ASSERT_EQ(shown(blocks), transcript) << "lines that are of no command";
  int commands = 0;
  for (Block& block : blocks) {
    if (block.command.empty()) continue;
    ++commands;
    const std::string text = run(block.command);
    EXPECT_EQ(text, block.text) << "$ " << block.command;
    block.text = text;
  }
  EXPECT_GT(commands, 0);
  if (std::getenv("CAMBI_UPDATE_MESSAGES") != nullptr) write_file(path, shown(blocks));
}

INSTANTIATE_TEST_SUITE_P(, MessagesOf, ::testing::ValuesIn(topics()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace vq::cli::test
