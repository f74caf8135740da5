// Fuzz targets: functions that take any bytes and abort where a promise of the program is broken. libFuzzer
// runs them on bytes it makes up, and the tests on those that are kept in testdata/fuzz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vq::fuzz {

struct Target {
  std::string_view name;  // also of its folder in testdata/fuzz
  void (*run)(std::span<const uint8_t> bytes);
};
// Those that this program was linked with.
std::span<const Target> targets();
// Those of features, which need no FFmpeg.
std::span<const Target> feature_targets();

// Words of a command line, one a line, or the text of a feature.
void run_arguments(std::span<const uint8_t> bytes);
// A video over I/O in memory. The first byte says how it is opened.
void run_video(std::span<const uint8_t> bytes);
// A picture, its size and options; every implementation must agree.
void run_cambi(std::span<const uint8_t> bytes);
// Some frames of a video and its reference, their formats, and options of a feature that compares the two;
// the instruction set that the input chooses must agree with the scalar stages.
void run_pair(std::string_view feature, std::span<const uint8_t> bytes);
// Calls of the C library.
void run_c_api(std::span<const uint8_t> bytes);
// Calls of the library that takes libvmaf's place.
void run_libvmaf(std::span<const uint8_t> bytes);
// The text of a model file, and of --model.
void run_models(std::span<const uint8_t> bytes);
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

// Aborts unless the text can stand in a one-line message.
void check_message(std::string_view text);

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

}  // namespace vq::fuzz
