// Functions that compute the same everywhere, against the C library, which is right to the last bit or the
// one before it (that vectors give the same bits is tested with the stages); and the floats that all threads
// of a run compute with.
#include "core/elementary.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "core/content_hash.h"
#include "feature/extractor.h"
#include "tests/support/row_sink.h"
#include "tests/support/test.h"

namespace vq::elementary {
namespace {

constexpr int kSteps = 20000;

// Calls look(x) for numbers between both ends.
template <typename Look>
void for_range(double first, double last, const Look& look) {
  for (int i = 0; i <= kSteps; ++i) look(first + (last - first) * i / kSteps);
}

TEST(Elementary, PolynomialsHaveTheirConstantFirst) {
  EXPECT_EQ(polynomial(std::array<double, 4>{1, 10, 100, 1000}, 2.0), 1 + 20 + 400 + 8000);
  EXPECT_EQ(polynomial(std::array<double, 5>{1, 10, 100, 1000, 10000}, 2.0), 1 + 20 + 400 + 8000 + 160000);
}

TEST(Elementary, PowersAreAccurate) {
  for_range(0.001, 12, [](double x) {
    EXPECT_NEAR(power(x, 2.4), std::pow(x, 2.4), 4e-15 * std::pow(x, 2.4)) << x;
    EXPECT_NEAR(power(x, 1.0 / 3), std::cbrt(x), 2e-15 * std::cbrt(x)) << x;
  });
  EXPECT_EQ(power(1, 2.4), 1);
  EXPECT_EQ(power(8, 1), 8);
  EXPECT_DOUBLE_EQ(power(0.5, 30), std::ldexp(1.0, -30));
}

TEST(Elementary, ExponentialsAreAccurate) {
  for_range(-690, 690, [](double x) { EXPECT_NEAR(exponential(x), std::exp(x), 4e-13 * std::exp(x)) << x; });
  for_range(-2, 2, [](double x) { EXPECT_NEAR(exponential(x), std::exp(x), 2e-15 * std::exp(x)) << x; });
  EXPECT_EQ(exponential(0), 1);
}

TEST(Elementary, SinesAndCosinesAreAccurate) {
  for_range(-kPi / 2, kPi / 2, [](double x) { EXPECT_NEAR(sine(x), std::sin(x), 4e-16) << x; });
  for_range(-12, 12, [](double x) {
    EXPECT_NEAR(sine_cosine(x).sine, std::sin(x), 2e-15) << x;
    EXPECT_NEAR(sine_cosine(x).cosine, std::cos(x), 2e-15) << x;
  });
  EXPECT_EQ(sine(0), 0);
  EXPECT_EQ(sine(1e-20), 1e-20);
}

TEST(Elementary, AnglesAreAccurateAllAround) {
  for_range(-kPi, kPi, [](double turn) {
    for (const double radius : {1e-6, 0.7, 300.0}) {
      const double x = radius * std::cos(turn), y = radius * std::sin(turn);
      EXPECT_NEAR(angle(y, x), std::atan2(y, x), 1e-15) << turn;
    }
  });
  EXPECT_EQ(angle(0, 0), 0);
  EXPECT_EQ(angle(0, 5), 0);
  EXPECT_EQ(angle(0, -5), kPi);
  EXPECT_EQ(angle(5, 0), kPi / 2);
  EXPECT_EQ(angle(-5, 0), -kPi / 2);
  EXPECT_DOUBLE_EQ(angle(-5, -5), -3 * kPi / 4);
}

#if defined(__x86_64__)
// The functions of the C library that scores are computed by as well.
template <typename Function>
std::string results_of(const Function& function, double first, double last) {
  ContentHash hash;
  for_range(first, last, [&](double x) {
    const double y = function(x);
    hash.add({reinterpret_cast<const char*>(&y), sizeof y});
  });
  return hash_text(hash.value());
}

TEST(CLibrary, HasTheBitsOfGlibc) {
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "glibc's results are others on processors that do not fuse products with sums";
  const auto root = [](double x) { return std::pow(x, 1 / 2.4); };
  const auto power_of_ten = [](double x) { return std::pow(10.0, x); };
  EXPECT_EQ(results_of([](double x) { return std::exp(x); }, -40, 3), "b5dd951ee658b3f1");
  EXPECT_EQ(results_of([](double x) { return std::log(x); }, 1e-4, 2), "a046bf9d7baa76c0");
  EXPECT_EQ(results_of([](double x) { return std::log2(x); }, 1e-4, 1.1), "24e0277e942278df");
  EXPECT_EQ(results_of([](double x) { return std::log10(x); }, 1e-4, 2), "59caee22f74c78ad");
  EXPECT_EQ(results_of([](double x) { return std::log10(x); }, 1, 1e9), "a968e93d8f3a2703");
  EXPECT_EQ(results_of(root, 0, 100), "22474c3e6be7a5d2");
  EXPECT_EQ(results_of(power_of_ten, -5, 5), "97193431beae2457");
}
#endif

}  // namespace
}  // namespace vq::elementary

