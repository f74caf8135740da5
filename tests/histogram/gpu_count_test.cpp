// The passes on the device against the stages' scalar versions.
#include <functional>

#include "feature/histogram/device.h"
#include "shaders/histogram/shared.h"
#include "tests/histogram/counted.h"
#include "tests/support/gpu_test.h"

namespace vq::histogram::gpu {
namespace {

using namespace vq::test;
using test::Counted;

BinRule own_bins(int depth) {
  return {.bins = 1U << depth, .shift = 0};
}
BinRule of_256_bins(int depth) {
  return {.bins = 256, .shift = static_cast<uint32_t>(depth - 8)};
}

// Runs what `record` records behind setting the counts of all channels to zero.
template <typename Record>
void count_on_device(const BinRule& rule, Counted& counted, Record record) {
  const int64_t each = channel_bytes(rule), bytes = each * static_cast<int64_t>(counted.count());
  const vulkan::Buffer counts = recorded(bytes, [&](vulkan::Recorder& recorder, const vulkan::Buffer& there) {
    recorder.fill(there, 0);
    record(recorder, there);
  });
  for (size_t i = 0; i < counted.count(); ++i) {
    add_counts(counts.mapped() + static_cast<int64_t>(i) * each, rule, counted.channels[i]);
  }
}

using Level = std::function<uint32_t(int x, int y)>;

uint32_t noise(int x, int y) {
  uint32_t bits = static_cast<uint32_t>(x) * 2654435761U ^ static_cast<uint32_t>(y) * 2246822519U;
  bits ^= bits >> 15;
  bits *= 2654435761U;
  return bits >> 13;
}

// All below 2^depth; the last is for planes alone: decoded samples may be beyond the range of their depth.
std::vector<std::pair<std::string, Level>> pictures(int depth) {
  const uint32_t top = (1U << depth) - 1, middle = 1U << (depth - 1);
  return {{"flat", [=](int, int) { return middle + 3; }},
          {"black", [](int, int) { return 0U; }},
          {"white", [=](int, int) { return top; }},
          {"noise", [=](int x, int y) { return noise(x, y) & top; }},
          {"ramp", [=](int x, int y) { return static_cast<uint32_t>(x + y / 3) & top; }},
          {"columns", [=](int x, int) { return x % 2 == 0 ? middle : middle + 1; }},
          {"one sample", [=](int x, int y) { return x == 0 && y == 0 ? top : middle; }}};
}

// Around the vectors of an invocation and the tiles of a work group.
constexpr std::pair<int, int> kSizes[] = {{1, 1},    {2, 3},    {7, 3},     {9, 65},
                                          {130, 63}, {256, 64}, {257, 129}, {523, 131}};

template <typename T>
::testing::AssertionResult counts_plane(const TestPlane<T>& plane, const BinRule& rule) {
  Counted device(rule, 1), host(rule, 1);
  const CountPlanePass pass(test_context(), plane.on_device, rule);
  count_on_device(rule, device, [&](vulkan::Recorder& recorder, const vulkan::Buffer& counts) {
    pass.record(recorder, counts, 0);
  });
  scalar::count_plane(plane.view(), rule, host.channels[0]);
  return device.same(host);
}

template <typename T>
void compare_planes(int depth) {
  std::vector<std::pair<std::string, Level>> all = pictures(depth);
  all.emplace_back("beyond the range", [](int x, int y) { return noise(x, y); });
  for (const auto& [name, level] : all) {
    for (const auto& [width, height] : kSizes) {
      const TestPlane<T> plane(width, height, 3, level);
      for (const BinRule& rule : {own_bins(depth), of_256_bins(depth)}) {
        ASSERT_TRUE(counts_plane(plane, rule))
            << name << " " << width << "x" << height << ", " << depth << " bits, " << rule.bins << " bins";
      }
    }
  }
}

TEST(HistogramGpuCountPlane, EqualsScalar) {
  compare_planes<uint8_t>(8);
  for (const int depth : {9, 10, 12, 14, 16}) compare_planes<uint16_t>(depth);
}

TEST(HistogramGpuCountPlane, ChannelsLieSideBySideAndAddUp) {
  const BinRule rule = own_bins(8);
  const TestPlane<uint8_t> zeros(300, 70, 1, [](int, int) { return 0; });
  const TestPlane<uint8_t> sevens(40, 70, 2, [](int, int) { return 7; });
  Counted counted(rule, 3);
  const CountPlanePass first(test_context(), zeros.on_device, rule),
      last(test_context(), sevens.on_device, rule);
  count_on_device(rule, counted, [&](vulkan::Recorder& recorder, const vulkan::Buffer& counts) {
    first.record(recorder, counts, 0);
    last.record(recorder, counts, 2);
    last.record(recorder, counts, 2);
  });
  EXPECT_EQ(counted.bins(0)[0], 300U * 70);
  EXPECT_EQ(counted.bins(2)[7], 2U * 40 * 70);
  EXPECT_EQ(counted.channels[2].min, 7U);
  EXPECT_EQ(counted.channels[2].max, 7U);
  for (const uint32_t count : counted.bins(1)) EXPECT_EQ(count, 0U);
  EXPECT_GT(counted.channels[1].min, counted.channels[1].max);
}

// A picture on the host and on the device.
class TestPicture {
 public:
  TestPicture(const VideoFormat& format, const Level& level) : picture_(test_device(), format, kMaxPlanes) {
    for (int i = 0; i < kMaxPlanes; ++i) {
      const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
      const auto moved = [&](int x, int y) { return level(x + 5 * i, y + 11 * i); };
      const auto at = static_cast<size_t>(i);
      if (format.bit_depth == 8) {
        bytes_.push_back(std::make_unique<TestPlane<uint8_t>>(size.width, size.height, 3, moved));
        frame_.planes[at] = bytes_.back()->view();
      } else {
        words_.push_back(std::make_unique<TestPlane<uint16_t>>(size.width, size.height, 3, moved));
        frame_.planes[at] = words_.back()->view();
      }
    }
  }

