// Every call of an evaluation in every state: undisturbed, where memory is refused at each of its
// allocations, where the device is lost, and where an observer ends it. Evaluations that are made without
// memory or without threads are in tests/c_api/run_states_test.cpp.
#include <iostream>
#include <new>

#include "core/error.h"
#include "core/worker_pool.h"
#include "engine/evaluator.h"
#include "engine/known_metrics.h"
#include "engine/settle.h"
#include "feature/extractor.h"
#include "tests/support/refusals.h"
#include "tests/support/test.h"

namespace vq {
namespace {

using test::allow_memory;
using test::kNever;
using test::refuse_memory;

constexpr int kWidth = 64, kHeight = 48, kMostFrames = 12;

enum State { kFresh, kBegun, kStarved, kLost, kEnded, kFinished, kStates };
constexpr const char* kStateNames[] = {"fresh", "begun", "starved", "lost", "ended", "finished"};
enum class Outcome { kDone, kNoMemory, kLost, kEnded };

std::ostream& operator<<(std::ostream& out, Outcome outcome) {
  return out << (std::array{"done", "no memory", "lost", "ended"})[static_cast<size_t>(outcome)];
}

const Settled& settled() {
  static const Settled all = [] {
    Request request;
    for (const char* const feature : {"psnr=enable_apsnr=true", "fingerprint"})
      request.asked_features.push_back(parse_feature_spec(feature));
    request.model_specs = model::parse_model_specs("version=vmaf_v0.6.1");
    const VideoFormat format{.name = "video", .width = kWidth, .height = kHeight, .chroma = Chroma::k400};
    return settle(request, select(request), {.formats = {.distorted = format, .reference = format}});
  }();
  return all;
}

// Samples of all frames, whose owners are counted.
const std::shared_ptr<std::vector<uint8_t>>& samples() {
  static const auto all = [] {
    auto made = std::make_shared<std::vector<uint8_t>>(size_t{kWidth} * (kHeight + 2 * kMostFrames));
    for (size_t i = 0; i < made->size(); ++i)
      (*made)[i] = static_cast<uint8_t>(i * 7 % 251 / (i / kWidth % 5 + 1));
    return made;
  }();
  return all;
}

FramePair pair_of(int64_t index) {
  FramePair pair{.distorted = {}, .reference = Frame(), .index = index};
  for (Frame* const frame : {&pair.distorted, &*pair.reference}) {
    const int64_t first_row = frame == &pair.distorted ? index + 1 : index;
    frame->index = index;
    frame->timestamp = static_cast<double>(index) / 25;
    frame->planes[0].u8 = {samples()->data() + first_row * kWidth, kWidth, kHeight, kWidth};
    frame->owner = samples();
  }
  return pair;
}

// As an extractor whose device is lost.
class Losable final : public FeatureExtractor {
 public:
  Losable(std::unique_ptr<FeatureExtractor> extractor, const bool& is_lost)
      : extractor_(std::move(extractor)), is_lost_(is_lost) {}
  void push(const FramePair& frames, ScoreSink& sink) override {
    check();
    extractor_->push(frames, sink);
  }
  void finish(ScoreSink& sink) override {
    check();
    extractor_->finish(sink);
  }
  BackendReport backend_report() const override { return extractor_->backend_report(); }

 private:
  void check() const {
    if (is_lost_) throw Error(ErrorKind::kBackend, "the device is lost");
  }
  const std::unique_ptr<FeatureExtractor> extractor_;
  const bool& is_lost_;
};

// An evaluation in a state, made without faults.
class Subject final : public EvaluationObserver {
 public:
  Subject(State state, int threads) : pool_(threads) {
    RunContext context{.execution = {.pool = &pool_}};
    context.make = [&] {
      return std::make_unique<Losable>(
          make_extractor(settled().features, settled().formats, context.execution), is_lost);
    };
    evaluator_.emplace(settled().features, settled().models, settled().formats, context,
                       std::vector<EvaluationObserver*>{this});
    if (state == kFresh) return;
    while (pushed_ < 3 || (*this)->scored() == 0) push();
    if (state == kFinished) (*this)->finish();
    if (state == kLost) is_lost = true;
    if (state == kEnded) ends = true;
    while (state == kStarved || state == kLost || state == kEnded) {
      if (state == kStarved) refuse_memory(0);
      try {
        push();
      } catch (...) {
        allow_memory();
        break;
      }
    }
  }
  ~Subject() override {
    evaluator_.reset();
    EXPECT_EQ(samples().use_count(), 1);
  }
  Evaluator* operator->() { return &*evaluator_; }
  void push() {
    const FramePair pair = pair_of(pushed_++);
    (*this)->push(pair);
  }
  int64_t frames() const { return pushed_; }
  void found(const FrameScores&) override {
    if (ends) throw Error(ErrorKind::kOutput, "the disk is full");
  }

  bool is_lost = false, ends = false;

