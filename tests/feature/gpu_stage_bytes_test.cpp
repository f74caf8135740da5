// No stage is said to move more than the buffers hold that it is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"
#include "feature/registry.h"
#include "tests/support/gpu_test.h"

namespace vq {
namespace {

using vulkan::DevicePicture;

VideoFormats formats_of(int depth) {
  const VideoFormat video = {
      .name = "clip", .width = 640, .height = 360, .bit_depth = depth, .chroma = Chroma::k420};
  return {.distorted = video, .reference = video};
}

class GivenBytes : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<DevicePicture> picture(int planes) const {
    return std::make_unique<DevicePicture>(test::test_device(), formats_.distorted, planes);
  }

  // Of each stage on the device.
  std::vector<std::pair<std::string, int64_t>> most_bytes(const FeatureRequest& request, Backend backend) {
    const FrameNeeds use = frame_needs(std::span(&request, 1));
    std::vector<std::unique_ptr<DevicePicture>> before;
    const auto add = [&](int count, std::vector<const DevicePicture*>& to) {
      for (int i = 0; i < count; ++i) to.push_back(before.emplace_back(picture(1)).get());
    };
    const std::unique_ptr<DevicePicture> distorted = picture(use.planes), reference = picture(use.planes);
    DeviceFrame frame{.distorted = *distorted, .reference = reference.get()};
    add(use.before.distorted, frame.distorted_before);
    add(use.before.references, frame.references_before);
    const auto feature =
        device_support(*request.info)
            ->make(request.options, formats_, {.backend = backend, .pool = &pool_}, test::test_context());
    const std::unique_ptr<DeviceWork> work = feature->make_work(frame);
    vulkan::Recorder recorder(test::test_device());
    work->record(recorder);
    return recorder.finish().most_bytes();
  }

  const VideoFormats formats_ = formats_of(GetParam());
  WorkerPool pool_{1};
};

TEST_P(GivenBytes, AreAtLeastThoseThatAStageMoves) {
  int stages = 0;
  for (const FeatureInfo* info : features()) {
    if (device_support(*info) == nullptr) continue;
    FeatureRequest request{.info = info, .options = OptionSet(info->options)};
    resolve(request, formats_);
    for (const Backend backend : info->backends) {
      if (!is_on_device(backend)) continue;
      const auto most = most_bytes(request, backend);
      for (const StageBytes& stage : stage_bytes_of(std::span(&request, 1), formats_, backend)) {
        const auto given =
            std::find_if(most.begin(), most.end(), [&](const auto& one) { return one.first == stage.stage; });
        if (given == most.end()) continue;  // of the host
        EXPECT_LE(stage.bytes, given->second)
            << info->name << ", " << to_string(backend) << ": " << stage.stage;
        ++stages;
      }
    }
  }
  EXPECT_GT(stages, 20);
}

INSTANTIATE_TEST_SUITE_P(Depths, GivenBytes, ::testing::Values(8, 10));

}  // namespace
}  // namespace vq
