// The choice between GPU and CPU by their speeds, and what is remembered of it.
#include "engine/faster_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/feature.h"

namespace vq::test {
namespace {

// Keeps speeds as long as a test lasts.
class KnownSpeeds final : public SpeedMemory {
 public:
  std::optional<Speeds> recall(const std::string& key) const override {
    const auto found = speeds_.find(key);
    return found == speeds_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string& key, const Speeds& speeds) override { speeds_[key] = speeds; }

 private:
  std::map<std::string, Speeds> speeds_;
};

class FasterBackend : public ::testing::Test {
 protected:
  FasterBackend() {
    formats_.distorted.width = 640;
    formats_.distorted.height = 360;
    execution_.backend = Backend::kVulkan;
    execution_.pool = &pool_;
    device_.name = "A GPU";
    device_.driver = "driver 1";
    const FeatureInfo& info = *features().front();
    features_.push_back({.info = &info, .options = OptionSet(info.options)});
  }

  SpeedQuestion question() {
    return {.features = features_,
            .formats = formats_,
            .on_gpu = execution_,
            .device = device_,
            .frames = {},
            .pace =
                [this](const Execution& execution) {
                  ++measured_;
                  return execution.backend == Backend::kVulkan ? gpu_ : cpu_;
                },
            .memory = &memory_};
  }

  Speeds ask() { return speeds_of(question()); }
  // Whether an answer is measured, and not one that is known.
  bool measures() {
    const int before = measured_;
    ask();
    return measured_ != before;
  }
  KnownSpeeds memory_;
  WorkerPool pool_{2};
  VideoFormats formats_;
  Execution execution_;
  vulkan::DeviceInfo device_;
  std::vector<FeatureRequest> features_;
  Pace cpu_ = {0.1, 100}, gpu_ = {1, 1400};
  int measured_ = 0;
};

TEST_F(FasterBackend, AGpuIsTakenUnlessTheCpuIsFaster) {
  EXPECT_TRUE((Speeds{.cpu = {0, 10}, .gpu = {9, 11}}).gpu_is_better({}));
  EXPECT_TRUE((Speeds{.cpu = {0, 10}, .gpu = {9, 10}}).gpu_is_better({}));
  EXPECT_FALSE((Speeds{.cpu = {9, 10}, .gpu = {0, 9.9}}).gpu_is_better({}));
}

// 1 s more at the start, for 1/20 instead of 1/10 s a frame: that is worth it from 20 frames on.
TEST_F(FasterBackend, AShortVideoIsNotWorthAGpusStart) {
  const Speeds speeds = {.cpu = {0.5, 10}, .gpu = {1.5, 20}};
  EXPECT_FALSE(speeds.gpu_is_better(19));
  EXPECT_TRUE(speeds.gpu_is_better(20));
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu(30), 3.5 / 3);
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu({}), 2);
}

// PSNR of 4K is read in no time, so that what decodes decides.
TEST_F(FasterBackend, DecodersShareTheCpuWithItsFeaturesAndRunBesideAGpu) {
  // One thread decodes, so that nobody waits for another: 4 ms a frame.
  Speeds speeds = {.cpu = {0, 1000}, .gpu = {0, 500}, .software = {0, 0.004}, .beside_gpu = {0, 0.004}};
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu({}), 0.005 / 0.004);
  speeds.beside_gpu = {0.5, 0.004};
  speeds.gpu_decodes = true;
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu({}), 0.005 / 0.002);
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu(1000), 5 / (0.5 + 2));
  // Where software is faster at it, or opening hardware takes longer, the GPU computes and the CPU decodes.
  EXPECT_EQ(speeds.best_on_gpu(1000), Way::kGpu);
  EXPECT_EQ(speeds.best_on_gpu(10), Way::kGpuAndSoftware);
  speeds.beside_gpu.each = 0.03;
  EXPECT_EQ(speeds.best_on_gpu(1000), Way::kGpuAndSoftware);
  EXPECT_DOUBLE_EQ(speeds.advantage_of_gpu({}), 0.005 / 0.004);
  // Hardware that was asked for decodes all the same.
  speeds.may_use_software = false;
  EXPECT_EQ(speeds.best_on_gpu(1000), Way::kGpu);
}

