#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>

#include "core/frame.h"
#include "core/worker_pool.h"
#include "tests/bench/bench_stages.h"
#include "tests/support/cambi_host.h"
#include "tests/support/paths.h"

extern char** environ;  // NOLINT: what posix_spawn passes on

namespace vq::cambi::bench {
namespace {

using benchmark::Counter;
using benchmark::State;

// Drops the scores.
class NoScores final : public ScoreSink {
 public:
  void scored(const FrameScores& scores) override { benchmark::DoNotOptimize(scores.results.data()); }
};

// Runs a program to its end, silently. Its exit code, or -1; `cpu_seconds` grows by what it took.
int run_quietly(std::vector<std::string> arguments, double& cpu_seconds) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return -1;
  }
  for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
    cpu_seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The same samples in other memory, as decoders hand out a repeated picture; the luma alone.
Frame copy_of(const Frame& frame, std::vector<uint8_t>& memory) {
  Frame copy = frame;
  const auto copy_plane = [&](auto view, auto& to) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(view.data)>>;
    memory.resize(static_cast<size_t>(view.width) * static_cast<size_t>(view.height) * sizeof(T));
    T* const samples = reinterpret_cast<T*>(memory.data());
    for (int y = 0; y < view.height; ++y) std::copy_n(view.row(y), view.width, samples + view.width * y);
    to = {samples, view.width, view.height, view.width};
  };
  if (frame.luma().is_u8()) {
    copy_plane(frame.luma().u8, copy.luma().u8);
  } else {
    copy_plane(frame.luma().u16, copy.luma().u16);
  }
  return copy;
}

// Of both pictures, all of them.
void count_bytes_compared(State& state, const Video& video) {
  state.counters["GB/s"] = Counter(static_cast<double>(2 * video.pixels() * video.sample_bytes()) * 1e-9,
                                   Counter::kIsIterationInvariantRate);
}

}  // namespace

void run_extractor(State& state, const Video& video, int threads) {
  constexpr int kFramesEach = 32;  // for every thread, so that filling and draining the pool count little
  WorkerPool pool(threads);
  NoScores sink;
  const auto extractor = test::make_on_host({}, video.formats, {.pool = &pool});
  int64_t index = 0;
  const auto push = [&] {
    Frame frame = video.frames[static_cast<size_t>(index) % video.frames.size()];
    frame.index = index;
    extractor->push({frame, std::nullopt, index}, sink);
    ++index;
  };
  for (int i = 0; i < 4 * threads; ++i) push();  // every thread's pooling learns the frames
  for (auto _ : state) {
    for (int i = 0; i < kFramesEach * threads; ++i) push();
    extractor->finish(sink);
  }
  const double frames = static_cast<double>(kFramesEach * threads);
  state.counters["ms/frame"] = Counter(frames * 1e-3, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void run_repeated_frame(State& state, const Video& video) {
  std::vector<uint8_t> memory;
  RepeatFinder finder;
  Frame original = video.frames[0], repeated = copy_of(original, memory);
  finder.mark(original);
  for (auto _ : state) {
    finder.mark(repeated);
    if (repeated.repeated_planes == 0) state.SkipWithError("the repetition was not found");
  }
  count_bytes_compared(state, video);
}

void run_changed_last_sample(State& state, const Video& video) {
  std::vector<uint8_t> memory;
  RepeatFinder finder;
  Frame frames[] = {video.frames[0], copy_of(video.frames[0], memory)};
  memory.back() ^= 1;
  bool second = false;
  for (auto _ : state) {
    Frame& frame = frames[second];
    finder.mark(frame);
    second = !second;
    if (frame.repeated_planes != 0) state.SkipWithError("the change was not found");
  }
  count_bytes_compared(state, video);
}

void run_next_frame(State& state, const Video& video) {
  RepeatFinder finder;
  std::vector<Frame> frames = video.frames;
  size_t next = 0;
  for (auto _ : state) {
    finder.mark(frames[next]);
    next = (next + 1) % frames.size();
  }
}

void run_program(State& state, const Video& video, int threads) {
  double cpu_seconds = 0;
  for (auto _ : state) {
    const int code = run_quietly({cambi_program(), video.path, "--threads", std::to_string(threads),
                                  "--backend", "cpu", "--quiet", "--json", "--output", "-"},
                                 cpu_seconds);
    if (code != 0) {
      state.SkipWithError("cambi failed");
      break;
    }
  }
  state.counters["cpu_ms"] = Counter(1e3 * cpu_seconds, Counter::kAvgIterations);
}

}  // namespace vq::cambi::bench
