// The cores of a process. Frames in flight and repeated pictures: what is delivered, in which order, and what
// is not computed twice.
#include "core/worker_pool.h"

#ifdef __linux__
#include <sched.h>
#endif

#include "tests/support/row_sink.h"
#include "tests/support/test.h"

namespace vq {
namespace {

using test::numbered_pair;
using test::RowSink;

// Adds a frame and, unless it repeats, scores it as `value`. Whether it repeats.
bool add(OrderedFrames& frames, const FramePair& pair, double value) {
  FrameJob& job = frames.add(pair);
  if (job.repeats) return true;
  std::promise<void> done;
  job.done = done.get_future();
  job.results.push_back({.values = {value}});
  done.set_value();
  return false;
}

#ifdef __linux__
TEST(UsableCores, AreTheThreadsOwnAndNotTheMachines) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(usable_cores(), CPU_COUNT(&all));
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}
#endif

TEST(OrderedFrames, DeliversInOrderWhateverIsDoneFirst) {
  OrderedFrames frames({});
  std::promise<void> first, second;
  FrameJob& a = frames.add(numbered_pair(0, 0));
  a.done = first.get_future();
  FrameJob& b = frames.add(numbered_pair(1, 0));
  b.done = second.get_future();
  b.results.push_back({.values = {2}});
  second.set_value();
  EXPECT_FALSE(frames.first_is_done());
  a.results.push_back({.values = {1}});
  first.set_value();
  EXPECT_TRUE(frames.first_is_done());
  RowSink sink;
  while (frames.size() > 0) frames.deliver_first(sink);
  EXPECT_THAT(sink.rows, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
}

TEST(OrderedFrames, ARepeatedFrameTakesTheResultsOfTheOneBefore) {
  OrderedFrames frames({});
  RowSink sink;
  EXPECT_FALSE(add(frames, numbered_pair(0, kMaxPlanes), 7));  // nobody here has scored the frame before
  EXPECT_TRUE(add(frames, numbered_pair(1, kMaxPlanes), 8));
  EXPECT_TRUE(add(frames, numbered_pair(2, 1), 8));
  EXPECT_FALSE(add(frames, numbered_pair(3, 0), 9));
  while (frames.size() > 0) frames.deliver_first(sink);
  EXPECT_THAT(sink.rows,
              ElementsAre(ElementsAre(0, 7), ElementsAre(1, 7), ElementsAre(2, 7), ElementsAre(3, 9)));
  EXPECT_EQ(frames.repeated_frames(), 2);
}

TEST(OrderedFrames, RepeatsOnlyWhereAllThatIsLookedAtDoes) {
  OrderedFrames frames({.planes = 3, .reference = true});
  FramePair pair = numbered_pair(0, 3);
  pair.reference = Frame();
  EXPECT_FALSE(add(frames, pair, 1));
  EXPECT_FALSE(add(frames, pair, 1));  // the reference moves
  pair.reference->repeated_planes = 1;
  EXPECT_FALSE(add(frames, pair, 1));  // its chroma does
  pair.reference->repeated_planes = 3;
  EXPECT_TRUE(add(frames, pair, 1));
  pair.distorted.repeated_planes = 1;
  EXPECT_FALSE(add(frames, pair, 1));
}

// As where a run continues on the CPU in the middle.
TEST(OrderedFrames, TheFirstFrameRepeatsNoneWhetherReportedOrNot) {
  for (const bool is_reported : {true, false}) {
    OrderedFrames frames({});
    EXPECT_FALSE(add(frames, numbered_pair(7, kMaxPlanes, is_reported), 2));
  }
}

TEST(OrderedFrames, AReportedFrameRepeatsNoneThatIsNot) {
  OrderedFrames frames({});
  RowSink sink;
  add(frames, numbered_pair(0, 0), 1);
  EXPECT_TRUE(add(frames, numbered_pair(1, 3, false), 2));
  EXPECT_FALSE(add(frames, numbered_pair(2, 3), 3));
  while (frames.size() > 0) frames.deliver_first(sink);
  EXPECT_THAT(sink.reported, ElementsAre(true, false, true));
}

class Repeats : public ::testing::Test {
 protected:
  // A frame of 4:2:0 video whose planes are filled with these levels, each in memory of its own.
  static Frame frame_of(uint8_t y, uint8_t cb, uint8_t cr) {
    const auto planes = std::make_shared<std::array<Plane<uint8_t>, 3>>();
    Frame frame;
    for (size_t i = 0; i < 3; ++i) {
      (*planes)[i] = i == 0 ? Plane<uint8_t>(6, 4) : Plane<uint8_t>(3, 2);
      const uint8_t level = i == 0 ? y : i == 1 ? cb : cr;
      for (int row = 0; row < (*planes)[i].height(); ++row)
        std::fill_n((*planes)[i].row(row), (*planes)[i].width(), level);
      frame.planes[i].u8 = (*planes)[i].view();
    }
    frame.owner = planes;
    return frame;
  }
  int mark(Frame frame) {
    finder_.mark(frame);
    return frame.repeated_planes;
  }
  RepeatFinder finder_;
};

TEST_F(Repeats, CountsPlanesUpToTheFirstThatDiffers) {
  EXPECT_EQ(mark(frame_of(1, 2, 3)), 0);
  EXPECT_EQ(mark(frame_of(1, 2, 3)), 3);
  EXPECT_EQ(mark(frame_of(1, 2, 4)), 2);
  EXPECT_EQ(mark(frame_of(1, 3, 4)), 1);
  EXPECT_EQ(mark(frame_of(2, 3, 4)), 0);
  EXPECT_EQ(mark(frame_of(2, 3, 4)), 3);
}

TEST_F(Repeats, APictureWithoutChromaRepeatsAsAWhole) {
  Frame grey = frame_of(5, 0, 0), other = frame_of(6, 0, 0);
  for (Frame* frame : {&grey, &other}) frame->planes[1] = frame->planes[2] = {};
  mark(grey);
  EXPECT_EQ(mark(grey), kMaxPlanes);
  EXPECT_EQ(mark(other), 0);
}

TEST_F(Repeats, LooksAtEverySampleAndAtNothingElse) {
  std::vector<uint16_t> a(8 * 5, 100), b = a;
  Frame frame;
  frame.luma().u16 = {a.data(), 7, 5, 8};
  mark(frame);
  b[7] = 1;
  frame.luma().u16.data = b.data();
  EXPECT_EQ(mark(frame), kMaxPlanes);
  b[4 * 8 + 6] = 101;
  EXPECT_EQ(mark(frame), 0);
}

// The third of equal frames is the first whose neighbour is equal as well.
TEST(OrderedFrames, WhereNeighboursAreLookedAtTheyRepeatAsWell) {
  OrderedFrames frames({.before = {.references = 1}});
  std::vector<bool> repeats;
  for (int i = 0; i < 8; ++i)
    repeats.push_back(add(frames, numbered_pair(i, i == 0 || i == 4 ? 0 : kMaxPlanes), i));
  EXPECT_THAT(repeats, ElementsAre(false, false, true, true, false, false, true, true));
}

TEST(PreviousFrames, AreGivenTheLatestFirst) {
  PreviousFrames before({.distorted = 1, .references = 2});
  const std::vector<std::vector<int64_t>> expected = {{}, {10}, {11, 10}, {12, 11}};
  for (int64_t i = 0; i < 4; ++i) {
    FramePair pair = numbered_pair(i, 0);
    pair.distorted.index = i;
    pair.reference = Frame();
    pair.reference->index = 10 + i;
    before.give(pair);
    std::vector<int64_t> distorted, references;
    for (const Frame& frame : pair.distorted_before) distorted.push_back(frame.index);
    for (const Frame& frame : pair.references_before) references.push_back(frame.index);
    EXPECT_EQ(distorted, i == 0 ? std::vector<int64_t>() : std::vector<int64_t>{i - 1});
    EXPECT_EQ(references, expected[static_cast<size_t>(i)]);
  }
}

using Strings = Rendezvous<std::string>;

// One member has numbers that another lacks.
TEST(Rendezvous, CompletesAllNumbersThatEveryMemberHasPassed) {
  Strings strings;
  const size_t a = strings.join(), b = strings.join();
  strings.bring(a, 3, "a3");
  strings.bring(a, 5, "a5");
  strings.bring(a, 9, "a9");
  EXPECT_THAT(strings.bring(b, 5, "b5"), ElementsAre(ElementsAre("a3"), ElementsAre("a5", "b5")));
  EXPECT_THAT(strings.pass(b, 9), ElementsAre(ElementsAre("a9")));
}

TEST(Rendezvous, WaitsForNobodyWhoHasLeft) {
  Strings strings;
  const size_t a = strings.join(), b = strings.join();
  strings.bring(a, 0, "a0");
  EXPECT_THAT(strings.leave(b), ElementsAre(ElementsAre("a0")));
  EXPECT_THAT(strings.bring(a, 1, "a1"), ElementsAre(ElementsAre("a1")));
  EXPECT_THAT(strings.bring(b, 2, "b2"), IsEmpty());  // it is back
  EXPECT_THAT(strings.bring(a, 2, "a2"), ElementsAre(ElementsAre("b2", "a2")));
}

TEST(Rendezvous, GivesEachItemOnceToThreads) {
  constexpr int kMembers = 4, kNumbers = 2000;
  Rendezvous<int> items;
  std::atomic<int> given = 0;
  const auto count = [&](const std::vector<Rendezvous<int>::Batch>& batches) {
    for (const Rendezvous<int>::Batch& batch : batches) given += static_cast<int>(batch.size());
  };
  std::vector<size_t> members;
  for (int i = 0; i < kMembers; ++i) members.push_back(items.join());
  {
    std::vector<std::jthread> threads;
    for (const size_t member : members) {
      threads.emplace_back([&, member] {
        for (int number = 0; number < kNumbers; ++number) {
          count(items.bring(member, number, number));
          if (number % 7 != 0) continue;
          if (const auto batch = items.take(number - 3)) given += static_cast<int>(batch->size());
        }
        count(items.leave(member));
      });
    }
  }
  EXPECT_EQ(given, kMembers * kNumbers);
}

struct Counted {
  int number = 0;
  std::atomic<int> users = 0;
};

// Numbers workspaces from 1 on as they are made.
class Maker {
 public:
  std::unique_ptr<Counted> operator()() {
    auto workspace = std::make_unique<Counted>();
    workspace->number = ++made_;
    return workspace;
  }
  int made() const { return made_; }

 private:
  std::atomic<int> made_ = 0;
};

// A loan that is moved is given back once.
TEST(WorkspacePool, LendsEachToOneAtATimeAndAgainOnceItIsBack) {
  Maker maker;
  WorkspacePool<Counted> pool(std::ref(maker));
  EXPECT_EQ(maker.made(), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.take()->number, 1);
  {
    auto first = pool.take();
    const auto moved = std::move(first), second = pool.take();
    EXPECT_EQ(moved->number, 1);
    EXPECT_EQ((*second).number, 2);
  }
  const auto one = pool.take(), other = pool.take();
  EXPECT_EQ(one->number + other->number, 3);
  EXPECT_EQ(maker.made(), 2);
}

TEST(WorkspacePool, PassesOnThatOneCannotBeMade) {
  bool fails = true;
  WorkspacePool<int> pool([&] {
    if (fails) throw std::runtime_error("no memory");
    return std::make_unique<int>(7);
  });
  EXPECT_THROW(pool.take(), std::runtime_error);
  fails = false;
  EXPECT_EQ(*pool.take(), 7);
}

TEST(WorkspacePool, ServesThreadsThatComeAtOnce) {
  constexpr int kThreads = 4;
  Maker maker;
  WorkspacePool<Counted> pool(std::ref(maker));
  std::atomic<int> shared = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) {
        const auto loan = pool.take();
        if (loan->users++ != 0) ++shared;
        --loan->users;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared, 0);
  EXPECT_LE(maker.made(), kThreads);
}

}  // namespace
}  // namespace vq
