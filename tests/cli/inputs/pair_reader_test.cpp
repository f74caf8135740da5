// One video for several readers: each gets every frame, memory stays bounded, nobody waits for who has left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_inputs.h"
#include "core/error.h"

namespace vq::cli {
namespace {

const StopToken never;

// Counts its frames instead of decoding any; the last one read is an error where that is wanted.
class CountingReader final : public FrameReader {
 public:
  CountingReader(int64_t frames, bool fails, std::atomic<int64_t>& read)
      : frames_(frames), fails_(fails), read_(read) {}
  const VideoInfo& info() const override { return info_; }
  void start() override {}
  std::optional<Frame> next(const StopToken&) override {
    if (read_ == frames_) {
      if (fails_) throw Error(ErrorKind::kIncomplete, "cut");
      return std::nullopt;
    }
    Frame frame;
    frame.index = read_++;
    return frame;
  }
  int64_t skipped() const override { return 3; }
  std::vector<std::string> take_warnings() override { return {}; }
  void use_store(std::shared_ptr<FrameStore> given) override { store = std::move(given); }
  std::optional<StreamLength> measured_length() override { return std::nullopt; }

  std::shared_ptr<FrameStore> store;

 private:
  const int64_t frames_;
  const bool fails_;
  std::atomic<int64_t>& read_;
  VideoInfo info_;
};

struct Source {
  explicit Source(int64_t frames, size_t readers, bool fails = false)
      : shared(std::make_unique<CountingReader>(frames, fails, read), readers, 4) {}
  std::atomic<int64_t> read = 0;
  SharedFrames shared;
};

TEST(SharedFrames, EveryReaderGetsEveryFrameInOrderAndEachIsReadOnce) {
  constexpr int64_t kFrames = 2000;
  Source source(kFrames, 3);
  std::vector<std::vector<int64_t>> got(3);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        const auto reader = source.shared.reader(i);
        while (const auto frame = reader->next(never)) got[i].push_back(frame->index);
      });
    }
  }
  EXPECT_EQ(source.read, kFrames);
  for (const auto& indices : got) {
    ASSERT_EQ(indices.size(), static_cast<size_t>(kFrames));
    for (int64_t k = 0; k < kFrames; ++k) EXPECT_EQ(indices[static_cast<size_t>(k)], k);
  }
}

TEST(SharedFrames, NoReaderGetsFurtherAheadThanTheWindow) {
  Source source(100, 2);
  const auto fast = source.shared.reader(0), slow = source.shared.reader(1);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(fast->next(never)->index, k);
  EXPECT_FALSE(fast->next(StopToken([] { return true; })));  // would have to wait
  EXPECT_EQ(source.read, 4);
  EXPECT_EQ(slow->next(never)->index, 0);
  EXPECT_EQ(fast->next(never)->index, 4);
  EXPECT_EQ(slow->skipped(), 3);
}

// Each has waited by itself, also for those who are behind.
TEST(SharedFrames, EveryReaderKnowsHowLongItWaited) {
  Source source(100, 2);
  const auto fast = source.shared.reader(0), slow = source.shared.reader(1);
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(fast->next(never));
  const double before = fast->waited();
  EXPECT_FALSE(
      fast->next(StopToken([ends = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)] {
        return std::chrono::steady_clock::now() >= ends;
      })));
  EXPECT_GE(fast->waited() - before, 0.02);
  EXPECT_EQ(slow->waited(), 0);
}

TEST(SharedFrames, NobodyWaitsForAReaderThatHasLeft) {
  Source source(100, 2);
  const auto stays = source.shared.reader(0);
  source.shared.leave(1);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(stays->next(never)->index, k);
  EXPECT_FALSE(stays->next(never));
}

TEST(SharedFrames, AnErrorComesToEveryReaderAfterTheFramesBeforeIt) {
  Source source(2, 2, true);
  for (size_t i = 0; i < 2; ++i) {
    const auto reader = source.shared.reader(i);
    EXPECT_EQ(reader->next(never)->index, 0);
    EXPECT_EQ(reader->next(never)->index, 1);
    EXPECT_THROW(reader->next(never), Error);
  }
}

constexpr int64_t kMiB = int64_t{1} << 20;

RunOptions with_devices(const std::vector<int64_t>& memories) {
  RunOptions options;
  options.distorted = "a.mp4";
  options.max_memory = 800 * kMiB;
  options.hardware.pictures = std::make_shared<DeferredSharedPictures>();
  for (const int64_t bytes : memories) {
    HardwareDevice device;
    device.memory_bytes = bytes;
    options.hardware.devices.push_back(device);
  }
  return options;
}

TEST(RunInputs, PicturesWaitInTheMemoryOfTheDevicesThatDecodeThem) {
  const SourceOptions options = source_options(with_devices({3000 * kMiB, 6000 * kMiB}), Role::kDistorted);
  EXPECT_EQ(options.device_ahead_bytes, 3000 * kMiB);
  EXPECT_EQ(options.ahead_bytes, 200 * kMiB);
  EXPECT_EQ(options.hardware.devices.size(), 2u);
}

TEST(RunInputs, VideosOfAPairShareTheMemory) {
  RunOptions pair = with_devices({3000 * kMiB});
  pair.reference = "b.mp4";
  for (const Role role : {Role::kDistorted, Role::kReference}) {
    const SourceOptions options = source_options(pair, role);
    EXPECT_EQ(options.videos, 2);
    EXPECT_EQ(options.device_ahead_bytes, 500 * kMiB);
    EXPECT_EQ(options.ahead_bytes, 100 * kMiB);
  }
}

TEST(RunInputs, WithoutAPlaceOnTheDeviceAllPicturesGoThroughTheHost) {
  RunOptions options = with_devices({4000 * kMiB});
  options.hardware.pictures = nullptr;
  EXPECT_EQ(source_options(options, Role::kDistorted).device_ahead_bytes, 0);
}

}  // namespace
}  // namespace vq::cli
