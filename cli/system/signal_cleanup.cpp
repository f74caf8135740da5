#include "cli/system/signal_cleanup.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "core/error.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxNames = 256;
constexpr size_t kMaxPath = 4096;  // as the system has it; a file with a longer one cannot be made
constexpr size_t kMaxDigits = 12;  // a slash, and any number of a file
constexpr int kPatience = 2000;    // milliseconds

enum State { kFree, kTaken, kNoted };

struct Note {
  std::atomic<State> state = kFree;
  std::atomic<int> file_count = 0;
  char path[kMaxPath + kMaxDigits];
};

// A signal handler can reach nothing but what is global.
Note notes[kMaxNames];
std::atomic<int> open_sections = 0;
std::atomic<bool> is_ending = false;
static_assert(std::atomic<State>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void append_number(char* text, int number) {
  char digits[kMaxDigits];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *text++ = digits[--count];
  *text = '\0';
}

void wait_for_sections() {
  for (int waited = 0; open_sections > 0 && waited < kPatience; ++waited) {
    const timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, nullptr);
  }
}

void remove_noted(Note& note) {
  const size_t length = std::strlen(note.path);
  for (int i = note.file_count - 1; i >= 0; --i) {
    note.path[length] = '/';
    append_number(note.path + length + 1, i);
    unlink(note.path);
    note.path[length] = '\0';
  }
  if (unlink(note.path) != 0) rmdir(note.path);
}

}  // namespace

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kStopSignals) sigaddset(&signals, signal);
  return signals;
}

UninterruptedSection::UninterruptedSection() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  ++open_sections;
  if (!is_ending) return;
  --open_sections;
  for (;;) pause();
}

UninterruptedSection::~UninterruptedSection() {
  --open_sections;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

SignalCleanup::SignalCleanup(const std::string& path) {
  if (path.size() >= kMaxPath) return;
  for (size_t i = 0; i < kMaxNames; ++i) {
    State expected = kFree;
    if (!notes[i].state.compare_exchange_strong(expected, kTaken)) continue;
    path.copy(notes[i].path, path.size());
    notes[i].path[path.size()] = '\0';
    notes[i].file_count = 0;
    notes[i].state = kNoted;
    slot_ = i;
    return;
  }
  throw Error(ErrorKind::kResource,
              "more than " + std::to_string(kMaxNames) + " files would be written at the same time");
}

SignalCleanup::~SignalCleanup() {
  if (slot_ != kNone) notes[slot_].state = kFree;
}

SignalCleanup::SignalCleanup(SignalCleanup&& other) noexcept : slot_(std::exchange(other.slot_, kNone)) {}

SignalCleanup& SignalCleanup::operator=(SignalCleanup&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

void SignalCleanup::set_file_count(int count) noexcept {
  if (slot_ != kNone) notes[slot_].file_count = count;
}

void remove_noted_files() noexcept {
  // A handler in another thread was first, and ends the process.
  if (is_ending.exchange(true)) {
    for (;;) pause();
  }
  wait_for_sections();
  // Twice, for a folder may be noted before what is in it.
  for (int pass = 0; pass < 2; ++pass) {
    for (Note& note : notes) {
      if (note.state == kNoted) remove_noted(note);
    }
  }
}

}  // namespace vq::cli
