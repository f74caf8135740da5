#include "feature/device_feature.h"

#include <algorithm>
#include <chrono>

#include "core/metric.h"
#include "shaders/common_copy_quads.h"

namespace vq {
namespace {

using vulkan::Buffer;
using vulkan::Memory;

constexpr std::chrono::seconds kBandwidthTimeout{60};
constexpr int kRuns = 7;
// More than caches hold, which on devices are up to some hundred million bytes; software copies as the host
// does.
constexpr int64_t kBytes = int64_t{512} << 20, kSoftwareBytes = int64_t{64} << 20;
// Bytes of a frame or two.
constexpr int64_t kLinkBytes = int64_t{32} << 20;

// Seconds that the device takes for what was recorded, in the middle of several runs.
double seconds_of(vulkan::Recorder& recorder) {
  vulkan::CommandList list = recorder.finish();
  std::vector<double> times;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    list.submit();
    list.wait(kBandwidthTimeout);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double by_clock = list.times().empty() ? 0 : 1e-3 * list.times()[0].milliseconds;
    times.push_back(by_clock > 0 ? by_clock : wall.count());
  }
  return median(times);
}

double bytes_a_second(int64_t bytes, double seconds) {
  return static_cast<double>(bytes) / std::max(seconds, 1e-9);
}

// Not a copy command, which some devices carry out at a fifth of what their shaders reach.
double memory_bandwidth(const std::shared_ptr<vulkan::Device>& device) {
  const vulkan::DeviceInfo& info = device->info();
  const int64_t wanted = info.type == vulkan::DeviceType::kSoftware ? kSoftwareBytes : kBytes;
  const int64_t allowed = std::min(info.max_buffer_bytes, info.memory_bytes / 8);
  const int64_t bytes = std::max<int64_t>(std::min(wanted, allowed) / 16 * 16, 16);
  const Buffer a(device, Memory::kDevice, bytes), b(device, Memory::kDevice, bytes);
  const vulkan::Pipeline copy(device, shaders::kCommonCopyQuads, {});
  vulkan::Recorder recorder(device);
  recorder.fill(a, 1);
  recorder.begin_stage("copy");
  constexpr uint32_t kGroups = 4096;
  const std::array push = {static_cast<uint32_t>(bytes / 16), kGroups * 256};
  recorder.pass(copy, {&a, &b}).run(push, {kGroups});
  recorder.pass(copy, {&b, &a}).run(push, {kGroups});
  return bytes_a_second(4 * bytes, seconds_of(recorder));
}

double link_bandwidth(const std::shared_ptr<vulkan::Device>& device, const Buffer& from, const Buffer& to) {
  vulkan::Recorder recorder(device);
  recorder.begin_stage("copy");
  recorder.copy(from, to);
  return bytes_a_second(from.bytes(), seconds_of(recorder));
}

}  // namespace

DeviceBandwidth device_bandwidth(const std::string& selector) {
  return measure_bandwidth(vulkan::Device::open({.selector = selector}));
}

DeviceBandwidth measure_bandwidth(const std::shared_ptr<vulkan::Device>& device) {
  const Buffer on(device, Memory::kDevice, kLinkBytes), up(device, Memory::kUpload, kLinkBytes),
      back(device, Memory::kReadback, kLinkBytes);
  return {.memory = memory_bandwidth(device),
          .upload = link_bandwidth(device, up, on),
          .readback = link_bandwidth(device, on, back)};
}

namespace {

constexpr std::chrono::seconds kTimeout{60};
constexpr uint32_t kSeedsEach = 16;  // even: a picture's planes are banded or not together

VideoFormat of_size(VideoFormat like, PlaneSize size) {
  like.width = size.width;
  like.height = size.height;
  return like;
}

// Samples of a plane of a CheckPicture. Noise reaches all bits; ramps with flat parts are smooth, and banded
// in every other picture, so that sums meet small and equal terms; blocks of the ends of the range, of single
// samples and of what is the same in all pictures reach what is rare elsewhere.
class CheckSamples {
 public:
  CheckSamples(PlaneSize size, int bit_depth, uint32_t seed)
      : size_(size), bit_depth_(bit_depth), max_((1U << bit_depth) - 1), number_(seed), noise_(seed) {}

