// Counting on a device, which stands beside that of the CPU in tests of the stages; and what a buffer of
// counts holds.
#include "feature/histogram/histogram.h"
#include "shaders/histogram/shared.h"
#include "tests/histogram/counted.h"
#include "tests/support/gpu_test.h"

namespace vq::histogram::gpu {
namespace {

using namespace vq::test;
using test::Counted;

// Adds to the channels what record(recorder, counts) counts of them.
template <typename Record>
void count_on_device(const BinRule& rule, std::span<ChannelCounts> channels, const Record& record) {
  const int64_t each = channel_bytes(rule), bytes = each * static_cast<int64_t>(channels.size());
  const vulkan::Buffer counts = recorded(bytes, [&](vulkan::Recorder& recorder, const vulkan::Buffer& there) {
    recorder.fill(there, 0);
    record(recorder, there);
  });
  for (size_t i = 0; i < channels.size(); ++i)
    add_counts(counts.mapped() + static_cast<int64_t>(i) * each, rule, channels[i]);
}

void count_plane(const SampleView& view, const BinRule& rule, ChannelCounts& counts) {
  const vulkan::DevicePlane plane = to_device(view);
  const CountPlanePass pass(test_context(), plane, rule);
  count_on_device(rule, {&counts, 1}, [&](vulkan::Recorder& recorder, const vulkan::Buffer& there) {
    pass.record(recorder, there, 0);
  });
}

void count_rgb(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts) {
  VideoFormat format = {.name = "",
                        .width = planes[0].width(),
                        .height = planes[0].height(),
                        .bit_depth = planes[0].is_u8() ? 8 : 16};
  for (const Chroma chroma :
       {Chroma::k410, Chroma::k411, Chroma::k420, Chroma::k422, Chroma::k440, Chroma::k444}) {
    const ChromaShifts shifts = chroma_shifts(chroma);
    if (shifts.x == rule.shifts.x && shifts.y == rule.shifts.y) format.chroma = chroma;
  }
  Frame frame;
  frame.planes = planes;
  vulkan::DevicePicture picture(test_device(), format, kMaxPlanes);
  const CountRgbPass pass(test_context(), picture, rule);
  picture.upload(frame);
  count_on_device(rule.bins, counts, [&](vulkan::Recorder& recorder, const vulkan::Buffer& there) {
    picture.record(recorder);
    pass.record(recorder, there);
  });
}

[[maybe_unused]] const bool kIsAdded = add_implementation("device", Stages{count_plane, count_rgb});

TEST(HistogramGpuCountPlane, ChannelsLieSideBySideAndAddUp) {
  const BinRule rule = {256, 0};
  const TestPlane<uint8_t> zeros(300, 70, 1, [](int, int) { return 0; });
  const TestPlane<uint8_t> sevens(40, 70, 2, [](int, int) { return 7; });
  Counted counted(rule, 3);
  const CountPlanePass first(test_context(), zeros.on_device, rule),
      last(test_context(), sevens.on_device, rule);
  count_on_device(rule, std::span(counted.channels).first(3),
                  [&](vulkan::Recorder& recorder, const vulkan::Buffer& counts) {
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

TEST(HistogramGpu, WorkGroupsHaveBinsOfTheirOwnWhereTheyFit) {
  const auto words = [](int depth, uint32_t channels) {
    return group_bins(BinRule{1U << depth, 0}, channels).words;
  };
  EXPECT_EQ(words(8, 4), 1024U);
  EXPECT_FALSE(group_bins(BinRule{256, 0}, 4).pairs);
  EXPECT_EQ(words(10, 4), 2048U);
  EXPECT_TRUE(group_bins(BinRule{1024, 0}, 4).pairs);
  EXPECT_EQ(words(12, 1), 2048U);
  EXPECT_EQ(group_bins(BinRule{4096, 0}, 4).copies, 0U);
  EXPECT_EQ(group_bins(BinRule{65536, 0}, 1).copies, 0U);
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    for (const uint32_t channels : {1U, kRgbChannels}) {
      EXPECT_LE(group_bins(BinRule{1U << depth, 0}, channels).words, kMostWords);
      EXPECT_GE(group_bins(BinRule{1U << depth, 0}, channels).words, 1U);
    }
  }
}

}  // namespace
}  // namespace vq::histogram::gpu
