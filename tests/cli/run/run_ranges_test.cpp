// Members that take ranges of a run by the paces that they show, on a clock that the test sets.
#include "cli/run/run_members.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace vq::cli::test {
namespace {

constexpr RangeMember kHost = {.is_device = false, .start = 0.05, .least = 0.15};
constexpr RangeMember kDevice = {.is_device = true, .start = 0.3, .least = 0.5};
constexpr double kTick = 0.005;

// A machine whose members score so many frames a second, each after the start of its range.
struct Machine {
  struct One {
    double pace = 0, start = 0, joins = 0;  // joins: when
    int64_t fails_at = -1;                  // frame
    size_t member = 0;
    std::shared_ptr<RunRange> range = {};
    double ready = 0, owed = 0;
    int64_t next = 0, scored = 0;
    bool has_joined = false, has_left = false;
  };

  // All but the first are of the kind `others`.
  explicit Machine(std::vector<One> all, const RangeMember& first = kHost, RangeMember others = kDevice)
      : members(std::move(all)), joining(others), ranges(first, [this] { return now; }) {
    members[0].has_joined = true;
    members[0].range = ranges.first_range();
  }

  // The run's seconds; every frame is scored once.
  double run(int64_t frames, int64_t group) {
    std::vector<int64_t> cuts;
    for (int64_t at = 1; at < frames; at += group) cuts.push_back(at);
    counts.assign(static_cast<size_t>(frames), 0);
    constexpr double kOpened = 0.2, kTooLong = 1000;
    bool is_open = false;
    for (; left() > 0 && now < kTooLong; now += kTick) {
      if (!is_open && now >= kOpened) ranges.open(cuts, frames);
      is_open = is_open || now >= kOpened;
      for (One& one : members) work(one);
      int64_t first = 0;
      while (first < frames && counts[static_cast<size_t>(first)] > 0) ++first;
      ranges.delivered(first);
      for (size_t i = static_cast<size_t>(first); i < counts.size(); ++i)
        if (counts[i] > 0) furthest = std::max(furthest, static_cast<int64_t>(i) - first);
    }
    for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 1) << i;
    return now;
  }

  int64_t left() const { return std::ranges::count(counts, 0); }

  void work(One& one) {
    if (one.has_left || now < one.joins) return;
    if (!one.has_joined) one.member = ranges.add_member(joining);
    one.has_joined = true;
    if (!one.range) {
      one.range = ranges.take_now(one.member);
      if (!one.range) return;
      one.ready = now + one.start;
      one.next = one.range->first;
      one.owed = 0;
    }
    if (now < one.ready) return;
    for (one.owed += one.pace * kTick; one.owed >= 1; one.owed -= 1) {
      const bool is_end = one.next >= static_cast<int64_t>(counts.size());
      if (one.next == one.fails_at) {
        one.has_left = true;
        return ranges.give_back(*one.range, one.next);
      }
      if (is_end || !ranges.may_use(*one.range, one.next)) {
        ranges.finish(*one.range);
        one.range.reset();
        return;
      }
      ++counts[static_cast<size_t>(one.next++)];
      ++one.scored;
    }
  }

  double now = 0;
  std::vector<One> members;
  const RangeMember joining;
  std::vector<int> counts = {0};
  int64_t furthest = 0;  // scored frame beyond the first that was not
  RunRanges ranges;
};

TEST(RunRanges, BesideADeviceThatBeganTheHostTakesTheEnd) {
  RangeMember first = kDevice;
  first.steals = false;
  Machine machine({{1000, 0.3}, {300, 0.05, 0.5}}, first, kHost);
  EXPECT_LT(machine.run(3840, 60), 3.65);  // alone 3.84
  EXPECT_GT(machine.members[1].scored, 150);
  Machine far_faster({{1000, 0.3}, {100, 0.05, 0.5}}, first, kHost);
  far_faster.run(3840, 60);
  EXPECT_LE(far_faster.members[1].scored, 120);  // that it is slow is seen at the first piece
  Machine failing({{1000, 0.3}, {200, 0.05, 0.5, 3800}}, first, kHost);
  failing.run(3840, 60);
  EXPECT_TRUE(failing.members[1].has_left);
}

TEST(RunRanges, ADeviceThatBeganSharesWithOthers) {
  Machine machine({{550, 0.3}, {550, 0.3, 1.5}}, {.is_device = true, .start = 0.3, .keeps_front = false});
  EXPECT_LT(machine.run(15360, 60), 15.5);  // alone 28.2
  for (const Machine::One& one : machine.members) EXPECT_GT(one.scored, 6000);
}

