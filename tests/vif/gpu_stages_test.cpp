// The passes on the device against the stages' scalar versions.
#include <algorithm>

#include "feature/vif/device.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/gpu_test.h"
#include "tests/vif/stages_test.h"

namespace vq::vif {

namespace gpu {
namespace {

using namespace vq::test;
using test::text_of;
using test::top_of;

// Both pictures of a scale on the host, in planes with guards, as words.
struct HostPair {
  HostPair(PlaneSize size) : reference(size.width, size.height), distorted(size.width, size.height) {}
  PlaneSize size() const { return {reference.width(), reference.height()}; }
  Pictures pictures() const {
    return {{.u8 = {}, .u16 = reference.view()}, {.u8 = {}, .u16 = distorted.view()}};
  }
  // With what level(x, y) returns, the reference's first.
  template <typename Level>
  HostPair& fill(const Level& level) {
    for (int y = 0; y < reference.height(); ++y) {
      for (int x = 0; x < reference.width(); ++x) {
        const std::pair<int, int> both = level(x, y);
        reference.row(y)[x] = static_cast<uint16_t>(both.first);
        distorted.row(y)[x] = static_cast<uint16_t>(both.second);
      }
    }
    return *this;
  }
  Plane<uint16_t> reference, distorted;
};

HostPair noise_pair(PlaneSize size, int top, unsigned seed) {
  std::minstd_rand random(seed);
  const auto level = [&] { return static_cast<int>((random() >> 8) % static_cast<unsigned>(top + 1)); };
  HostPair pair(size);
  pair.fill([&](int, int) {
    const int reference = level();
    return std::pair(reference, level());
  });
  return pair;
}

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
  return std::move(result.fill([&](int x, int y) {
    uint32_t word = 0;
    std::memcpy(&word, readback.mapped() + (y * pair.pitch() + x) * 4, 4);
    return std::pair(static_cast<int>(word & 0xFFFF), static_cast<int>(word >> 16));
  }));
}

void expect_same(const HostPair& actual, const HostPair& expected, const std::string& what) {
  ASSERT_TRUE(same_samples(actual.reference.view(), expected.reference.view())) << "reference, " << what;
  ASSERT_TRUE(same_samples(actual.distorted.view(), expected.distorted.view())) << "distorted, " << what;
}

// What is behind rows is none of a picture.
template <typename R, typename D>
void expect_pair(PlaneSize size, int reference_shift, int distorted_shift) {
  const auto [width, height] = size;
  const TestPlane<R> r(width, height, 1,
                       [](int x, int y) { return (x * 7919 + y * 31) & (sizeof(R) == 1 ? 0xFF : 0x3FF); });
  const TestPlane<D> d(width, height, 2,
                       [](int x, int y) { return (x * 31 + y * 6101) & (sizeof(D) == 1 ? 0xFF : 0x3FF); });
  const PicturePair out = empty_pair(size);
  const vulkan::Buffer beyond(test_device(), vulkan::Memory::kDevice, 4),
      told(test_device(), vulkan::Memory::kReadback, 4);
  const PairPass pass(test_context(), {r.on_device, reference_shift, sizeof(R) == 1 ? 8 : 10},
                      {d.on_device, distorted_shift, sizeof(D) == 1 ? 8 : 10});
  const HostPair actual = from_device(out, [&](vulkan::Recorder& recorder) {
    recorder.fill(beyond, 0xFFFFFFFF);
    pass.record(recorder, out, beyond);
    recorder.copy(beyond, told);
  });
  HostPair expected(size);
  widen(r.view(), reference_shift, expected.reference.view());
  widen(d.view(), distorted_shift, expected.distorted.view());
  expect_same(actual, expected, std::to_string(width) + "x" + std::to_string(height));
  EXPECT_EQ(told.mapped()[0], std::byte{0});
}

TEST(VifGpuPair, BringsPlanesToOneDepth) {
  for (const PlaneSize size : {PlaneSize{8, 8}, {9, 21}, {15, 8}, {257, 17}, {300, 9}}) {
    expect_pair<uint8_t, uint8_t>(size, 0, 0);
    expect_pair<uint8_t, uint16_t>(size, 2, 0);
    expect_pair<uint16_t, uint8_t>(size, 0, 8);
    expect_pair<uint16_t, uint16_t>(size, 0, 6);
  }
}

TEST(VifGpuPair, TellsOfSamplesBeyondTheirDepth) {
  const PlaneSize size = {19, 9};
  const auto told = [&](int reference_level, int distorted_level) {
    const auto at_corner = [&](int level) {
      return [=](int x, int y) { return x == 18 && y == 8 ? level : 1023; };
    };
    const TestPlane<uint16_t> r(size.width, size.height, 1, at_corner(reference_level));
    const TestPlane<uint16_t> d(size.width, size.height, 2, at_corner(distorted_level));
    const PicturePair out = empty_pair(size);
    const PairPass pass(test_context(), {r.on_device, 2, 10}, {d.on_device, 0, 12});
    const vulkan::Buffer beyond =
        recorded(4, [&](auto& recorder, const vulkan::Buffer& there) { pass.record(recorder, out, there); });
    return beyond.mapped()[0] != std::byte{0};
  };
  EXPECT_FALSE(told(1023, 4095));
  EXPECT_TRUE(told(1024, 4095));
  EXPECT_TRUE(told(1023, 4096));
  EXPECT_TRUE(told(0x8000, 0));
}

HostPair decimated(const HostPair& in, const Scale& scale) {
  HostPair out({in.size().width / 2, in.size().height / 2});
  Rows rows(in.size().width);
  scalar::decimate(in.pictures().reference, scale, out.reference.view(), rows);
  scalar::decimate(in.pictures().distorted, scale, out.distorted.view(), rows);
  return out;
}

void expect_decimated(const HostPair& in, const Scale& scale) {
  const HostPair expected = decimated(in, scale);
  const PicturePair from = to_device(in), to = empty_pair(expected.size());
  const DecimatePass pass(test_context(), scale, in.size());
  const HostPair actual =
      from_device(to, [&](vulkan::Recorder& recorder) { pass.record(recorder, from, to); });
  expect_same(actual, expected, text_of(scale, in.size()));
}

TEST(VifGpuDecimate, EqualsScalarOnAnySize) {
  unsigned seed = 0;
  for (const PlaneSize size : {PlaneSize{2, 2},
                               {3, 2},
                               {2, 5},
                               {4, 7},
                               {5, 9},
                               {8, 8},
                               {9, 33},
                               {9, 9},
                               {121, 18},
                               {128, 16},
                               {260, 40}}) {
    for (const Scale& scale : {Scale{0, 8}, {0, 9}, {0, 16}, {1, 8}, {2, 10}}) {
      expect_decimated(noise_pair(size, top_of(scale), ++seed), scale);
    }
  }
}

TEST(VifGpuDecimate, HasRoomForTheLargestSamples) {
  for (const Scale& scale : {Scale{0, 8}, {0, 10}, {0, 16}, {1, 8}, {2, 10}}) {
    const int top = top_of(scale);
    expect_decimated(HostPair({130, 20}).fill([&](int, int) { return std::pair(top, top); }), scale);
    expect_decimated(
        HostPair({130, 20}).fill([&](int x, int y) { return std::pair(x % 2 * top, y % 2 * top); }), scale);
  }
}

ScaleSums sums_on_device(const HostPair& pair, const Scale& scale, double limit) {
  const StatisticsPass pass(test_context(), scale, pair.size(), limit);
  const PicturePair pictures = to_device(pair);
  const vulkan::Buffer sums =
      recorded(StatisticsPass::sum_bytes(pair.size()),
               [&](auto& recorder, const vulkan::Buffer& there) { pass.record(recorder, pictures, there); });
  return pass.sums(sums.mapped());
}

void expect_statistics(const HostPair& pair, const Scale& scale, double limit) {
  Rows rows(pair.size().width);
  ASSERT_EQ(sums_on_device(pair, scale, limit), scalar::statistics(pair.pictures(), scale, limit, rows))
      << text_of(scale, pair.size()) << ", limit " << limit;
}

constexpr Scale kScalesTried[] = {{0, 8}, {0, 9}, {0, 10}, {0, 12}, {0, 16}, {1, 8}, {2, 8}, {3, 8}};

// Columns of 0 and 1024 at scale 3 have a variance of 232817: see tests/vif/statistics_test.cpp.
TEST(VifGpuStatistics, StripesHaveTheVarianceThatTheirTapsGiveThem) {
  const HostPair stripes =
      std::move(HostPair({50, 7}).fill([](int x, int) { return std::pair(x % 2 * 1024, x % 2 * 1024); }));
  EXPECT_EQ(sums_on_device(stripes, {3, 8}, 100),
            (ScaleSums{.num_log = 350 * (37833 - 34816), .den_log = 350 * (37833 - 34816)}));
  const HostPair one =
      std::move(HostPair({50, 7}).fill([](int x, int) { return std::pair(512, x % 2 * 1024); }));
  EXPECT_EQ(sums_on_device(one, {3, 8}, 100), (ScaleSums{.flat = 350, .flat_variance = 350 * 232817}));
}

TEST(VifGpuStatistics, EqualScalarOnAnySize) {
  unsigned seed = 0;
  for (const PlaneSize size : {PlaneSize{1, 1},
                               {2, 1},
                               {1, 9},
                               {3, 8},
                               {7, 7},
                               {8, 9},
                               {9, 8},
                               {17, 3},
                               {111, 8},
                               {112, 9},
                               {113, 16},
                               {230, 25}}) {
    for (const Scale& scale : kScalesTried)
      expect_statistics(noise_pair(size, top_of(scale), ++seed), scale, 100);
  }
}

// Where some samples are flat and others are not, where the distorted picture follows the reference, and
// where it exceeds it.
TEST(VifGpuStatistics, EqualScalarOnPicturesThatFollowEachOther) {
  for (const Scale& scale : kScalesTried) {
    const int top = top_of(scale), level = (top + 1) / 256;
    for (const double contrast : {0.3, 1.0, 1.7}) {
      for (const int noise : {0, 2}) {
        std::minstd_rand random(static_cast<unsigned>(top));
        const auto within = [&](int reach) {
          return static_cast<int>(random() >> 12) % (2 * reach + 1) - reach;
        };
        const HostPair pair = std::move(HostPair({93, 61}).fill([&](int x, int) {
          const int deviation = within(10) * level * x / 93, own = noise == 0 ? 0 : within(noise * level);
          return std::pair(
              top / 2 + deviation,
              std::clamp(static_cast<int>(std::lround(top / 2 + contrast * deviation)) + own, 0, top));
        }));
        for (const double limit : {1.0, 1.05, 100.0}) expect_statistics(pair, scale, limit);
      }
    }
  }
}

// A single sample differs by a little: covariances are nearly variances, where few bits decide.
TEST(VifGpuStatistics, EqualScalarOnPicturesThatAreNearlyTheSame) {
  for (const Scale& scale : kScalesTried) {
    HostPair pair = noise_pair({93, 61}, top_of(scale), 11);
    for (int y = 0; y < 61; ++y) std::copy_n(pair.reference.row(y), 93, pair.distorted.row(y));
    pair.distorted.row(20)[33] ^= 1;
    pair.distorted.row(50)[70] ^= 3;
    for (const double limit : {1.0, 100.0}) expect_statistics(pair, scale, limit);
  }
}

// The largest moments that there are.
TEST(VifGpuStatistics, EqualScalarOnExtremes) {
  for (const Scale& scale : kScalesTried) {
    const int top = top_of(scale);
    std::minstd_rand random(5);
    const auto half = [=](int x, int) { return x < 60 ? 0 : top; };
    const auto checks = [=](int x, int y) { return (x / 8 + y / 8) % 2 * top; };
    const auto noise = [&](int, int) { return (random() >> 9) % 2 == 0 ? 0 : top; };
    const auto white = [=](int, int) { return top; };
    const auto try_both = [&](const auto& r, const auto& d) {
      HostPair pair({125, 21});
      pair.fill([&](int x, int y) {
        const int reference = r(x, y);
        return std::pair(reference, d(x, y));
      });
      expect_statistics(pair, scale, 100);
      expect_statistics(pair, scale, 1);
    };
    try_both(half, half);
    try_both(half, checks);
    try_both(checks, half);
    try_both(noise, noise);
    try_both(white, noise);
    try_both(noise, white);
    try_both(white, white);
  }
}

}  // namespace
}  // namespace gpu
}  // namespace vq::vif
