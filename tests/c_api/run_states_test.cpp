// Every call of a run in every state: undisturbed, where memory is refused at each of its allocations, and
// where threads are refused.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iostream>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/c_api/run_under_test.h"
#include "tests/support/paths.h"
#include "tests/support/refusals.h"

namespace vq::test {
namespace {

enum State { kEmpty, kReady, kBegun, kFailed, kCancelled, kStopped, kFinished, kRead, kStates };
constexpr const char* kStateNames[] = {"empty",     "ready",   "begun",    "failed",
                                       "cancelled", "stopped", "finished", "read"};
constexpr PictureShape kSmall = {.width = 64, .height = 48};
constexpr size_t kMostFrames = 100;
constexpr int64_t kFarFrame = 1000;

// What a run without faults finds.
struct Expected {
  std::vector<TestPicture> distorted, reference;
  std::vector<double> scores;
  std::vector<std::string> texts;
  std::string report;  // of the first three frames
};

void set_up(CambiRun* run) {
  for (const char* const feature : {"psnr=enable_apsnr=true", "histogram", "fingerprint"})
    EXPECT_EQ(cambi_run_add_feature(run, feature), CAMBI_OK) << cambi_error();
}

const CambiRunOptions kRunOptions = {.size = sizeof(CambiRunOptions), .histograms = 1, .skip_unchanged = 1};

const Expected& expected() {
  static const Expected all = [] {
    Expected made;
    for (int i = 0; i < static_cast<int>(kMostFrames); ++i) {
      made.distorted.emplace_back(kSmall, i, 3);
      made.reference.emplace_back(kSmall, i, 1);
    }
    for (const size_t frames : {size_t{3}, kMostFrames}) {
      RunUnderTest run(kRunOptions);
      set_up(run);
      for (size_t i = 0; i < frames; ++i) {
        const CambiPicture one = made.distorted[i].picture(), other = made.reference[i].picture();
        EXPECT_EQ(cambi_run_push(run, &one, &other), CAMBI_OK) << cambi_error();
      }
      run.finish();
      if (made.report.empty()) made.report = run.report(CAMBI_JSON_EXTENDED);
      made.scores = run.scores("psnr_y");
      made.texts.clear();
      for (size_t i = 0; i < frames; ++i) {
        const char* text = nullptr;
        EXPECT_EQ(cambi_run_text(run, "fingerprint", static_cast<int64_t>(i), &text), CAMBI_OK);
        made.texts.emplace_back(text);
      }
    }
    return made;
  }();
  return all;
}

// A run in a state, made without faults. It allocates nothing itself.
class Subject {
 public:
  Subject(State state, int threads) : is_read_(state == kRead) {
    if (is_read_) {
      const std::string& report = expected().report;
      EXPECT_EQ(cambi_run_read(report.data(), report.size(), &run_), CAMBI_OK) << cambi_error();
      return;
    }
    const CambiOptions options = {.size = sizeof options, .threads = threads, .backend = "cpu"};
    EXPECT_EQ(cambi_open(&options, &context_), CAMBI_OK) << cambi_error();
    EXPECT_EQ(cambi_run_open(context_, &kRunOptions, &run_), CAMBI_OK) << cambi_error();
    if (state == kEmpty) return;
    set_up(run_);
    if (state == kReady) return;
    while (pushed() < 3 || rows() == 0) EXPECT_EQ(push(), CAMBI_OK) << cambi_error();
    if (state == kFailed) fail();
    if (state == kCancelled || state == kStopped) cambi_run_cancel(run_);
    if (state == kStopped) push();
    if (state == kFinished) cambi_run_finish(run_);
  }
  ~Subject() {
    cambi_run_close(run_);
    close_context();
    EXPECT_EQ(held(), 0);
  }
  Subject& operator=(Subject&&) = delete;

  operator CambiRun*() const { return run_; }
  // Which of the expected pairs a row is of: the last one is pushed as often as it takes to fail.
  static size_t frame_of(int64_t row) { return std::min(static_cast<size_t>(row), kMostFrames - 1); }
  void close_context() { cambi_close(std::exchange(context_, nullptr)); }
  // The pair that is next.
  CambiStatus push(int bit_depth = 8) {
    const size_t frame = frame_of(pushed());
    CambiPicture one = lent(expected().distorted[frame]), other = lent(expected().reference[frame]);
    one.bit_depth = bit_depth;
    return cambi_run_push(run_, &one, &other);
  }
  int64_t pushed() const {
    int64_t pushed = 0;
    EXPECT_EQ(cambi_run_progress(run_, &pushed, nullptr), CAMBI_OK);
    return pushed;
  }
  int64_t rows() const {
    int64_t rows = 0;
    EXPECT_EQ(cambi_run_progress(run_, nullptr, &rows), CAMBI_OK);
    return rows;
  }
  // Reports have six digits behind the point.
  bool is_read() const { return is_read_; }
  // Number of pictures that the library has not released.
  int held() const { return held_; }

