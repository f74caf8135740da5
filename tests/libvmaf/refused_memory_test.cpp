// Contexts whose allocations fail: every allocation of a frame in turn, alone and with all that follow it.
#include "tests/libvmaf/client.h"
#include "tests/support/refusals.h"
#include "tests/support/test.h"

namespace client {
namespace {

using vq::test::allow_memory;
using vq::test::exempt_this_thread;
using vq::test::kNever;
using vq::test::refuse_memory;

// While it lives, what this thread allocates is the library's.
class LibraryCall {
 public:
  LibraryCall() { exempt_this_thread(false); }
  ~LibraryCall() { exempt_this_thread(true); }
};

constexpr Shape kSmall = {.width = 64, .height = 48};
constexpr unsigned kFramesRead = 4;  // memory is refused from the third on
constexpr const char* kScores[] = {"psnr_y", "float_ssim", "VMAF_integer_feature_vif_scale0_score"};

struct Outcome {
  std::map<unsigned, int> codes;  // of reading frames
  int flush = 0;
  std::map<std::pair<unsigned, std::string>, double> scores;
  long allocations = 0;
};

// Pictures are the caller's, and are there.
int read_pair(const Context& context, unsigned index) {
  VmafPicture reference = alloc(kSmall), distorted = alloc(kSmall);
  draw(reference, index, 0);
  draw(distorted, index, 13);
  int result = 0;
  {
    const LibraryCall call;
    result = vmaf_read_pictures(context.get(), &reference, &distorted, index);
  }
  if (result != 0) {
    vmaf_picture_unref(&reference);
    vmaf_picture_unref(&distorted);
  }
  return result;
}

// `is_over`: memory is there again for the last frame.
Outcome run(unsigned threads, long first, long end, bool is_over) {
  exempt_this_thread(true);
  Outcome outcome;
  const Context context = open(threads);
  for (const char* const extractor : {"psnr", "float_ssim", "vif"}) EXPECT_EQ(use(context, extractor), 0);
  for (unsigned index = 0; index < 2; ++index) {
    EXPECT_EQ(read_pair(context, index), 0);
    for (const char* const name : kScores) EXPECT_TRUE(score(context, name, index));  // nothing is in flight
  }
  refuse_memory(first, end);
  for (unsigned index = 2; index < kFramesRead; ++index) {
    if (is_over && index + 1 == kFramesRead) allow_memory();
    outcome.codes[index] = read_pair(context, index);
  }
  {
    const LibraryCall call;
    outcome.flush = flush(context);
  }
  outcome.allocations = allow_memory();
  for (unsigned index = 0; index < kFramesRead; ++index) {
    for (const char* const name : kScores) {
      if (const std::optional<double> found = score(context, name, index))
        outcome.scores[{index, name}] = *found;
    }
  }
  exempt_this_thread(false);
  return outcome;
}

size_t scores_of(const Outcome& outcome, unsigned index) {
  size_t count = 0;
  for (const char* const name : kScores) count += outcome.scores.count({index, name});
  return count;
}

// What holds whatever fails: the process lives, scores are right or missing, and what is missing was told.
void check(const Outcome& outcome, const Outcome& expected, unsigned threads) {
  for (const auto& [place, value] : outcome.scores)
    EXPECT_EQ(value, expected.scores.at(place)) << place.first;
  for (const auto& [index, code] : outcome.codes) {
    EXPECT_LE(code, 0);
    const bool is_whole = scores_of(outcome, index) == std::size(kScores);
    if (threads == 0) {
      EXPECT_TRUE(code != 0 || is_whole) << index;
    }
  }
  for (unsigned index = 0; index < 2; ++index) EXPECT_EQ(scores_of(outcome, index), std::size(kScores));
}

class LibvmafRefusedMemory : public testing::TestWithParam<unsigned> {};

TEST_P(LibvmafRefusedMemory, OnceLosesAFrameAtMost) {
  const unsigned threads = GetParam();
  const Outcome expected = run(threads, kNever, kNever, false);
  ASSERT_EQ(expected.scores.size(), kFramesRead * std::size(kScores));
  ASSERT_GT(expected.allocations, 10);
  for (long at = 0; at < expected.allocations; ++at) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    const Outcome outcome = run(threads, at, at + 1, false);
    check(outcome, expected, threads);
    size_t whole = 0;
    for (unsigned index = 2; index < kFramesRead; ++index)
      whole += scores_of(outcome, index) == std::size(kScores);
    EXPECT_GE(whole, 1U);
  }
}

TEST_P(LibvmafRefusedMemory, ForGoodIsToldByEveryLaterCall) {
  const unsigned threads = GetParam();
  const Outcome expected = run(threads, kNever, kNever, false);
  for (long at = 0; at < expected.allocations; ++at) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    for (const bool is_over : {false, true}) {
      const Outcome outcome = run(threads, at, kNever, is_over);
      check(outcome, expected, threads);
      const bool is_whole = outcome.scores.size() == expected.scores.size();
      const bool is_told = outcome.flush != 0 || outcome.codes.at(2) != 0 || outcome.codes.at(3) != 0;
      EXPECT_TRUE(is_whole || is_told);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, LibvmafRefusedMemory, testing::Values(0U, 4U));

}  // namespace
}  // namespace client
