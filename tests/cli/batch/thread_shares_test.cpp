#include "cli/batch/thread_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/threads_at_rest.h"

namespace vq::cli {
namespace {

TEST(ThreadShares, LargerPicturesGetMore) {
  EXPECT_EQ(useful_threads(640 * 360), 1);
  EXPECT_EQ(useful_threads(1280 * 720), 1);
  EXPECT_EQ(useful_threads(1920 * 1080), 2);
  EXPECT_EQ(useful_threads(4096 * 2160), 4);
  EXPECT_EQ(useful_threads(7680 * 4320), 8);
}

TEST(ThreadShares, MoreThanThereAreIsAll) {
  ThreadShares shares(3);
  EXPECT_EQ(shares.take(100), 3);
  shares.give_back(3);
  EXPECT_EQ(shares.take(0), 1);
  EXPECT_EQ(shares.take(2), 2);
}

TEST(ThreadShares, WhoFindsTooFewWaits) {
  ThreadShares shares(2);
  ASSERT_EQ(shares.take(2), 2);
  std::atomic<int> taken = -1;
  std::jthread user([&] { taken = shares.take(2); });
  vq::test::wait_until_others_sleep();
  EXPECT_EQ(taken, -1);
  shares.give_back(2);
  user.join();
  EXPECT_EQ(taken, 2);
}

TEST(ThreadShares, NobodyWaitsOnceItIsStopped) {
  std::atomic<bool> stopped = false;
  ThreadShares shares(3, StopToken([&] { return stopped.load(); }));
  ASSERT_EQ(shares.take(2), 2);
  std::atomic<int> taken = -1;
  std::jthread user([&] { taken = shares.take(2); });
  vq::test::wait_until_others_sleep();
  EXPECT_EQ(taken, -1);
  stopped = true;
  user.join();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(shares.take(2), 0);
}

TEST(ThreadShares, GivesWhatIsAskedForAndNeverMoreThanThereAre) {
  constexpr int kShared = 5;
  ThreadShares shares(kShared);
  std::atomic<int> used = 0, most = 0, done = 0, short_of = 0;
  std::vector<std::jthread> users;
  for (int i = 0; i < 8; ++i) {
    users.emplace_back([&, i] {
      for (int k = 0; k < 200; ++k) {
        const int wanted = 1 + (i + k) % 7, taken = shares.take(wanted);
        if (taken != std::min(wanted, kShared)) ++short_of;
        const int now = used += taken;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        used -= taken;
        shares.give_back(taken);
      }
      ++done;
    });
  }
  users.clear();
  EXPECT_EQ(done, 8);
  EXPECT_EQ(short_of, 0);
  EXPECT_LE(most, kShared);
}

}  // namespace
}  // namespace vq::cli
