// A choice between a device of this machine and its CPU, which software devices are good enough to make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run/backend_choice.h"
#include "cli/run/backend_pace.h"
#include "cli/run/faster_backend.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"
#include "feature/registry.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SettledBackend : public ::testing::Test {
 protected:
  SettledBackend() {
    formats_.distorted.name = "made up";
    formats_.distorted.width = 320;
    formats_.distorted.height = 216;
    features_.push_back({.info = features().front(), .options = OptionSet(features().front()->options)});
    choice_ = choose_backend({.backend = Backend::kVulkan, .quiet = true, .features = infos_of(features_)},
                             messages_);
    begin_to_open(choice_);
    choice_.may_fall_back = choice_.is_open = true;
    execution_ = {.backend = choice_.backend, .pool = &pool_, .devices = choice_.devices};
  }

  void settle(const std::function<Pace(const Execution&)>& pace) {
    settle_backend(choice_,
                   {.features = features_,
                    .formats = formats_,
                    .on_gpu = execution_,
                    .device = choice_.infos.at(0),
                    .frames = {},
                    .pace = pace,
                    .cache_folder = folder_.path()},
                   false, messages_);
  }

  TemporaryFolder folder_;
  std::string said_;
  Messages messages_{[this](std::string_view line) { said_ += line; }};
  WorkerPool pool_{2};
  VideoFormats formats_;
  std::vector<FeatureRequest> features_;
  BackendChoice choice_;
  Execution execution_;
};

TEST_F(SettledBackend, TriesBothOnceAndTakesTheFaster) {
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

TEST_F(SettledBackend, TheDeviceIsOpenForTheRunThatFollows) {
  settle([&](const Execution& execution) {
    return Pace{0, execution.backend == Backend::kVulkan ? 2.0 : 1.0};
  });
  EXPECT_EQ(choice_.backend, Backend::kVulkan);
  ASSERT_TRUE(choice_.devices.opened.valid());
  EXPECT_GT(measure_pace(features_, formats_, execution_).rate, 0);
  EXPECT_EQ(make_extractor(features_, formats_, execution_)->backend_report().device,
            choice_.infos.at(0).name);
}

TEST_F(SettledBackend, ADeviceThatFailsWhileItIsTriedIsLeftToTheRun) {
  settle([](const Execution& execution) -> Pace {
    if (execution.backend == Backend::kCpu) return {.rate = 1};
    throw Error(ErrorKind::kBackend, "the device is lost");
  });
  EXPECT_EQ(choice_.backend, Backend::kVulkan);
  EXPECT_TRUE(choice_.may_fall_back);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(SettledBackend, WhatIsDecidedIsNotTried) {
  choice_.is_open = false;
  settle([](const Execution&) -> Pace {
    ADD_FAILURE() << "tried";
    return {.rate = 1};
  });
  EXPECT_EQ(choice_.backend, Backend::kVulkan);
  EXPECT_THAT(said_, IsEmpty());
}

}  // namespace
}  // namespace vq::cli::test