TEST_F(FasterBackend, WhatRunsTookCountsForMoreThanWhatWasTried) {
  const SpeedQuestion asked = question();
  const Decision on_gpu = decide(asked, {.cpu = cpu_, .gpu = gpu_}),
                 on_cpu = decide(asked, {.cpu = gpu_, .gpu = cpu_});
  EXPECT_EQ(on_gpu.way, Way::kGpu);
  EXPECT_EQ(on_cpu.way, Way::kCpu);
  remember_run(on_cpu, memory_, 1, 1000);  // nobody has asked yet
  EXPECT_EQ(speeds_of(asked).seen[0], 0);
  const double tried = ask().seconds(Way::kGpu, {});
  remember_run(on_gpu, memory_, 30, 1000);
  remember_run(on_cpu, memory_, 30, 20);  // too short
  const Speeds known = ask();
  EXPECT_NE(tried, 0.03);
  EXPECT_DOUBLE_EQ(known.seconds(Way::kGpu, {}), 0.03);
  EXPECT_DOUBLE_EQ(known.seconds(Way::kGpu, 100), 1 + 3);
  EXPECT_DOUBLE_EQ(known.seconds(Way::kCpu, {}), 0.01);
  EXPECT_FALSE(known.gpu_is_better({}));
}

TEST_F(FasterBackend, DecodingIsMeasuredOnceAndRemembered) {
  SpeedQuestion asked = question();
  std::vector<Backend> decoded;
  asked.decoding = [&](Backend backend) {
    decoded.push_back(backend);
    return DecodingPace{.start = 0.1, .each = backend == Backend::kCpu ? 0.2 : 0.05};
  };
  asked.codecs = "h264 hevc";
  EXPECT_EQ(speeds_of(asked).beside_gpu.each, 0.2);  // in software as well
  EXPECT_EQ(decoded, std::vector{Backend::kCpu});
  asked.gpu_decodes = true;
  const auto by_hardware = [&] {
    const Speeds speeds = speeds_of(asked);
    EXPECT_TRUE(speeds.gpu_decodes);
    EXPECT_EQ(speeds.software.each, 0.2);
    EXPECT_EQ(speeds.beside_gpu.each, 0.05);
  };
  by_hardware();
  by_hardware();
  EXPECT_EQ(decoded, (std::vector{Backend::kCpu, Backend::kCpu, Backend::kVulkan}));
  asked.codecs = "h264 h264";
  by_hardware();
  EXPECT_EQ(decoded.size(), 5U);
}

// What a library knows, whose callers decode.
TEST_F(FasterBackend, SpeedsAreRememberedWithoutTheVideos) {
  SpeedQuestion from_memory = question();
  from_memory.pace = {};
  EXPECT_FALSE(remembered_speeds(from_memory));
  SpeedQuestion asked = question();
  asked.codecs = "h264 hevc";
  asked.gpu_decodes = true;
  asked.decoding = [](Backend) { return DecodingPace{.start = 0.1, .each = 0.2}; };
  speeds_of(asked);
  const std::optional<Speeds> known = remembered_speeds(from_memory);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->cpu.rate, 100);
  EXPECT_EQ(known->gpu.rate, 1400);
  EXPECT_EQ(known->software.each, 0);
  EXPECT_EQ(known->threads, 2);
  EXPECT_EQ(measured_, 2);
  formats_.distorted.width = 3840;
  EXPECT_FALSE(remembered_speeds(from_memory));
}

TEST_F(FasterBackend, FewerThreadsHaveTheirShareOfAllThreadsSpeed) {
  const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  execution_.pool = nullptr;
  execution_.threads = all;
  ask();
  execution_.threads = 4 * all;
  EXPECT_EQ(remembered_speeds(question()).value().cpu.rate, 100);
  execution_.threads = 1;
  const Speeds one = remembered_speeds(question()).value();
  EXPECT_DOUBLE_EQ(one.cpu.rate, 100.0 / all);
  EXPECT_EQ(one.gpu.rate, 1400);
  cpu_ = {0, 7};
  ASSERT_TRUE(all == 1 || measures());  // of one thread, which counts for more
  EXPECT_EQ(remembered_speeds(question()).value().cpu.rate, all == 1 ? 100 : 7);
}

