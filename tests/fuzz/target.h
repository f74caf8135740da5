// Fuzz targets: functions that take any bytes and abort where a promise of the program is broken. libFuzzer
// runs them on bytes it makes up, and the tests on those that are kept in testdata/fuzz.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <initializer_list>

#include "core/error.h"
#include "feature/feature.h"

namespace vq::fuzz {

struct Target {
  std::string_view name;  // also of its folder in testdata/fuzz
  std::function<void(std::span<const uint8_t> bytes)> run;
};
// Targets of features need no FFmpeg; not every build has those of the program. Each source adds its own
// before main().
std::vector<Target>& targets();
bool add_targets(std::span<const Target> added);

// Calls of the C library.
void run_c_api(std::span<const uint8_t> bytes);
// Calls of the library that takes libvmaf's place.
void run_libvmaf(std::span<const uint8_t> bytes);
// A plan without its id, and the facts of a shard, a NUL byte and the numbers of its frames.
void run_plan(std::span<const uint8_t> bytes);
void run_shard(std::span<const uint8_t> bytes);
// A report that is written in every format and parsed back.
void run_report(std::span<const uint8_t> bytes);
// The text of a report as `diff` reads it.
void run_report_text(std::span<const uint8_t> bytes);

// Prints the reason and aborts.
[[noreturn]] void broken_promise(const std::string& what);
inline void require(bool holds, const char* what) {
  if (!holds) broken_promise(what);
}

// A file in memory, for those who read files alone, by their path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(::write(file_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
            "memory can be a file");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile& operator=(MemoryFile&&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  const int file_;
};

// Aborts unless the text can stand in a one-line message.
void check_message(std::string_view text);

// Runs what may throw errors of these kinds, which have messages; another kind breaks the promise `what`.
void run_refusable(std::initializer_list<ErrorKind> kinds, const char* what,
                   const std::function<void()>& run);

// Takes numbers from the front of the bytes; zeros once they are used up.
class ByteTaker {
 public:
  explicit ByteTaker(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::span<const uint8_t> rest() const { return bytes_; }
  uint8_t byte();
  uint64_t word(int size_bytes);
  // Needs: min <= max.
  int integer(int min, int max);
  // At most 255 bytes.
  std::string text();
  // Any double, the special ones and those of common size more often.
  double real();

 private:
  std::span<const uint8_t> bytes_;
};

// A text of a list, null, or one of the input's own, which lies in `own`.
template <size_t n>
const char* one_of(ByteTaker& taker, const char* const (&texts)[n], std::string& own) {
  const int which = taker.integer(0, static_cast<int>(n) + 1);
  if (which < static_cast<int>(n)) return texts[which];
  if (which == static_cast<int>(n)) return nullptr;
  own = taker.text();
  return own.c_str();
}

// Options of a feature in range, each set in one input of two; numbers are at most what `most_of` says. Half
// of the real ones are round, as some options take few others.
OptionSet take_options(ByteTaker& taker, std::span<const OptionSpec> specs,
                       double (*most_of)(const OptionSpec&));

// Whatever kind of not a number.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

// What an extractor says of all frames: scores, heatmaps, or the error that ended it.
struct Verdict : ScoreSink {
  std::vector<double> values;
  std::vector<uint16_t> heatmap_samples;
  ErrorKind kind = ErrorKind::kInternal;  // of the error
  std::string error;

  void scored(const FrameScores& scores) override {
    const FrameValues& found = scores.results[0].values;
    values.insert(values.end(), found.begin(), found.end());
    for (const Plane<uint16_t>& map : scores.results[0].heatmaps) {
      for (int y = 0; y < map.height(); ++y)
        heatmap_samples.insert(heatmap_samples.end(), map.row(y), map.row(y) + map.width());
    }
  }
};

}  // namespace vq::fuzz