namespace vq {
namespace {

// Volatile, so that the compiler does not compute it.
struct Numbers {
  volatile double one = 1, three = 3, least = std::numeric_limits<double>::min();
  double third() const { return one / three; }
  double below_normal() const { return least / 4; }
};

const double kThird = 1.0 / 3;

// As a host may have chosen, or a library of it. Rounds upwards, and where the processor can, has no numbers
// below the normal ones.
class OtherFloats {
 public:
  OtherFloats() {
    std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
    constexpr unsigned kFlushes = 0x8040;  // FTZ and DAZ
    _mm_setcsr(_mm_getcsr() | kFlushes);
#endif
  }
  ~OtherFloats() { set_float_state(before_); }
  OtherFloats& operator=(OtherFloats&&) = delete;

 private:
  const FloatState before_ = float_state();
};

void expect_exact(const Numbers& numbers) {
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(numbers.third(), kThird);
  EXPECT_GT(numbers.below_normal(), 0);
}

void expect_other(const Numbers& numbers) {
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_GT(numbers.third(), kThird);
#if defined(__SSE2__)
  EXPECT_EQ(numbers.below_normal(), 0);
#endif
}

TEST(ExactFloats, AreOfTheScopeAndThenAsBefore) {
  const Numbers numbers = {};
  const OtherFloats other;
  expect_other(numbers);
  {
    const ExactFloats exact;
    expect_exact(numbers);
  }
  expect_other(numbers);
}

TEST(ExactFloats, AreOfEveryTaskOfAPool) {
  const Numbers numbers = {};
  const OtherFloats other;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    for (int i = 0; i < 6; ++i) pool.submit(std::packaged_task<void()>([&] { expect_exact(numbers); })).get();
    expect_other(numbers);
  }
}

class Thirds final : public HostFeature {
 public:
  FrameResult score(const FramePair&) override { return {.values = {numbers_.third()}}; }

 private:
  const Numbers numbers_ = {};
};

std::unique_ptr<FeatureExtractor> thirds(WorkerPool& pool) {
  std::vector<HostPart> parts;
  parts.push_back({std::make_unique<Thirds>(), false});
  return make_host_extractor(std::move(parts), {}, {}, {.pool = &pool});
}

struct Collected final : ScoreSink {
  void scored(const FrameScores& scores) override {
    expect_exact(numbers);
    values.push_back(scores.results[0].values[0]);
  }
  const Numbers numbers = {};
  std::vector<double> values;
};

// By the sink scores of models and sequences are computed.
TEST(ExactFloats, AreThoseOfFeaturesAndSinks) {
  const Numbers numbers = {};
  const OtherFloats other;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    Collected sink;
    const auto extractor = thirds(pool);
    for (int i = 0; i < 8; ++i) extractor->push(test::numbered_pair(i), sink);
    extractor->finish(sink);
    expect_other(numbers);
    EXPECT_EQ(sink.values, std::vector<double>(8, kThird));
  }
}

}  // namespace
}  // namespace vq
