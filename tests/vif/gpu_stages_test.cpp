// The passes on the device: as an implementation for stages_test.cpp, and the double operations of a sample,
// which the device does by integers, against doubles. The gate has the pass that brings planes together.
#include "feature/vif/vif.h"
#include "shaders/vif/shared.h"
// Made by the build from tests/vif/explain.comp.
#include "shaders/vif_explain.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::vif::gpu {
namespace {

using namespace vq::test;

// Both pictures of a scale on the host, as words.
struct HostPair {
  explicit HostPair(PlaneSize size)
      : reference(size.width, size.height), distorted(size.width, size.height) {}
  HostPair(const SampleView& of_reference, const SampleView& of_distorted)
      : HostPair({of_reference.width(), of_reference.height()}) {
    widen(of_reference, 0, reference.view());
    widen(of_distorted, 0, distorted.view());
  }
  PlaneSize size() const { return {reference.width(), reference.height()}; }
  Plane<uint16_t> reference, distorted;
};

PicturePair empty_pair(PlaneSize size) {
  return {size, vulkan::Buffer(test_device(), vulkan::Memory::kDevice, PicturePair::bytes(size))};
}

// With noise behind the rows.
PicturePair to_device(const HostPair& pair) {
  PicturePair result = empty_pair(pair.size());
  const vulkan::Buffer staging(test_device(), vulkan::Memory::kUpload, result.buffer.bytes());
  std::vector<uint32_t> words(static_cast<size_t>(staging.bytes() / 4));
  std::minstd_rand random(3);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random()) * 7;
  for (int y = 0; y < pair.size().height; ++y) {
    for (int x = 0; x < pair.size().width; ++x) {
      words[static_cast<size_t>(y * result.pitch() + x)] =
          pair.reference.row(y)[x] | uint32_t{pair.distorted.row(y)[x]} << 16;
    }
  }
  std::memcpy(staging.mapped(), words.data(), words.size() * 4);
  vulkan::Recorder recorder(test_device());
  recorder.copy(staging, result.buffer);
  run(recorder);
  return result;
}

// Records what leaves a pair of pictures in `pair`, and reads it.
template <typename Record>
HostPair from_device(const PicturePair& pair, const Record& record) {
  const vulkan::Buffer readback(test_device(), vulkan::Memory::kReadback, pair.buffer.bytes());
  vulkan::Recorder recorder(test_device());
  record(recorder);
  recorder.copy(pair.buffer, readback);
  run(recorder);
  HostPair result(pair.size);
  for (int y = 0; y < pair.size.height; ++y) {
    for (int x = 0; x < pair.size.width; ++x) {
      uint32_t word = 0;
      std::memcpy(&word, readback.mapped() + (y * pair.pitch() + x) * 4, 4);
      result.reference.row(y)[x] = static_cast<uint16_t>(word & 0xFFFF);
      result.distorted.row(y)[x] = static_cast<uint16_t>(word >> 16);
    }
  }
  return result;
}

// In the place of either picture, beside one that is its negative.
void decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows&) {
  const int top = (1 << (scale.index > 0 ? 16 : scale.bit_depth)) - 1;
  const DecimatePass pass(test_context(), scale, {in.width(), in.height()});
  const auto decimated = [&](Plane<uint16_t> HostPair::*negative) {
    HostPair both(in, in);
    for (int y = 0; y < both.size().height; ++y) {
      for (int x = 0; x < both.size().width; ++x)
        (both.*negative).row(y)[x] = static_cast<uint16_t>(top - (both.*negative).row(y)[x]);
    }
    const PicturePair from = to_device(both), to = empty_pair({out.width, out.height});
    return from_device(to, [&](vulkan::Recorder& recorder) { pass.record(recorder, from, to); });
  };
  const HostPair first = decimated(&HostPair::distorted), second = decimated(&HostPair::reference);
  EXPECT_TRUE(same_samples<uint16_t>(first.reference.view(), second.distorted.view()));
  for (int y = 0; y < out.height; ++y) std::copy_n(first.reference.row(y), out.width, out.row(y));
}

ScaleSums statistics(const Pictures& pictures, const Scale& scale, double limit, Rows&) {
  const HostPair pair(pictures.reference, pictures.distorted);
  const StatisticsPass pass(test_context(), scale, pair.size(), limit);
  const PicturePair on_device = to_device(pair);
  const vulkan::Buffer sums =
      recorded(StatisticsPass::sum_bytes(pair.size()),
               [&](auto& recorder, const vulkan::Buffer& there) { pass.record(recorder, on_device, there); });
  return pass.sums(sums.mapped());
}

