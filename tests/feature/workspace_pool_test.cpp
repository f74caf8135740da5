#include "core/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

namespace vq {
namespace {

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

TEST(WorkspacePool, LendsAgainWhatWasGivenBack) {
  Maker maker;
  WorkspacePool<Counted> pool(std::ref(maker));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.take()->number, 1);
  EXPECT_EQ(maker.made(), 1);
}

TEST(WorkspacePool, MakesNoneBeforeOneIsTaken) {
  Maker maker;
  const WorkspacePool<Counted> pool(std::ref(maker));
  EXPECT_EQ(maker.made(), 0);
}

TEST(WorkspacePool, LendsEachToOneAtATime) {
  Maker maker;
  WorkspacePool<Counted> pool(std::ref(maker));
  std::optional<WorkspacePool<Counted>::Loan> first = pool.take();
  const auto second = pool.take();
  EXPECT_EQ((*first)->number, 1);
  EXPECT_EQ(second->number, 2);
  first.reset();
  EXPECT_EQ(pool.take()->number, 1);
}

TEST(WorkspacePool, ALoanThatIsMovedIsGivenBackOnce) {
  Maker maker;
  WorkspacePool<Counted> pool(std::ref(maker));
  {
    auto loan = pool.take();
    const auto moved = std::move(loan);
    EXPECT_EQ((*moved).number, 1);
  }
  const auto first = pool.take(), second = pool.take();
  EXPECT_EQ(first->number, 1);
  EXPECT_EQ(second->number, 2);
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
