// A choice between a device of this machine and its CPU, which software devices are good enough to make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/worker_pool.h"
#include "engine/backend_choice.h"
#include "feature/extractor.h"
#include "feature/feature.h"

namespace vq::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OpenChoice : public ::testing::Test {
 protected:
  OpenChoice() {
    formats_.distorted.name = "made up";
    formats_.distorted.width = 320;
    formats_.distorted.height = 216;
    features_.push_back({.info = features().front(), .options = OptionSet(features().front()->options)});
    const BackendRequest request{.backend = Backend::kVulkan, .features = infos_of(features_)};
    choice_ = choose_backend(request, devices_for(request));
    begin_to_open(choice_, {});
    choice_.may_fall_back = choice_.is_open = true;
    execution_ = {.backend = choice_.backend, .pool = &pool_, .devices = choice_.devices};
  }

  void settle(const std::function<Pace(const Execution&)>& pace) {
    const vulkan::DeviceInfo device = choice_.infos.at(0);
    const SettledBackend settled = settle_backend(choice_, {.features = features_,
                                                            .formats = formats_,
                                                            .on_gpu = execution_,
                                                            .device = device,
                                                            .frames = {},
                                                            .pace = pace});
    if (settled.remark) said_ = settled.remark->text;
  }

  std::string said_;
  WorkerPool pool_{2};
  VideoFormats formats_;
  std::vector<FeatureRequest> features_;
  BackendChoice choice_;
  Execution execution_;
};

TEST_F(OpenChoice, TriesBothOnceAndTakesTheFaster) {
  std::vector<Pace> paces;
  const auto pace = [&](const Execution& execution) {
    paces.push_back(measure_pace(features_, formats_, execution));
    return paces.back();
  };
  const std::string device = choice_.infos.at(0).name;
  settle(pace);
  ASSERT_EQ(paces.size(), 2U);
  const bool gpu = paces[1].rate >= paces[0].rate;
  EXPECT_EQ(choice_.backend, gpu ? Backend::kVulkan : Backend::kCpu);
  EXPECT_EQ(choice_.may_fall_back, gpu);
  EXPECT_EQ(choice_.devices.opened.valid(), gpu);
  EXPECT_THAT(said_, HasSubstr(gpu ? "using " + device + ":" : "using the CPU:"));
}

TEST_F(OpenChoice, TheDeviceIsOpenForTheRunThatFollows) {
  settle([&](const Execution& execution) {
    return Pace{0, execution.backend == Backend::kVulkan ? 2.0 : 1.0};
  });
  EXPECT_EQ(choice_.backend, Backend::kVulkan);
  ASSERT_TRUE(choice_.devices.opened.valid());
  EXPECT_GT(measure_pace(features_, formats_, execution_).rate, 0);
  EXPECT_EQ(make_extractor(features_, formats_, execution_)->backend_report().device,
            choice_.infos.at(0).name);
}