 private:
  CambiPicture lent(const TestPicture& from) {
    CambiPicture picture = from.picture();
    picture.release = [](void* user) { --*static_cast<std::atomic<int>*>(user); };
    picture.release_user = &held_;
    ++held_;
    return picture;
  }
  // Refuses memory amid a push.
  void fail() {
    allow_memory();
    EXPECT_EQ(push(), CAMBI_OK);
    const long half = allow_memory() / 2;
    for (CambiStatus status = CAMBI_OK; status == CAMBI_OK;) {
      refuse_memory(half);
      status = push();
      allow_memory();
      ASSERT_TRUE(status == CAMBI_OK || status == CAMBI_ENOMEM) << status;
    }
  }

  const bool is_read_;
  CambiContext* context_ = nullptr;
  CambiRun* run_ = nullptr;
  std::atomic<int> held_ = 0;
};

using Codes = std::array<CambiStatus, kStates>;
struct Call {
  const char* name;
  CambiStatus (*make)(Subject& run);
  Codes expected;  // undisturbed
};

constexpr CambiStatus kOk = CAMBI_OK, kUsage = CAMBI_EUSAGE, kStop = CAMBI_ESTOPPED, kNone = CAMBI_ENOTFOUND,
                      kFormat = CAMBI_EFORMAT, kPending = CAMBI_PENDING;
constexpr Codes kAlways = {kOk, kOk, kOk, kOk, kOk, kOk, kOk, kOk};
constexpr Codes kOfNothing = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
constexpr Codes kOfRows = {kNone, kNone, kOk, kOk, kOk, kOk, kOk, kOk};
constexpr Codes kOfBegun = {kUsage, kUsage, kOk, kOk, kOk, kOk, kOk, kOk};
constexpr Codes kBeforeTheFirst = {kOk, kOk, kUsage, kUsage, kStop, kStop, kUsage, kUsage};

// What it writes is built of JSON values, which are not destroyed without memory.
constexpr const char* kExtended = "write, extended";

int take(void*, const char*, size_t) { return 0; }

// For what calls find, which is not looked at.
struct Found {
  int64_t frame;
  double value;
  const char* text;
  const uint32_t* bins;
  size_t count;
  int crossed;
  CambiLogLevel level;
  CambiMetric metric = {.size = sizeof metric};
  CambiPairFault fault = {.size = sizeof fault};
  CambiBackend backend = {.size = sizeof backend};
} unread;

// What reads a run.
const Call kReading[] = {
    {"progress", [](Subject& run) { return cambi_run_progress(run, nullptr, nullptr); }, kAlways},
    {"frames", [](Subject& run) { return cambi_run_frames(run, 0, 1, &unread.frame); }, kOfRows},
    {"metric", [](Subject& run) { return cambi_run_metric(run, 0, &unread.metric); }, kOfRows},
    {"metric behind the last", [](Subject& run) { return cambi_run_metric(run, 99, &unread.metric); },
     kOfNothing},
    {"score", [](Subject& run) { return cambi_run_score(run, "psnr_y", 0, &unread.value); }, kOfRows},
    {"score behind the end",
     [](Subject& run) { return cambi_run_score(run, "psnr_y", kFarFrame, &unread.value); },
     {kNone, kNone, kPending, kNone, kStop, kStop, kNone, kNone}},
    {"scores", [](Subject& run) { return cambi_run_scores(run, "psnr_y", 0, 1, &unread.value); }, kOfRows},
    {"statistic", [](Subject& run) { return cambi_run_statistic(run, "psnr_y", "p5", 0, -1, &unread.value); },
     kOfRows},
    {"text", [](Subject& run) { return cambi_run_text(run, "fingerprint", 0, &unread.text); }, kOfRows},
    {"histogram",
     [](Subject& run) { return cambi_run_histogram(run, "y", 0, &unread.bins, &unread.count); },
     {kUsage, kUsage, kOk, kOk, kOk, kOk, kOk, kUsage}},
    {"aggregate",
     [](Subject& run) { return cambi_run_aggregate(run, "apsnr_y", &unread.value); },
     {kNone, kNone, kNone, kNone, kNone, kNone, kOk, kOk}},
    {"threshold",
     [](Subject& run) { return cambi_run_threshold(run, "psnr_y:p5<99", &unread.crossed, nullptr); },
     kOfRows},
    {"remark behind the last",
     [](Subject& run) { return cambi_run_remark(run, 99, &unread.level, &unread.text); }, kOfNothing},
    {"fault behind the last", [](Subject& run) { return cambi_run_pair_fault(run, 99, &unread.fault); },
     kOfNothing},
    {"backend", [](Subject& run) { return cambi_run_backend(run, &unread.backend); }, kOfBegun},
    {"write",
     [](Subject& run) {
       CambiStatus status = CAMBI_OK;
       for (const CambiFormat format : {CAMBI_XML, CAMBI_JSON, CAMBI_CSV, CAMBI_SUB})
         status = std::min(status, cambi_run_write(run, format, take, nullptr));
       return status;
     },
     kOfBegun},
    {kExtended, [](Subject& run) { return cambi_run_write(run, CAMBI_JSON_EXTENDED, take, nullptr); },
     kOfBegun},
};

// What changes it.
const Call kChanging[] = {
    {"add_feature", [](Subject& run) { return cambi_run_add_feature(run, "ciede"); }, kBeforeTheFirst},
    {"add_model", [](Subject& run) { return cambi_run_add_model(run, "version=vmaf_v0.6.1"); },
     kBeforeTheFirst},
    {"push",
     [](Subject& run) { return run.push(); },
     {kUsage, kOk, kOk, kUsage, kStop, kStop, kUsage, kUsage}},
    {"push of 7 bits",
     [](Subject& run) { return run.push(7); },
     {kFormat, kFormat, kFormat, kUsage, kStop, kStop, kUsage, kUsage}},
    {"finish",
     [](Subject& run) { return cambi_run_finish(run); },
     {kUsage, kUsage, kOk, kOk, kStop, kStop, kUsage, kUsage}},
    {"cancel", [](Subject& run) { return cambi_run_cancel(run); }, kAlways},
    {"close the context", [](Subject& run) { return run.close_context(), CAMBI_OK; }, kAlways},
};

// Every score that can be read is that of its frame, and no reading call fails for another reason than that
// there is nothing.
void check_reading(Subject& run) {
  for (const Call& call : kReading) {
    const CambiStatus status = call.make(run);
    EXPECT_TRUE(status == kOk || status == kPending || status == kUsage || status == kStop || status == kNone)
        << call.name << " returned " << status << ": " << cambi_error();
  }
  double score = 0;
  if (cambi_run_scores(run, "psnr_y", 0, 0, &score) == kNone) return;  // it has other features
  for (int64_t row = 0; row < run.rows(); ++row) {
    const char* text = nullptr;
    const size_t frame = Subject::frame_of(row);
    EXPECT_EQ(cambi_run_score(run, "psnr_y", row, &score), CAMBI_OK);
    EXPECT_NEAR(score, expected().scores[frame], run.is_read() ? 5e-7 : 0) << row;
    EXPECT_EQ(cambi_run_text(run, "fingerprint", row, &text), CAMBI_OK);
    EXPECT_STREQ(text, expected().texts[frame].c_str()) << row;
  }
}

struct Disturbance {
  bool is_cancelled = false;
  bool may_be_told_later = false;  // by the next call, of frames that were in flight
};

// After the call there is memory again: the run goes on, or says why not, and its end gives all back, to as
// many threads as there were before the run.
void check_afterwards(Subject& run, const Disturbance& disturbance, size_t threads) {
  check_reading(run);
  run.close_context();
  const CambiStatus pushed = run.push();
  const CambiStatus finished = cambi_run_finish(run);
  check_reading(run);
  if (disturbance.is_cancelled) {
    EXPECT_EQ(pushed, CAMBI_ESTOPPED);
    EXPECT_EQ(finished, CAMBI_ESTOPPED);
  }
  for (const CambiStatus status : {pushed, finished}) {
    const bool is_told = disturbance.may_be_told_later && status == CAMBI_ENOMEM;
    EXPECT_TRUE(status == kOk || status == kUsage || status == kStop || is_told)
        << pushed << " and " << finished << ": " << cambi_error();
  }
  double score = 0;
  EXPECT_NE(cambi_run_score(run, "psnr_y", kFarFrame, &score), CAMBI_PENDING);
  EXPECT_EQ(run.held(), 0);
  // The system counts a thread for a moment after it was joined.
  while (pushed != kUsage && threads_of_this_process() > threads) std::this_thread::yield();
  if (pushed == kOk && finished == kOk) {
    EXPECT_EQ(run.rows(), run.pushed());
  }
}

// Makes the call with these allocations refused. Returns how many there were.
long walk(const Call& call, State state, int threads, long first, long end) {
  const size_t threads_before = threads_of_this_process();
  const long blocks = blocks_in_use();
  long count = 0;
  {
    Subject run(state, threads);
    refuse_memory(first, end);
    const CambiStatus status = call.make(run);
    count = allow_memory();
    // With threads, frames in flight lack memory as well.
    const bool may_be_told_later = threads > 1 && (first < count || state == kFailed);
    if (status != CAMBI_ENOMEM || (first >= count && !may_be_told_later)) {
      EXPECT_EQ(status, call.expected[state]) << cambi_error();
    }
    const bool is_cancelled =
        state == kCancelled || state == kStopped || std::string_view(call.name) == "cancel";
    check_afterwards(run, {is_cancelled, may_be_told_later}, threads_before);
  }
  EXPECT_EQ(blocks_in_use(), blocks);
  return count;
}

void for_each_cell(const std::function<void(const Call&, State)>& look) {
  for (int state = 0; state < kStates; ++state) {
#ifdef _WIN32
    if (state == kFailed) continue;  // a DLL has an operator new of its own, which refuses nothing
#endif
    for (const std::span<const Call> calls :
         {std::span<const Call>(kReading), std::span<const Call>(kChanging)}) {
      for (const Call& call : calls) {
        SCOPED_TRACE(std::string(call.name) + ", " + kStateNames[state]);
        look(call, static_cast<State>(state));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// Where a call has more allocations, every second or so fails. Sanitizers take ten times as long.
constexpr long kMostPlaces = kSanitized ? 60 : 200;

class CApiRunStates : public testing::TestWithParam<int> {
 protected:
  CApiRunStates() {
    for_each_cell([](const Call& call, State state) {
      Subject run(state, GetParam());  // what is made once is there
      (void)call.make(run);
    });
  }
};

TEST_P(CApiRunStates, EveryCallInEveryState) {
  for_each_cell([](const Call& call, State state) { walk(call, state, GetParam(), kNever, kNever); });
}

TEST_P(CApiRunStates, EveryCallWithoutMemory) {
  long cells = 0;
  for_each_cell([&](const Call& call, State state) {
    if (call.name == kExtended) return;
    const long count = walk(call, state, GetParam(), kNever, kNever);
    for (long at = 0; at < count && !HasFailure(); at += 1 + count / kMostPlaces) {
      SCOPED_TRACE("allocation " + std::to_string(at));
      for (const long end : {at + 1, kNever}) walk(call, state, GetParam(), at, end);
      cells += 2;
    }
  });
  std::cout << cells << " cells\n";
}

TEST(CApiRunWithoutMemory, IsNotOpened) {
  (void)expected();
  CambiContext* context = nullptr;
  const CambiOptions options = {.size = sizeof options, .threads = 4, .backend = "cpu"};
  ASSERT_EQ(cambi_open(&options, &context), CAMBI_OK);
  const auto walk_through = [](const char* name, const auto& open, const auto& close) {
    SCOPED_TRACE(name);
    allow_memory();
    close(open());
    const long count = allow_memory();
    for (long at = 0; at < count && !HasFailure(); ++at) {
      for (const long end : {at + 1, kNever}) {
        const long blocks = blocks_in_use();
        refuse_memory(at, end);
        auto* opened = open();
        allow_memory();
        close(opened);
        EXPECT_EQ(blocks_in_use(), blocks) << at;
      }
    }
  };
  const auto checked = [](auto* opened, CambiStatus status) {
    EXPECT_EQ(status, opened != nullptr ? CAMBI_OK : CAMBI_ENOMEM) << cambi_error();
    return opened;
  };
  const auto open_context = [&] {
    CambiContext* opened = nullptr;
    const CambiStatus status = cambi_open(&options, &opened);
    return checked(opened, status);
  };
  const auto open_run = [&] {
    CambiRun* opened = nullptr;
    const CambiStatus status = cambi_run_open(context, &kRunOptions, &opened);
    return checked(opened, status);
  };
  const auto read_run = [&] {
    CambiRun* opened = nullptr;
    const CambiStatus status = cambi_run_read(expected().report.data(), expected().report.size(), &opened);
    return checked(opened, status);
  };
  walk_through("cambi_open", open_context, cambi_close);
  walk_through("cambi_run_open", open_run, cambi_run_close);
  walk_through("cambi_run_read", read_run, cambi_run_close);
  cambi_close(context);
}

#ifdef __GLIBC__
TEST(CApiRunWithoutThreads, EveryCallInEveryState) {
  EXPECT_THROW(([] {
                 const RefusedThreads refused;
                 std::thread([] {}).join();
               })(),
               std::system_error);
  for_each_cell([](const Call& call, State state) {
    Subject run(state, 4);
    const RefusedThreads refused;
    const CambiStatus status = call.make(run);
    if (state != kFailed || status != CAMBI_ENOMEM) {  // of a frame that was in flight
      EXPECT_EQ(status, call.expected[state]) << cambi_error();
    }
    check_reading(run);
  });
}
#endif

INSTANTIATE_TEST_SUITE_P(Threads, CApiRunStates, testing::Values(1, 4));

}  // namespace
}  // namespace vq::test
