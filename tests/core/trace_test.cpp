#include "core/trace.h"
#include "tests/support/test.h"

namespace vq {

TEST(Trace, RecordsNothingWithoutATimeline) {
  { const TraceSpan before("before"); }
  const Timeline timeline;
  EXPECT_TRUE(timeline.threads().empty());
}

TEST(Trace, KeepsTheSpansOfEachThread) {
  const Timeline timeline;
  std::thread other([] {
    name_thread("the other thread of two");
    const TraceSpan span("work", 7);
  });
  other.join();
  {
    const TraceSpan outer("outer");
    const TraceSpan inner("inner", 0);
  }
  const std::vector<TracedThread> threads = timeline.threads();
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].name, "the other thread of two");
  ASSERT_EQ(threads[0].spans.size(), 1U);
  EXPECT_EQ(threads[0].spans[0].name, "work");
  EXPECT_EQ(threads[0].spans[0].frame, 7);
  ASSERT_EQ(threads[1].spans.size(), 2U);
  const TracedSpan &inner = threads[1].spans[0], &outer = threads[1].spans[1];
  EXPECT_EQ(inner.name, "inner");
  EXPECT_EQ(outer.name, "outer");
  EXPECT_EQ(outer.frame, -1);
  EXPECT_LE(0, outer.begin_ns);
  EXPECT_LE(outer.begin_ns, inner.begin_ns);
  EXPECT_LE(inner.begin_ns, inner.end_ns);
  EXPECT_LE(inner.end_ns, outer.end_ns);
  EXPECT_EQ(timeline.dropped(), 0);
}

TEST(Trace, BeginsAnewWithEachTimeline) {
  {
    const Timeline first;
    const TraceSpan span("first");
  }
  const Timeline second;
  EXPECT_TRUE(second.threads().empty());
  { const TraceSpan span("second"); }
  ASSERT_EQ(second.threads().size(), 1U);
  ASSERT_EQ(second.threads()[0].spans.size(), 1U);
  EXPECT_EQ(second.threads()[0].spans[0].name, "second");
}

TEST(Trace, ShowsDebuggersTheBeginningOfANameThatIsLonger) {
  std::thread([] {
    name_thread("reader of a video");
    char name[16] = {};
    ASSERT_EQ(pthread_getname_np(pthread_self(), name, sizeof name), 0);
    EXPECT_STREQ(name, "reader of a vid");
  }).join();
}

}  // namespace vq