TEST_F(OpenChoice, ADeviceThatFailsWhileItIsTriedIsLeftToTheRun) {
  settle([](const Execution& execution) -> Pace {
    if (execution.backend == Backend::kCpu) return {.rate = 1};
    throw Error(ErrorKind::kBackend, "the device is lost");
  });
  EXPECT_EQ(choice_.backend, Backend::kVulkan);
  EXPECT_TRUE(choice_.may_fall_back);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(OpenChoice, WhatIsDecidedIsNotTried) {
  choice_.is_open = false;
  settle([](const Execution&) -> Pace {
    ADD_FAILURE() << "tried";
    return {.rate = 1};
  });
  EXPECT_EQ(choice_.backend, Backend::kVulkan);
  EXPECT_THAT(said_, IsEmpty());
}

// Devices that no machine of these tests needs to have.
class ChosenBackend : public ::testing::Test {
 protected:
  ChosenBackend() {
    add("software", vulkan::DeviceType::kSoftware, "");
    add("old", vulkan::DeviceType::kDiscrete, "too old");
    add("integrated", vulkan::DeviceType::kIntegrated, "");
    add("discrete", vulkan::DeviceType::kDiscrete, "");
    for (const FeatureInfo* info : features()) {
      if (std::count(info->backends.begin(), info->backends.end(), Backend::kVulkan) > 0)
        request_.features.push_back(info);
    }
  }

  void add(const char* name, vulkan::DeviceType type, const char* unusable) {
    vulkan::DeviceInfo device;
    device.index = static_cast<int>(list_.devices.size());
    device.name = name;
    device.type = type;
    device.unusable = unusable;
    list_.devices.push_back(device);
  }
  BackendChoice choice() const { return choose_backend(request_, list_); }

  vulkan::DeviceList list_;
  BackendRequest request_;
};

TEST_F(ChosenBackend, AutoTakesTheFastestUsableDeviceAndLeavesTheChoiceOpen) {
  EXPECT_EQ(choice().backend, Backend::kVulkan);
  EXPECT_EQ(choice().infos.at(0).name, "discrete");
  EXPECT_TRUE(choice().is_open);
  EXPECT_TRUE(choice().may_fall_back);
  list_.devices.resize(1);  // a software device is slower than the CPU
  EXPECT_EQ(choice().backend, Backend::kCpu);
  EXPECT_FALSE(choice().is_open);
}

TEST_F(ChosenBackend, AutoLeavesDevicesAloneThatNobodyMayUse) {
  request_.without_gpu = true;
  EXPECT_EQ(choice().backend, Backend::kCpu);
  EXPECT_TRUE(devices_for(request_).devices.empty());
  request_ = {};  // no feature that has a device
  EXPECT_EQ(choice().backend, Backend::kCpu);
}

TEST_F(ChosenBackend, ANamedDeviceIsUsedOrAnError) {
  request_.device = "integrated";
  EXPECT_EQ(choice().infos.at(0).name, "integrated");
  EXPECT_FALSE(choice().is_open);
  EXPECT_TRUE(choice().may_fall_back);
  request_.device = "old";
  EXPECT_THROW(choice(), Error);
}

TEST_F(ChosenBackend, AnExplicitBackendIsTakenAsItIs) {
  request_.backend = Backend::kScalar;
  EXPECT_EQ(choice().backend, Backend::kScalar);
  EXPECT_TRUE(devices_for(request_).devices.empty());
  request_.backend = Backend::kVulkan;
  request_.device = "software";
  const BackendChoice software = choice();
  EXPECT_FALSE(software.may_fall_back);
  ASSERT_EQ(software.remarks.size(), 1U);
  EXPECT_EQ(software.remarks[0].text, "software is a software device");
  EXPECT_EQ(software.remarks[0].advice, Advice::kUseCpu);
  request_.device = "none such";  // opening says what is wrong
  EXPECT_EQ(choice().backend, Backend::kVulkan);
  EXPECT_TRUE(choice().infos.empty());
}

class DevicesOfSeveralRuns : public ::testing::Test {
 protected:
  // Those of a run that asks for this selector.
  std::vector<std::shared_ptr<vulkan::Device>> opened(const std::string& selector) {
    const BackendRequest request{
        .backend = Backend::kVulkan, .device = selector, .features = {features().front()}};
    BackendChoice choice = choose_backend(request, shared_.list(request));
    shared_.open(choice, {});
    return choice.devices.opened.get();
  }

  SharedDevices shared_;
};

TEST_F(DevicesOfSeveralRuns, AreOpenedOnce) {
  const auto first = opened("");
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(opened(""), first);
}

TEST_F(DevicesOfSeveralRuns, AreOpenedAnewWhereThatFailed) {
  EXPECT_THROW(opened("no such device"), Error);
  EXPECT_THROW(opened("no such device"), Error);
  EXPECT_FALSE(opened("").empty());
}

TEST_F(DevicesOfSeveralRuns, AreNotOpenedForTheCpu) {
  BackendChoice choice;
  shared_.open(choice, {});
  EXPECT_FALSE(choice.devices.opened.valid());
}

}  // namespace
}  // namespace vq::test
