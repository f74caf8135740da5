// Memory for decoders that a device copies from, and pictures on their way from there and from elsewhere, on
// devices that may not answer in time.
#include "vulkan/recorder.h"

#include <barrier>

#include "feature/slot_pool.h"
#include "shaders/vulkan_wait_for_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/extractor_test.h"
#include "tests/support/gpu_test.h"
#include "vulkan/device_impl.h"

namespace vq::vulkan {
namespace {

using namespace vq::test;

constexpr int64_t kPiece = 100'000;
constexpr int64_t kManyBytes = int64_t{1} << 28;

TEST(VulkanStore, PiecesCanBeWrittenAndComeBack) {
  const auto store = make_frame_store(test_device(), kManyBytes);
  std::shared_ptr<const HostVisibleMemory> first = store->take(kPiece);
  ASSERT_NE(first, nullptr);
  EXPECT_GE(first->bytes(), kPiece);
  EXPECT_EQ(first->device(), test_device().get());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first->data()) % kStoreAlignment, 0U);
  std::memset(first->data(), 7, static_cast<size_t>(first->bytes()));
  const std::shared_ptr<const HostVisibleMemory> second = store->take(kPiece);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second->data(), first->data());
  std::byte* const data = first->data();
  first.reset();
  const int64_t buffers = test_device()->buffers_left();
  EXPECT_EQ(store->take(kPiece)->data(), data);
  EXPECT_EQ(test_device()->buffers_left(), buffers);
}

TEST(VulkanStore, HasALimitAndMakesRoomForOtherSizes) {
  const auto store = make_frame_store(test_device(), 3 * kPiece);
  std::shared_ptr<const HostVisibleMemory> first = store->take(kPiece), second = store->take(kPiece);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(store->take(kPiece), nullptr);  // sizes are rounded up
  EXPECT_EQ(store->take(2 * kPiece), nullptr);
  first.reset();
  EXPECT_EQ(store->take(int64_t{3} * kPiece), nullptr);
  second.reset();
  EXPECT_NE(store->take(2 * kPiece), nullptr);
}

TEST(VulkanStore, WhatIsRefusedIsNotAskedForAgain) {
  int asked = 0;
  const auto hook = [&](Call call) { return call == Call::kAllocateMemory && ++asked > 1 ? -2 : 0; };
  const auto store = make_frame_store(Device::open(test_options(Validation::kOff), hook), kManyBytes);
  std::shared_ptr<const HostVisibleMemory> first = store->take(kPiece);
  ASSERT_NE(first, nullptr);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(store->take(kPiece), nullptr);
  EXPECT_EQ(asked, 2);
  first.reset();
  EXPECT_NE(store->take(kPiece), nullptr);
}

TEST(VulkanStore, PiecesOutliveItAndKeepTheDeviceOpen) {
  std::shared_ptr<Device> device = Device::open(test_options(Validation::kOff));
  const std::weak_ptr<Device> seen = device;
  auto store = make_frame_store(device, kManyBytes);
  device.reset();
  std::shared_ptr<const HostVisibleMemory> unused = store->take(kPiece), held = store->take(kPiece);
  unused.reset();
  store.reset();
  EXPECT_FALSE(seen.expired());
  std::memset(held->data(), 1, static_cast<size_t>(held->bytes()));
  std::thread([&] { held.reset(); }).join();
  EXPECT_TRUE(seen.expired());
}