 private:
  WorkerPool pool_;
  int64_t pushed_ = 0;
  std::optional<Evaluator> evaluator_;
};

Report report_of(Subject& subject) {
  Report report;
  subject->fill(report);
  return report;
}

// What evaluations of so many frames report.
const Report& expected(int64_t frames) {
  static const std::vector<Report> all = [] {
    std::vector<Report> made(1);
    for (int64_t count = 1; count <= kMostFrames; ++count) {
      Subject subject(kFresh, 1);
      while (subject.frames() < count) subject.push();
      subject->finish();
      made.push_back(report_of(subject));
    }
    return made;
  }();
  return all.at(static_cast<size_t>(frames));
}

bool begins_with(const Report& all, const Report& part) {
  const auto count = part.frames.size();
  const auto is_begin = [&](const auto& whole, const auto& begin) {
    return begin.size() == count && whole.size() >= count &&
           std::equal(begin.begin(), begin.end(), whole.begin());
  };
  bool is_so = is_begin(all.frames, part.frames) && is_begin(all.timestamps, part.timestamps);
  for (size_t i = 0; i < part.metrics.size(); ++i)
    is_so = is_so && is_begin(all.metrics[i].values, part.metrics[i].values);
  for (size_t i = 0; i < part.texts.size(); ++i)
    is_so = is_so && is_begin(all.texts[i].values, part.texts[i].values);
  return is_so;
}

// Whole rows, which are those of a video that ends there or later.
void check_report(Subject& subject) {
  const Report report = report_of(subject);
  ASSERT_EQ(static_cast<int64_t>(report.frames.size()), subject->scored());
  ASSERT_EQ(report.metrics.size(), expected(1).metrics.size());
  if (subject->scored() == 0) return;
  EXPECT_TRUE(begins_with(expected(subject->scored()), report) || begins_with(expected(kMostFrames), report))
      << subject->scored();
}

struct Call {
  const char* name;
  void (*make)(Subject& subject);
  bool needs_extractor;  // of an evaluation that has neither failed nor finished
  bool ends = false;     // nothing can be read after it
};

const Call kCalls[] = {
    {"push", [](Subject& subject) { subject.push(); }, true},
    {"finish", [](Subject& subject) { subject->finish(); }, false},
    {"row",
     [](Subject& subject) {
       if (subject->scored() > 0) (void)subject->row(0);
     },
     false},
    {"fill", [](Subject& subject) { (void)report_of(subject); }, false},
    {"give",
     [](Subject& subject) {
       Report report;
       subject->give(report);
     },
     false, true},
    {"backend_report", [](Subject& subject) { (void)subject->backend_report(); }, false},
};

Outcome outcome_of(const Call& call, Subject& subject) {
  try {
    call.make(subject);
  } catch (const std::bad_alloc&) {
    return Outcome::kNoMemory;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kBackend ? Outcome::kLost : Outcome::kEnded;
  }
  return Outcome::kDone;
}

// There is memory again: what is complete can be read, and the end is told no more than once. What a thread
// lacked after the call returned, finish() tells.
void check_afterwards(const Call& call, State state, Outcome outcome, bool was_refused, Subject& subject) {
  if (call.ends) return;
  check_report(subject);
  const int64_t scored = subject->scored();
  bool has_failed = outcome != Outcome::kDone || subject.is_lost || subject.ends;
  try {
    subject->finish();
  } catch (const Error&) {
    EXPECT_TRUE(subject.is_lost || subject.ends);
  } catch (const std::bad_alloc&) {
    EXPECT_TRUE(was_refused);
    has_failed = true;
  }
  check_report(subject);
  EXPECT_GE(subject->scored(), scored);
  if (!has_failed && state != kStarved) {
    EXPECT_EQ(subject->scored(), subject.frames());
  }
  EXPECT_NO_THROW(subject->finish());
  check_report(subject);
}

enum class Fault { kMemory, kDevice, kObserver };

// Returns the number of allocations of the call.
long walk(const Call& call, State state, int threads, Fault fault, long first, long end) {
  const long blocks = test::blocks_in_use();
  long count = 0;
  {
    Subject subject(state, threads);
    if (fault == Fault::kDevice) subject.is_lost = true;
    if (fault == Fault::kObserver) subject.ends = true;
    refuse_memory(first, end);
    const Outcome outcome = outcome_of(call, subject);
    count = test::allocations();
    allow_memory();
    if (outcome == Outcome::kNoMemory) {
      EXPECT_LT(first, count);
    } else if (outcome != Outcome::kDone) {
      EXPECT_EQ(outcome, fault == Fault::kDevice ? Outcome::kLost : Outcome::kEnded);
      EXPECT_TRUE(fault != Fault::kMemory);
    }
    check_afterwards(call, state, outcome, first != kNever, subject);
  }
  EXPECT_EQ(test::blocks_in_use(), blocks);
  return count;
}

class EvaluatorStates : public testing::TestWithParam<int> {};

TEST_P(EvaluatorStates, EveryCallWithEveryFault) {
  long cells = 0;
  (void)expected(1);
  for (int number = 0; number < kStates; ++number) {
    const auto state = static_cast<State>(number);
    for (const Call& call : kCalls) {
      if (call.needs_extractor && state != kFresh && state != kBegun) continue;
      SCOPED_TRACE(std::string(call.name) + ", " + kStateNames[state]);
      for (const Fault fault : {Fault::kDevice, Fault::kObserver}) {
        walk(call, state, GetParam(), fault, kNever, kNever);
        ++cells;
      }
      const long count = walk(call, state, GetParam(), Fault::kMemory, kNever, kNever);
      for (long at = 0; at < count; ++at) {
        SCOPED_TRACE("allocation " + std::to_string(at));
        for (const long end : {at + 1, kNever}) {
          walk(call, state, GetParam(), Fault::kMemory, at, end);
          ++cells;
        }
        if (HasFailure()) return;
      }
      if (HasFailure()) return;
    }
  }
  std::cout << cells << " cells\n";
}

INSTANTIATE_TEST_SUITE_P(Threads, EvaluatorStates, testing::Values(1, 4));

}  // namespace
}  // namespace vq
