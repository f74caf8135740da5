#include "core/rendezvous.h"

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>

namespace vq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Strings = Rendezvous<std::string>;

TEST(Rendezvous, CompletesANumberWithTheLastMemberThatComesToIt) {
  Strings strings;
  const size_t a = strings.join(), b = strings.join();
  EXPECT_THAT(strings.bring(a, 0, "a0"), IsEmpty());
  EXPECT_THAT(strings.bring(a, 1, "a1"), IsEmpty());
  EXPECT_THAT(strings.bring(b, 0, "b0"), ElementsAre(ElementsAre("a0", "b0")));
  EXPECT_THAT(strings.bring(b, 1, "b1"), ElementsAre(ElementsAre("a1", "b1")));
}

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

TEST(Rendezvous, GivesWhatHasComeToWhoWaitsNoLonger) {
  Strings strings;
  const size_t a = strings.join(), b = strings.join();
  strings.join();  // it never comes
  strings.bring(a, 0, "a0");
  strings.bring(b, 0, "b0");
  EXPECT_THAT(strings.take(0), ::testing::Optional(ElementsAre("a0", "b0")));
  EXPECT_EQ(strings.take(0), std::nullopt);
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

}  // namespace
}  // namespace vq