TEST(VulkanStore, ServesSeveralThreads) {
  const auto store = make_frame_store(test_device(), kManyBytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        const auto piece = store->take(kPiece * (1 + k % 3));
        ASSERT_NE(piece, nullptr);
        std::memset(piece->data(), i, kPiece);
        for (int64_t at = 0; at < kPiece; at += 999) ASSERT_EQ(piece->data()[at], std::byte(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Small buffers lie in memory that one thread maps while others bind their own to it.
TEST(VulkanBuffer, SeveralThreadsMakeThemAtOnce) {
  const auto device = Device::open(test_options(Validation::kCore));
  constexpr int kThreads = 8;
  std::barrier all(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 400; ++k) {
        all.arrive_and_wait();
        const Buffer buffer(device, Memory::kUpload, 1000);
        all.arrive_and_wait();  // before any of the memory is freed
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(device->take_messages(), IsEmpty());
}

// How a picture lies in a piece.
struct Lie {
  PlaneSize size;
  int depth = 8;
  int64_t first = 0;  // bytes before the first sample
  int64_t extra = 0;  // bytes of the stride beyond the one that devices want; may be negative
  bool unpacked = false;
  bool parallel_map = true;  // the device takes it by itself
};

template <typename T>
void fill(const Lie& lie, HostVisibleMemory const& piece, Plane<T>& expected, PlaneView<const T>& view) {
  const int64_t stride = stored_stride(lie.size.width * static_cast<int64_t>(sizeof(T))) + lie.extra;
  view = {reinterpret_cast<const T*>(piece.data() + lie.first), lie.size.width, lie.size.height,
          static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  std::memset(piece.data(), 0xA5, static_cast<size_t>(piece.bytes()));
  expected = Plane<T>(lie.size.width, lie.size.height);
  unsigned seed = 1;
  for (int y = 0; y < lie.size.height; ++y) {
    for (int x = 0; x < lie.size.width; ++x) {
      seed = seed * 1664525 + 1013904223;
      expected.row(y)[x] = const_cast<T*>(view.row(y))[x] = static_cast<T>(seed >> (32 - lie.depth));
    }
  }
}

template <typename T>
void expect_arrives(const std::shared_ptr<Device>& device, const Lie& lie,
                    PlaneView<const T> SampleView::*view) {
  SCOPED_TRACE(std::to_string(lie.size.width) + "x" + std::to_string(lie.size.height) + " from " +
               std::to_string(lie.first) + ", stride " + std::to_string(lie.extra));
  const auto store = make_frame_store(device, kManyBytes);
  const VideoFormat format = vq::test::make_format("a", {lie.size.width, lie.size.height}, lie.depth);
  DevicePicture picture(device, format, 1);
  // The last sample ends the piece.
  const int64_t stride = stored_stride(lie.size.width * static_cast<int64_t>(sizeof(T))) + lie.extra;
  const int64_t used =
      lie.first + stride * (lie.size.height - 1) + lie.size.width * static_cast<int64_t>(sizeof(T));
  Frame frame;
  frame.bit_depth = lie.depth;
  std::shared_ptr<const HostVisibleMemory> piece = store->take(used);
  ASSERT_NE(piece, nullptr);
  Plane<T> expected;
  fill(lie, *piece, expected, frame.luma().*view);
  frame.place = piece;
  Context context(device);
  const GatherPlanes unpack(context, sizeof(T));
  const PlaneUnpacker* const unpacker = lie.unpacked ? &unpack : nullptr;
  EXPECT_EQ(picture.takes_at_once(frame, unpacker), lie.parallel_map);
  const std::weak_ptr<const HostVisibleMemory> kept = piece;
  piece.reset();
  Upload upload(device, kMaxPlanes);
  upload.begin();
  picture.upload(frame, upload, unpacker);
  frame = {};
  EXPECT_EQ(kept.expired(), !lie.parallel_map);
  upload.submit();
  Buffer readback(device, Memory::kReadback, picture.plane(0).layout.bytes());
  Recorder recorder(device);
  recorder.copy(picture.plane(0).buffer, readback);
  CommandList list = recorder.finish();
  list.submit({.queue = 3, .behind = &upload});
  list.wait(vq::test::kTestTimeout);
  upload.finish();
  EXPECT_TRUE(kept.expired());
  const PlaneView<const T> arrived{
      reinterpret_cast<const T*>(readback.mapped()), lie.size.width, lie.size.height,
      static_cast<ptrdiff_t>(picture.plane(0).layout.stride_bytes() / static_cast<int64_t>(sizeof(T)))};
  EXPECT_TRUE(same_samples<T>(std::as_const(expected).view(), arrived));
  EXPECT_THAT(device->take_messages(), IsEmpty());
}

TEST(VulkanUpload, TakesPlanesFromWhereverTheyLie) {
  for (const Validation validation : {Validation::kCore, Validation::kSynchronization}) {
    const auto device = Device::open(test_options(validation));
    for (const Lie& lie :
         {Lie{{64, 3}}, Lie{{333, 77}}, Lie{{1, 1}}, Lie{{333, 77}, 8, 5},
          Lie{{333, 77}, 8, 0, 64, false, false}, Lie{{333, 77}, 8, 3, -7, false, false},
          Lie{{333, 77}, 8, 0, 64, true}, Lie{{333, 77}, 8, 3, -7, true}, Lie{{64, 3}, 8, 0, 0, true},
          Lie{{513, 9}, 8, 1, 1000, true}, Lie{{1, 1}, 8, 3, 1, true}}) {
      expect_arrives<uint8_t>(device, lie, &SampleView::u8);
    }
    for (const Lie& lie : {Lie{{333, 77}, 10}, Lie{{1, 130}, 16, 2}, Lie{{130, 5}, 12, 6, 2, false, false},
                           Lie{{130, 5}, 12, 6, 2, true}, Lie{{257, 70}, 16, 2, -10, true}}) {
      expect_arrives<uint16_t>(device, lie, &SampleView::u16);
    }
  }
}

// Its next frame is no other's business.
TEST(VulkanUpload, CanBeginAgainAndHaveNothingToDo) {
  const auto device = Device::open(test_options(Validation::kSynchronization));
  Buffer from(device, Memory::kUpload, 64), back(device, Memory::kReadback, 64);
  const Buffer there(device, Memory::kDevice, 64);
  Upload upload(device, kMaxPlanes);
  Recorder recorder(device);
  recorder.copy(there, back);
  CommandList list = recorder.finish();
  for (int i = 0; i < 6; ++i) {
    if (i % 3 != 2) std::memset(from.mapped(), i, 64);
    upload.begin();
    if (i % 3 != 2) upload.copy({.from = &from, .to = &there, .bytes = 64});
    upload.submit();
    list.submit({.queue = static_cast<uint32_t>(i), .behind = &upload});
    list.wait(vq::test::kTestTimeout);
    upload.finish();
    EXPECT_EQ(back.mapped()[63], std::byte(i % 3 == 2 ? i - 1 : i));
    EXPECT_EQ(upload.milliseconds().has_value(), i % 3 != 2 && device->info().has_timestamps);
  }
  EXPECT_THAT(device->take_messages(), IsEmpty());
}

TEST(VulkanUpload, FramesOfOtherDevicesAreCopiedByTheHost) {
  const auto store = make_frame_store(Device::open(test_options(Validation::kOff)), kManyBytes);
  Frame frame;
  frame.place = store->take(4096);
  frame.luma().u8 = {
      reinterpret_cast<const uint8_t*>(static_cast<const HostVisibleMemory&>(*frame.place).data()), 8, 2,
      128};
  EXPECT_EQ(source_of(frame, *test_device()), nullptr);
  const DevicePicture picture(test_device(), vq::test::make_format("a", {8, 2}, 8), 1);
  EXPECT_FALSE(picture.takes_at_once(frame));
}

constexpr uint32_t kTurns = 50'000;
// Enough to last until the host has looked around, also where the device might not see what the host writes.
Groups many_groups(const DeviceInfo& info) {
  return {65535, info.type == DeviceType::kSoftware ? 2U : 1U, 1};
}

void expect_no_answer(const std::function<void()>& function) {
  vq::test::expect_error(ErrorKind::kBackend, {"no answer"}, function);
}

TEST(VulkanLate, WhatADeviceWorksOnIsNeverFreed) {
  std::byte* go = nullptr;
  std::vector<std::weak_ptr<const void>> used;
  {
    const std::shared_ptr<Device> device = Device::open(test_options(Validation::kOff));
    const Pipeline pipeline(device, shaders::kVulkanWaitForHost, {});
    const Buffer in(device, Memory::kUpload, 4), out(device, Memory::kReadback, 64);
    const Buffer other(device, Memory::kUpload, 4);
    go = in.mapped();
    used = {device, pipeline.impl(), in.impl(), out.impl(), other.impl()};
    Recorder recorder(device), second(device);
    recorder.pass(pipeline, {&in, &out}).run(kTurns, many_groups(device->info()));
    CommandList list = recorder.finish();
    second.copy(in, other);
    CommandList behind = second.finish();
    list.submit();
    behind.submit();
    expect_no_answer([&] { list.wait(std::chrono::milliseconds(1)); });
    // Were this not over at once, it would take an hour.
    expect_no_answer([&] { behind.wait(std::chrono::hours(1)); });
    expect_no_answer([&] { list.submit(); });
  }
  for (const auto& each : used) EXPECT_FALSE(each.expired());
  const uint32_t yes = 1;
  std::memcpy(go, &yes, sizeof yes);
}

// The device of the other tests, which is not the one that hung, goes on. It keeps the pipeline itself.
TEST(VulkanLate, APipelineAndBuffersMayGoBeforeTheListThatNamesThem) {
  std::vector<std::weak_ptr<const void>> used;
  CommandList list = [&used] {
    const Pipeline pipeline(test_device(), shaders::kVulkanWaitForHost, {});
    const Buffer in(test_device(), Memory::kUpload, 4), out(test_device(), Memory::kReadback, 64);
    used = {in.impl(), out.impl()};
    Recorder recorder(test_device());
    recorder.pass(pipeline, {&in, &out}).run(kTurns, {});
    return recorder.finish();
  }();
  for (int i = 0; i < 3; ++i) {
    list.submit();
    list.wait(vq::test::kTestTimeout);
  }
  list.submit();
  for (const auto& each : used) EXPECT_FALSE(each.expired());
  list = {};  // waits
  for (const auto& each : used) EXPECT_TRUE(each.expired());
}

}  // namespace
}  // namespace vq::vulkan