TEST(RunRanges, TheWholeMachineIsBusyToTheEnd) {
  struct Case {
    std::string name;
    std::vector<Machine::One> members;
    int64_t frames, group;
    double most;  // times the seconds of all paces together, and starts besides
  };
  for (const Case& each :
       std::vector<Case>{{"a fast device", {{400, 0.05}, {1000, 0.2, 0.5}}, 3840, 60, 1.15},
                         {"a device as fast", {{400, 0.05}, {400, 0.2, 0.5}}, 3840, 60, 1.15},
                         {"a slow device", {{400, 0.05}, {40, 0.2, 0.5}}, 3840, 24, 1.3},
                         {"short groups", {{100, 0.05}, {600, 0.2, 0.5}}, 2000, 1, 1.15},
                         {"two devices", {{200, 0.05}, {600, 0.2, 0.5}, {600, 0.2, 0.6}}, 8000, 48, 1.2},
                         {"four devices",
                          {{200, 0.05}, {600, 0.2, 0.5}, {600, 0.2, 0.6}, {600, 0.2, 0.5}, {600, 0.2, 0.7}},
                          15360,
                          60,
                          1.25}}) {
    Machine machine(each.members);
    const double seconds = machine.run(each.frames, each.group);
    double paces = 0;
    for (const Machine::One& one : each.members) paces += one.pace;
    EXPECT_LT(seconds, each.most * (0.7 + static_cast<double>(each.frames) / paces)) << each.name;
    for (const Machine::One& one : machine.members) EXPECT_GT(one.scored, 0) << each.name;
  }
}

TEST(RunRanges, NobodyTakesWhatAnotherWouldFinishSooner) {
  Machine machine({{1000, 0.05}, {1000, 0.2, 0.9}});
  EXPECT_LT(machine.run(1000, 24), 1.1);
  EXPECT_EQ(machine.members[1].scored, 0);
  Machine whole({{400, 0.05}, {1000, 0.2, 0.5}});  // there is no place for a cut
  whole.run(2000, 100000);
  EXPECT_EQ(whole.members[1].scored, 0);
}

TEST(RunRanges, WhatAMemberLeavesOthersScore) {
  for (const int64_t fails_at : {400, 401, 1999, 3839}) {
    Machine machine({{400, 0.05}, {1000, 0.2, 0.5, fails_at}});
    machine.run(3840, 60);
    Machine two({{200, 0.05}, {800, 0.2, 0.5, fails_at}, {600, 0.2, 0.6}});
    two.run(3840, 60);
  }
}

TEST(RunRanges, NobodyIsFarAheadOfWhatWasDelivered) {
  Machine machine({{400, 0.05}, {1000, 0.2, 0.5}, {900, 0.2, 0.5}});
  machine.run(30000, 60);
  EXPECT_LE(machine.furthest, RunRanges::kWindow + 60);
}

TEST(RunRanges, AreGivenOutInOrder) {
  double now = 0;
  RunRanges ranges(kHost, [&] { return now; });
  for (int64_t frame = 0; frame < 100; ++frame, now += 0.01)
    EXPECT_TRUE(ranges.may_use(*ranges.first_range(), frame));
  const size_t device = ranges.add_member(kDevice);
  EXPECT_EQ(ranges.take_now(device), nullptr) << "nobody knows the places";
  ranges.open({120, 140, 250, 320}, 1000);
  const auto taken = ranges.take_now(device);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->first, 320) << "a second ahead, and an eighth of the rest";
  EXPECT_EQ(taken->end, 1000);
  EXPECT_TRUE(ranges.may_use(*ranges.first_range(), 319));
  EXPECT_FALSE(ranges.may_use(*ranges.first_range(), 320));
  ranges.finish(*ranges.first_range());
  EXPECT_TRUE(ranges.goes_on_at(320));
  EXPECT_EQ(ranges.range_at(320, {}), taken);
  EXPECT_FALSE(ranges.goes_on_at(1000));
  EXPECT_EQ(ranges.range_at(1000, {}), nullptr);
  ranges.give_back(*taken, 500);
  ranges.leave(0);
  EXPECT_EQ(ranges.range_at(500, {}), nullptr) << "nobody is left";
}

TEST(FindingsQueue, GivesWhatCameBeforeAnError) {
  FindingsQueue queue;
  queue.add({.found = {}, .warnings = {"one"}});
  queue.end(std::make_exception_ptr(Error(ErrorKind::kInput, "damaged")));
  EXPECT_EQ(queue.take({}).value().warnings, std::vector<std::string>{"one"});
  EXPECT_THROW(queue.take({}), Error);
  FindingsQueue waiting;
  EXPECT_FALSE(waiting.take(StopToken([] { return true; })));
}

}  // namespace
}  // namespace vq::cli::test