[[maybe_unused]] const bool kAreAdded =
    add_implementation("device", Stages{.decimate = decimate, .statistics = statistics});

constexpr int64_t kSquareOfMean = int64_t{1} << 30;  // no variance is larger, but for rounding

struct Push {
  uint count;
  FixedPoint limit, limit_squared;
};

FixedPoint fixed(double number) {
  const auto fraction = static_cast<uint64_t>((number - std::floor(number)) * 0x1p64);
  return {static_cast<uint>(number), static_cast<uint>(fraction >> 32), static_cast<uint>(fraction)};
}

// What the device says of one sample.
struct Answer {
  uint32_t noise, all, exact_noise, exact_all;
};

std::vector<Answer> on_device(const std::vector<Moments>& samples, double limit) {
  const auto count = static_cast<int64_t>(samples.size());
  const vulkan::Buffer in(test_device(), vulkan::Memory::kUpload, count * 12);
  std::memcpy(in.mapped(), samples.data(), static_cast<size_t>(in.bytes()));
  const Push push{static_cast<uint>(count), fixed(limit), fixed(limit * limit)};
  const vulkan::Pipeline& pipeline = test_context().pipeline(shaders::kVifExplain);
  const vulkan::Buffer out = recorded(count * 16, [&](auto& recorder, const vulkan::Buffer& there) {
    recorder.pass(pipeline, {&in, &there}).run(push, {vulkan::groups_for(count, 64)});
  });
  std::vector<Answer> answers(samples.size());
  std::memcpy(answers.data(), out.mapped(), static_cast<size_t>(out.bytes()));
  return answers;
}

// Step by step the same integers; by bounds the same logarithms.
void expect_same(const std::vector<Moments>& samples, double limit) {
  ASSERT_FALSE(samples.empty());
  const LogTable& table = LogTable::get();
  const std::vector<Answer> answers = on_device(samples, limit);
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto& [v1, v2, v12] = samples[i];
    const Explained expected = explain(samples[i], limit);
    const std::string what = std::to_string(v1) + ", " + std::to_string(v2) + ", " + std::to_string(v12) +
                             ", limit " + std::to_string(limit);
    ASSERT_EQ((Explained{answers[i].exact_noise, answers[i].exact_all}), expected) << what;
    ASSERT_EQ(table.log2(answers[i].noise), table.log2(static_cast<uint64_t>(expected.noise))) << what;
    ASSERT_EQ(table.log2(answers[i].all), table.log2(static_cast<uint64_t>(expected.all))) << what;
  }
}

// Keeps those that there can be.
void add(std::vector<Moments>& samples, int64_t v1, int64_t v2, int64_t v12) {
  const auto is_variance = [](int64_t v, int64_t least) { return v >= least && v <= kSquareOfMean + kNoise; };
  if (!is_variance(v1, kNoise) || !is_variance(v2, 1) || v12 < 1 || v12 > kSquareOfMean + kNoise) return;
  if (v12 * v12 / v1 >= int64_t{1} << 31) return;
  samples.push_back({static_cast<int32_t>(v1), static_cast<int32_t>(v2), static_cast<int32_t>(v12)});
}

constexpr double kLimits[] = {1, 1.05, 1.0000000001, 2, 1.5, 3.3333333333333335, 99.99999999999999, 100};

class VifGpuExplain : public ::testing::Test {
 protected:
  // Of any size in bits, up to a number.
  int64_t number(int64_t least, int64_t most) {
    const double bits = std::log2(static_cast<double>(most) / static_cast<double>(least));
    return static_cast<int64_t>(static_cast<double>(least) *
                                std::exp2(bits * std::uniform_real_distribution<>()(random_)));
  }
  // Where what is left as noise, or all, is at the beginning of a block of numbers that have one logarithm,
  // or right before.
  void add_at_edges(std::vector<Moments>& samples, int64_t v1, int64_t v12) {
    if (v12 > kSquareOfMean + kNoise) return;  // there is no such covariance
    const int64_t quotient = v12 * v12 / v1;
    const int64_t block = int64_t{1} << (2 + random_() % 14);
    const int64_t noise = (kNoise + number(1, kSquareOfMean)) / block * block;
    const int64_t all = (kNoise + quotient + number(1, kSquareOfMean)) / block * block;
    for (int64_t more = -1; more <= 2; ++more) {
      add(samples, v1, noise - kNoise + quotient + more, v12);
      add(samples, v1, all - kNoise + more, v12);
    }
  }
  std::minstd_rand random_{7};
};

