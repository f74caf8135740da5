#include "tests/support/run_program.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace vq::cli::test {
namespace {

struct Descriptors {
  int in, out, err;
};

[[noreturn]] void become_program(const std::vector<std::string>& words, const ProgramOptions& options,
                                 const Descriptors& descriptors) {
  dup2(descriptors.in, STDIN_FILENO);
  dup2(descriptors.out, STDOUT_FILENO);
  dup2(descriptors.err, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  const std::string& program = options.program.empty() ? cambi_program() : options.program;
  const std::string& name = options.name.empty() ? program : options.name;
  std::vector<char*> arguments = {const_cast<char*>(name.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // Started by nohup, or in a shell's background, the tests may ignore some.
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT}) std::signal(number, SIG_DFL);
  alarm(static_cast<unsigned>(options.time_limit_s));
  options.prepare();
  execv(program.c_str(), arguments.data());
  _exit(127);
}

pid_t start(const std::vector<std::string>& words, const ProgramOptions& options,
            const Descriptors& descriptors) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_program(words, options, descriptors);
  for (const int fd : {descriptors.in, descriptors.out, descriptors.err}) close(fd);
  return child;
}

ProgramResult wait_for(pid_t child) {
  int status = 0;
  rusage usage = {};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("wait4 failed");
  ProgramResult result;
  result.signalled = WIFSIGNALED(status);
  result.code = result.signalled ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  return result;
}

bool has_ended(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int open_output(const std::string& path) { return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }

void append_sample(std::string& out, int value, const VideoShape& shape) {
  out += static_cast<char>(value & 0xFF);
  if (shape.bit_depth > 8) out += static_cast<char>(value >> 8);
}

// Slow bands that run across the picture, one step of the 8-bit scale apart.
int luma_of(const VideoShape& shape, int x, int y, int index) {
  const int level = 60 + (x + 3 * y / 2 + shape.phase + index) / 24 % 100;
  return level << (shape.bit_depth - 8);
}

size_t chroma_samples(const VideoShape& shape) {
  const size_t width = static_cast<size_t>(shape.width), height = static_cast<size_t>(shape.height);
  if (shape.chroma == "400") return 0;
  if (shape.chroma == "444") return 2 * width * height;
  return 2 * ((width + 1) / 2) * (shape.chroma == "422" ? height : (height + 1) / 2);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words, const ProgramOptions& options) {
  const TemporaryFolder folder;
  const std::string input = options.input.empty() ? "/dev/null" : folder.path() + "/in";
  if (!options.input.empty()) write_file(input, options.input);
  const double begin = seconds_now();
  ProgramResult result =
      wait_for(start(words, options,
                     {open(input.c_str(), O_RDONLY | O_CLOEXEC), open_output(folder.path() + "/out"),
                      open_output(folder.path() + "/err")}));
  result.seconds = seconds_now() - begin;
  result.out = read_file(folder.path() + "/out");
  result.err = read_file(folder.path() + "/err");
  return result;
}

ProgramResult run_well(const Words& words, const ProgramOptions& options, const char* file, int line) {
  const ::testing::ScopedTrace trace(file, line, ::testing::PrintToString(words));
  ProgramResult result = run_program(words, options);
  EXPECT_EQ(result.code, 0) << result.err;
  return result;
}

RunningProgram::RunningProgram(const std::vector<std::string>& words, const ProgramOptions& options) {
  int in[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  input_ = in[1];
  error_ = err[0];
  since_ = seconds_now();
  std::signal(SIGPIPE, SIG_IGN);  // write_input() says it
  id_ = start(words, options, {in[0], open_output(folder_.path() + "/out"), err[1]});
}

RunningProgram::~RunningProgram() {
  close_input();
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(error_);
}

void RunningProgram::write_input(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(input_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::runtime_error("the program reads no more");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void RunningProgram::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

bool RunningProgram::wait_for_error(const std::string& text) {
  char buffer[4096];
  while (error_text_.find(text) == std::string::npos) {
    const ssize_t count = read(error_, buffer, sizeof buffer);
    if (count <= 0) return false;
    error_text_.append(buffer, static_cast<size_t>(count));
  }
  return true;
}

void RunningProgram::send(int signal) {
  since_ = seconds_now();
  kill(id_, signal);
}

// Whether a mask of signals that the system keeps of the program has the signal.
bool RunningProgram::in_mask(const std::string& mask, int signal) const {
  std::istringstream status(read_file("/proc/" + std::to_string(id_) + "/status"));
  for (std::string key, value; status >> key && std::getline(status, value);) {
    if (key == mask + ":") return (std::stoull(value, nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

void RunningProgram::wait_until_caught(int signal) const {
  while (!in_mask("SigCgt", signal)) {
    if (has_ended(id_)) throw std::runtime_error("the program ended before it caught the signal");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ProgramResult RunningProgram::wait() {
  ProgramResult result = wait_for(std::exchange(id_, -1));
  result.seconds = seconds_now() - since_;
  wait_for_error(std::string(1, '\0'));  // to the end
  result.err = error_text_;
  result.out = read_file(folder_.path() + "/out");
  return result;
}

Terminal::Terminal(unsigned short columns) : keys_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  const winsize size{24, columns, 0, 0};
  if (keys_ < 0 || grantpt(keys_) != 0 || unlockpt(keys_) != 0 || ioctl(keys_, TIOCSWINSZ, &size) != 0)
    throw std::runtime_error("no terminal");
  // Reading goes on until this is closed too.
  held_ = open(ptsname(keys_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  reader_ = std::thread([this] {
    char buffer[4096];
    for (ssize_t count; (count = read(keys_, buffer, sizeof buffer)) > 0;)
      text_.append(buffer, static_cast<size_t>(count));
  });
}

int Terminal::open_screen() const { return open(ptsname(keys_), O_RDWR); }

void Terminal::type(char key) const {
  if (write(keys_, &key, 1) != 1) throw std::runtime_error("cannot type");
}

const std::string& Terminal::shown() {
  if (reader_.joinable()) {
    close(held_);
    reader_.join();
    close(keys_);
  }
  return text_;
}

json read_json(const std::string& path) { return json::parse(read_file(path)); }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string frame_bytes(const VideoShape& shape, int index) {
  std::string out;
  out.reserve(frame_size(shape));
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) append_sample(out, luma_of(shape, x, y, index), shape);
  }
  for (size_t i = 0; i < chroma_samples(shape); ++i) append_sample(out, 128 << (shape.bit_depth - 8), shape);
  return out;
}

size_t frame_size(const VideoShape& shape) {
  const size_t luma = static_cast<size_t>(shape.width) * static_cast<size_t>(shape.height);
  return (luma + chroma_samples(shape)) * (shape.bit_depth > 8 ? 2 : 1);
}

std::string raw_video(const VideoShape& shape) {
  std::string out;
  for (int i = 0; i < shape.frames; ++i) out += frame_bytes(shape, i);
  return out;
}

std::string y4m_header(const VideoShape& shape) {
  const bool mono = shape.chroma == "400";
  const std::string depth = shape.bit_depth == 8 ? "" : (mono ? "" : "p") + std::to_string(shape.bit_depth);
  return "YUV4MPEG2 W" + std::to_string(shape.width) + " H" + std::to_string(shape.height) +
         " F24:1 Ip A1:1 C" + (mono ? "mono" : shape.chroma) + depth + "\n";
}

std::string y4m_video(const VideoShape& shape) {
  std::string out = y4m_header(shape);
  for (int i = 0; i < shape.frames; ++i) out.append("FRAME\n").append(frame_bytes(shape, i));
  return out;
}

}  // namespace vq::cli::test
