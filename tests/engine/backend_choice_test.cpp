// Which devices a run uses, among some of this machine and some that it need not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/backend_choice.h"

namespace vq::test {
namespace {

using ::testing::IsEmpty;

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

TEST_F(ChosenBackend, AutoTakesTheFastestUsableDevice) {
  EXPECT_EQ(choice().backend, Backend::kVulkan);
  EXPECT_EQ(choice().infos.at(0).name, "discrete");
  EXPECT_TRUE(choice().may_fall_back);
  list_.devices.resize(1);  // a software device is slower than the CPU
  EXPECT_EQ(choice().backend, Backend::kCpu);
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
  EXPECT_TRUE(choice().may_fall_back);
  request_.device = "old";
  EXPECT_THROW(choice(), Error);
}

TEST_F(ChosenBackend, RealDevicesJoinARunEachByItself) {
  const auto joining = [&] {
    std::vector<std::string> selectors;
    for (const BackendChoice& each : joining_devices(request_, list_)) {
      EXPECT_EQ(each.infos.size(), 1U);
      selectors.push_back(each.devices.selector);
    }
    return selectors;
  };
  EXPECT_EQ(joining(), std::vector<std::string>{"3"}) << "an integrated one beside it is slower";
  add("second", vulkan::DeviceType::kDiscrete, "");
  EXPECT_EQ(joining(), (std::vector<std::string>{"3", "4"}));
  request_.device = "integrated,second";
  EXPECT_EQ(joining(), (std::vector<std::string>{"2", "4"}));
  request_.device = "software";
  EXPECT_THAT(joining(), IsEmpty());
  request_.device.clear();
  list_.devices.resize(2);
  EXPECT_THAT(joining(), IsEmpty());
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