TEST_F(VifGpuExplain, IsThatOfDoublesForAnyMoments) {
  std::vector<Moments> samples;
  while (samples.size() < 60000) {
    const int64_t v1 = number(kNoise, kSquareOfMean), v2 = number(1, kSquareOfMean);
    const auto most =
        static_cast<int64_t>(std::sqrt(static_cast<double>(v1) * static_cast<double>(v2))) + 65538;
    add(samples, v1, v2, number(1, most));
    add(samples, v1, v2, most);
  }
  for (const double limit : {1.0, 1.05, 100.0}) expect_same(samples, limit);
}

// An identical picture, and one that is a multiple of it or nearly that: x^2 / a is whole or so little above
// that the small number in the divisor decides.
TEST_F(VifGpuExplain, IsThatOfDoublesWhereTheCovarianceIsNearlyAMultiple) {
  std::vector<Moments> samples;
  for (int i = 0; i < 3000; ++i) {
    const int64_t multiple = i % 3 == 0 ? number(1, 30) : 1, part = i % 5 == 0 ? number(1, 30) : 1;
    const int64_t base = number(kNoise, kSquareOfMean) / (part * part) * part;
    // x = multiple * base + part * difference of a = part * base has the rest difference^2 * part.
    const auto edge = static_cast<int64_t>(std::sqrt(13.2e-6 * static_cast<double>(base))) * multiple + 3;
    const int64_t v1 = part * base, v12 = multiple * base + part * (number(1, 3 * edge + 1) - edge);
    add_at_edges(samples, v1, v12);
    add(samples, v1, v1, v1);
  }
  for (const double limit : {1.0, 1.05, 100.0}) expect_same(samples, limit);
}

// x^2 is a little above a multiple of a, with little gain: doubles below 2^30 round what is above away.
TEST_F(VifGpuExplain, IsThatOfDoublesWhereLittleIsExplained) {
  std::vector<Moments> samples;
  for (int i = 0; i < 4000; ++i) {
    const int64_t quotient = i % 4 == 0 ? 0 : number(1, 100000), v1 = number(kNoise, kSquareOfMean);
    const auto v12 = static_cast<int64_t>(std::sqrt(static_cast<double>(quotient) * static_cast<double>(v1)));
    for (int64_t more = 0; more < 3; ++more) {
      add_at_edges(samples, v1, v12 + more);
      if (quotient > 0) add_at_edges(samples, (v12 + more) * (v12 + more) / quotient, v12 + more);
    }
  }
  expect_same(samples, 100);
  expect_same(samples, 1);
}

TEST_F(VifGpuExplain, IsThatOfDoublesAtTheLimitOfTheGain) {
  for (const double limit : kLimits) {
    std::vector<Moments> samples;
    for (int i = 0; i < 1500; ++i) {
      const int64_t v1 = number(kNoise, static_cast<int64_t>(0x1p31 / (limit * limit)));
      const auto v12 = static_cast<int64_t>(limit * static_cast<double>(v1));
      for (int64_t more = -2; more <= 3; ++more) {
        add_at_edges(samples, v1, v12 + more);
        add(samples, v1, number(1, kSquareOfMean), v12 + more);
      }
    }
    expect_same(samples, limit);
  }
}

// What a gain of the limit explains is nearly a whole number: the squares of 1.2, 1.9 and 1.7 are a little
// less than 1.44, 3.61 and 2.89 as doubles, those of the others more. Products with multiples of 400 are
// rounded up to the whole number.
TEST_F(VifGpuExplain, IsThatOfDoublesWhereTheLimitExplainsNearlyAWholeNumber) {
  for (const double limit : {1.2, 1.9, 1.7, 1.05, 1.1}) {
    std::vector<Moments> samples;
    while (samples.size() < 10000) {
      const int64_t v1 = number(kNoise, kSquareOfMean / 8) / 400 * 400;
      const auto explained = static_cast<int64_t>(std::lround(limit * limit * static_cast<double>(v1)));
      const int64_t v12 = static_cast<int64_t>(limit * static_cast<double>(v1)) + number(1, 100000);
      const int64_t block = int64_t{1} << (2 + random_() % 14),
                    least = (kNoise + explained + block) / block * block;
      for (int64_t more = -1; more <= 2; ++more)
        add(samples, v1, v12 * v12 / v1 + least - kNoise - explained + more, v12);
    }
    expect_same(samples, limit);
  }
}

}  // namespace
}  // namespace vq::vif::gpu
