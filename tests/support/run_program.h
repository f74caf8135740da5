// Runs the program as a user would, in a process of its own, and makes videos for it.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace vq::cli::test {

using nlohmann::json;
using vq::test::TemporaryFolder;

struct ProgramResult {
  int code = -1;  // exit code, or 128 + signal
  bool signalled = false;
  std::string out, err;
  int64_t peak_bytes = 0;  // most memory it had at a time
  double seconds = 0;      // until it ended; of a RunningProgram, since the last send() or else its start
};

// A program that ended with this code, and with such an error.
MATCHER_P2(Ends, code, error, "") {
  *result_listener << "which ended with " << arg.code << ": " << arg.err;
  return arg.code == code && ::testing::Matches(error)(arg.err);
}

struct ProgramOptions {
  std::string program = {};                             // its path; empty: cambi's
  std::string name = {};                                // that the program is called by; empty: its path
  std::string input = {};                               // standard input; empty: /dev/null
  std::map<std::string, std::string> environment = {};  // added to the test's own
  int time_limit_s = 300;                               // then it ends with SIGALRM
  std::function<void()> prepare = [] {};  // called in the new process, before the program starts
};

// A command line without the program's name.
using Words = std::vector<std::string>;
inline Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ProgramResult run_program(const Words& words, const ProgramOptions& options = {});
// The same of a program that must end with 0. The last two are the caller's place.
ProgramResult run_well(const Words& words, const ProgramOptions& options = {},
                       const char* file = __builtin_FILE(), int line = __builtin_LINE());

// What a shell's command, which must end with 0, writes to standard output.
inline std::string output_of(const std::string& command) {
  return run_well({"-c", command}, {.program = "/bin/sh"}).out;
}
inline Words words_of(const std::string& text, char separator = ' ') {
  const auto words = vq::split(text, separator);
  return {words.begin(), words.end()};
}
inline Words lines_of(const std::string& text) { return words_of(text, '\n'); }

// The program while it runs, with its standard input and standard error as pipes to the test.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& words, const ProgramOptions& options = {});
  ~RunningProgram();  // kills it, if it still runs
  RunningProgram& operator=(RunningProgram&&) = delete;

  pid_t id() const { return id_; }
  void write_input(std::string_view bytes);
  void close_input();
  // Reads standard error up to and with the text. False where it ends before.
  bool wait_for_error(const std::string& text);
  void send(int signal);
  // Waits until the program has a handler for the signal.
  void wait_until_caught(int signal) const;
  ProgramResult wait();

 private:
  bool in_mask(const std::string& mask, int signal) const;

  TemporaryFolder folder_;
  pid_t id_ = -1;
  int input_ = -1, error_ = -1;
  double since_ = 0;
  std::string error_text_;
};

// A terminal that is `columns` characters wide.
class Terminal {
 public:
  explicit Terminal(unsigned short columns);
  ~Terminal() { (void)shown(); }
  Terminal& operator=(Terminal&&) = delete;

  // For prepare() of a program: it becomes what the program is on if the program has none.
  int open_screen() const;
  void type(char key) const;
  // All that was shown, once no program has it open.
  const std::string& shown();

 private:
  int keys_, held_;
  std::string text_;
  std::thread reader_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);
nlohmann::json read_json(const std::string& path);

// What tests with a folder of their own are.
class Folder {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }
  // A file with that content.
  std::string made(const std::string& name, const std::string& content) const {
    write_file(in_folder(name), content);
    return in_folder(name);
  }
  const TemporaryFolder folder_;
};
class FolderTest : public ::testing::Test, protected Folder {};

// Small uncompressed videos that tests make: skies with banding, since those score.

struct VideoShape {
  int width = 320;
  int height = 240;
  int frames = 2;
  int bit_depth = 8;           // more than 8: 16-bit little endian
  std::string chroma = "420";  // 400, 420, 422 or 444
  int phase = 0;               // of the bands of frame 0; frames differ by one
};

// The planes of one frame.
std::string frame_bytes(const VideoShape& shape, int index);
size_t frame_size(const VideoShape& shape);
// All frames, as raw video.
std::string raw_video(const VideoShape& shape);
std::string y4m_header(const VideoShape& shape);  // with its newline
std::string y4m_video(const VideoShape& shape);

}  // namespace vq::cli::test