  ::testing::AssertionResult counts(const RgbRule& rule) {
    Counted device(rule.bins, kRgbChannels), host(rule.bins, kRgbChannels);
    const CountRgbPass pass(test_context(), picture_, rule);
    picture_.upload(frame_);
    count_on_device(rule.bins, device, [&](vulkan::Recorder& recorder, const vulkan::Buffer& counts) {
      picture_.record(recorder);
      pass.record(recorder, counts);
    });
    scalar::count_rgb(frame_.planes, rule, host.channels);
    return device.same(host);
  }

 private:
  std::vector<std::unique_ptr<TestPlane<uint8_t>>> bytes_;
  std::vector<std::unique_ptr<TestPlane<uint16_t>>> words_;
  Frame frame_;
  vulkan::DevicePicture picture_;
};

struct Colour {
  int depth;
  Chroma chroma;
  Matrix matrix;
  Range range;
};

void compare_colours(const Colour& colour, int width, int height) {
  const VideoFormat format = {
      .name = "", .width = width, .height = height, .bit_depth = colour.depth, .chroma = colour.chroma};
  std::vector<std::pair<std::string, Level>> all = pictures(colour.depth);
  if (colour.depth > 8) all.emplace_back("beyond the range", [](int x, int y) { return noise(x, y); });
  for (const auto& [name, level] : all) {
    TestPicture picture(format, level);
    for (const BinRule& bins : {own_bins(colour.depth), of_256_bins(colour.depth)}) {
      const RgbRule rule = {rgb_constants(colour.matrix, colour.range, colour.depth),
                            chroma_shifts(colour.chroma), bins};
      ASSERT_TRUE(picture.counts(rule))
          << name << " " << width << "x" << height << ", " << colour.depth << " bits, "
          << to_string(colour.chroma) << ", " << bins.bins << " bins";
    }
  }
}

TEST(HistogramGpuCountRgb, EqualsScalarWhateverTheSampling) {
  for (const Chroma chroma :
       {Chroma::k410, Chroma::k411, Chroma::k420, Chroma::k422, Chroma::k440, Chroma::k444}) {
    for (const auto& [width, height] : kSizes) {
      compare_colours({8, chroma, Matrix::kBt709, Range::kLimited}, width, height);
      compare_colours({10, chroma, Matrix::kBt601, Range::kFull}, width, height);
    }
  }
}

TEST(HistogramGpuCountRgb, EqualsScalarWhateverTheDepth) {
  for (const Range range : {Range::kLimited, Range::kFull}) {
    for (const int depth : {9, 12, 16})
      compare_colours({depth, Chroma::k420, Matrix::kBt2020, range}, 130, 67);
    compare_colours({14, Chroma::k444, Matrix::kBt709, range}, 259, 67);
  }
}

TEST(HistogramGpu, WorkGroupsHaveBinsOfTheirOwnWhereTheyFit) {
  const auto words = [](int depth, uint32_t channels) { return group_bins(own_bins(depth), channels).words; };
  EXPECT_EQ(words(8, 4), 1024U);
  EXPECT_FALSE(group_bins(own_bins(8), 4).pairs);
  EXPECT_EQ(words(10, 4), 2048U);
  EXPECT_TRUE(group_bins(own_bins(10), 4).pairs);
  EXPECT_EQ(words(12, 1), 2048U);
  EXPECT_EQ(group_bins(own_bins(12), 4).copies, 0U);
  EXPECT_EQ(group_bins(own_bins(16), 1).copies, 0U);
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    for (const uint32_t channels : {1U, kRgbChannels}) {
      EXPECT_LE(group_bins(own_bins(depth), channels).words, kMostWords);
      EXPECT_GE(group_bins(own_bins(depth), channels).words, 1U);
    }
  }
}

}  // namespace
}  // namespace vq::histogram::gpu