TEST_F(FasterBackend, SaysWhichAndWhy) {
  const Diagnostic faster = speed_note({.cpu = {0, 100}, .gpu = {0, 1400}}, {}, "A GPU");
  EXPECT_EQ(faster.text, "using A GPU: 14 times as fast as the CPU here");
  EXPECT_EQ(faster.advice, Advice::kOtherBackend);
  EXPECT_EQ(faster.subjects, std::vector<std::string>{"cpu"});
  EXPECT_EQ(speed_note({.cpu = {0, 100}, .gpu = {0, 102}}, {}, "A GPU").text,
            "using A GPU: as fast as the CPU here");
  const Diagnostic slower = speed_note({.cpu = {0, 130}, .gpu = {0, 100}}, {}, "A GPU");
  EXPECT_EQ(slower.text, "using the CPU: 1.3 times as fast as A GPU here");
  EXPECT_EQ(slower.subjects, std::vector<std::string>{"vulkan"});
  const Speeds decoded{.cpu = {0, 1}, .gpu = {0, 10}, .beside_gpu = {0, 9}, .gpu_decodes = true};
  EXPECT_EQ(speed_note(decoded, {}, "A GPU").text,
            "using A GPU, decoding on the CPU: 10 times as fast as the CPU here");
}

TEST_F(FasterBackend, BothAreMeasuredOnce) {
  EXPECT_EQ(ask().gpu.rate, 1400);
  EXPECT_EQ(measured_, 2);
  cpu_ = gpu_ = {1, 1};
  const Speeds known = ask();
  EXPECT_EQ(measured_, 2);
  EXPECT_EQ(known.cpu.start, 0.1);
  EXPECT_EQ(known.cpu.rate, 100);
  EXPECT_EQ(known.gpu.start, 1);
  EXPECT_EQ(known.gpu.rate, 1400);
}

TEST_F(FasterBackend, WhatChangesTheAnswerIsAnotherQuestion) {
  ASSERT_TRUE(measures());
  formats_.distorted.width = 656;  // the same power of two
  EXPECT_FALSE(measures());
  formats_.distorted.width = 3840;
  EXPECT_TRUE(measures());
  formats_.distorted.bit_depth = 10;
  EXPECT_TRUE(measures());
  device_.driver = "driver 2";
  EXPECT_TRUE(measures());
  device_.name = "Another GPU";
  EXPECT_TRUE(measures());
  device_.uuid[3] = 7;
  EXPECT_TRUE(measures());
  execution_.cpumask = ~0U;
  EXPECT_TRUE(measures());
  WorkerPool more(3);
  execution_.pool = &more;
  EXPECT_TRUE(measures());
  features_.push_back(features_.front());
  EXPECT_TRUE(measures());
  features_.back().heatmaps = true;
  EXPECT_TRUE(measures());
  EXPECT_FALSE(measures());
}

TEST_F(FasterBackend, WithoutAMemoryEveryRunMeasures) {
  SpeedQuestion asked = question();
  asked.memory = nullptr;
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(speeds_of(asked).gpu.rate, 1400);
    EXPECT_EQ(measured_, 2 * i);
  }
}

TEST_F(FasterBackend, WhatMeasuringThrowsIsNotRemembered) {
  SpeedQuestion asked = question();
  asked.pace = [](const Execution&) -> Pace { throw Error(ErrorKind::kBackend, "lost"); };
  EXPECT_THROW(speeds_of(asked), Error);
  EXPECT_TRUE(measures());
}

TEST_F(FasterBackend, TheCpuIsMeasuredWithoutTheDevices) {
  SpeedQuestion asked = question();
  execution_.devices.selector = "1";
  asked.pace = [](const Execution& execution) {
    EXPECT_EQ(execution.devices.selector.empty(), execution.backend == Backend::kCpu);
    return Pace{.start = 0, .rate = 1};
  };
  speeds_of(asked);
}

// Every feature takes the frames that are made up.
TEST(BackendPace, CanBeMeasuredOfEveryFeatureAndDepth) {
  WorkerPool pool(2);
  for (const FeatureInfo* info : features()) {
    for (const int depth : {8, 10}) {
      VideoFormats formats;
      formats.distorted.name = "made up";
      formats.distorted.width = 321;
      formats.distorted.height = 217;
      formats.distorted.bit_depth = depth;
      formats.reference = formats.distorted;
      const FeatureRequest request{.info = info, .options = OptionSet(info->options)};
      EXPECT_NO_THROW(measure_pace({&request, 1}, formats, {.pool = &pool})) << info->name << " " << depth;
    }
  }
}

}  // namespace
}  // namespace vq::test