  // In the order of rows.
  uint32_t next(int x, int y) {
    noise_ = noise_ * 1664525 + 1013904223;  // Numerical Recipes
    const int third = (size_.width + 2) / 3, part = x / third;
    if (part == 0) return noise_ >> (32 - bit_depth_);
    return part == 1 ? ramp(x - third, y, third) : block(x, y);
  }

 private:
  uint32_t ramp(int x, int y, int width) const {
    const bool is_flat = y / 8 % 3 == 1;
    const auto along = static_cast<uint32_t>(is_flat ? width : 2 * x + y),
               all = static_cast<uint32_t>(2 * width + size_.height);
    const uint32_t value = along * max_ / all;
    return number_ % 2 == 0 ? value : value >> (bit_depth_ - 6) << (bit_depth_ - 6);
  }
  uint32_t block(int x, int y) const {
    const auto number = static_cast<uint32_t>(x / 8 + 5 * (y / 8)), kind = (number * (number_ + 1)) % 6;
    const bool is_odd = (x + y) % 2 != 0, is_single = x % 8 == 3 && y % 8 == 4;
    const uint32_t values[] = {0,
                               max_,
                               is_odd ? max_ : 0,
                               (max_ + 1) / 2,
                               is_single ? max_ : 1,
                               (number * 37 + static_cast<uint32_t>(x * y)) & max_};
    return values[number % 7 == 0 ? 5 : kind];
  }

  const PlaneSize size_;
  const int bit_depth_;
  const uint32_t max_, number_;
  uint32_t noise_;
};

template <typename T>
Plane<T> check_plane(PlaneSize size, CheckSamples samples) {
  Plane<T> plane(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) plane.row(y)[x] = static_cast<T>(samples.next(x, y));
  }
  return plane;
}

}  // namespace

CheckPicture::CheckPicture(const vulkan::Context& context, VideoFormat like, int planes, uint32_t seed,
                           PlaneSize size)
    : format_(of_size(std::move(like), size)), on_device_(context.device(), format_, planes) {
  frame_.bit_depth = format_.bit_depth;
  for (int i = 0; i < on_device_.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    const PlaneSize of_plane = plane_size(format_, i);
    const CheckSamples samples(of_plane, format_.bit_depth, seed + kSeedsEach * static_cast<uint32_t>(i));
    if (format_.bit_depth > 8) {
      words_[at] = check_plane<uint16_t>(of_plane, samples);
      frame_.planes[at].u16 = words_[at].view();
    } else {
      bytes_[at] = check_plane<uint8_t>(of_plane, samples);
      frame_.planes[at].u8 = bytes_[at].view();
    }
  }
}

FeatureMemory slot_memory(const VideoFormats& formats,
                          const std::function<void(vulkan::Context&, const DeviceFrame&)>& make_work) {
  constexpr size_t kMostBefore = 60;
  const MemoryCount pictures;
  const vulkan::DevicePicture distorted(nullptr, formats.distorted, kMaxPlanes),
      reference(nullptr, formats.reference.value_or(formats.distorted), kMaxPlanes);
  const DeviceFrame frame{.distorted = distorted,
                          .reference = &reference,
                          .distorted_before = std::vector(kMostBefore, &distorted),
                          .references_before = std::vector(kMostBefore, &reference)};
  vulkan::Context context(nullptr);
  const MemoryCount with_tables;
  make_work(context, frame);
  const MemoryCount slot;  // finds the tables in the context
  make_work(context, frame);
  return {.fixed = 2 * (with_tables.bytes() - slot.bytes()),
          .each_slot = slot.bytes(),
          .largest_buffer = slot.largest_buffer()};
}

void run_once(const vulkan::Context& context, std::span<CheckPicture* const> pictures,
              const std::function<void(vulkan::Recorder&)>& record) {
  vulkan::Recorder recorder(context.device());
  for (CheckPicture* const picture : pictures) picture->on_device().record(recorder);
  record(recorder);
  vulkan::CommandList list = recorder.finish();
  for (CheckPicture* const picture : pictures) picture->on_device().upload(picture->frame());
  list.submit();
  list.wait(kTimeout);
}

}  // namespace vq
