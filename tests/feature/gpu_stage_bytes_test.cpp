// What features say of the buffers that their stages are given, against these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"
#include "feature/feature.h"
#include "tests/support/gpu_test.h"

namespace vq {
namespace {

using vulkan::DevicePicture;
using vulkan::PlaneLayout;

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

  vulkan::CommandList recorded(const FeatureRequest& request, Backend backend) {
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
    return recorder.finish();
  }

  const VideoFormats formats_ = formats_of(GetParam());
  WorkerPool pool_{1};
};

// Stages move no more than they are given, in no larger buffers than features say.
TEST_P(GivenBytes, AreThoseThatFeaturesSay) {
  int stages = 0;
  for (const FeatureInfo* info : features()) {
    if (device_support(*info) == nullptr) continue;
    FeatureRequest request{.info = info, .options = OptionSet(info->options)};
    resolve(request, formats_);
    for (const Backend backend : info->backends) {
      if (!is_on_device(backend)) continue;
      SCOPED_TRACE(std::string(info->name) + ", " + std::string(to_string(backend)));
      const vulkan::CommandList list = recorded(request, backend);
      const auto most = list.most_bytes();
      for (const StageBytes& stage : stage_bytes_of(std::span(&request, 1), formats_, backend)) {
        const auto given =
            std::find_if(most.begin(), most.end(), [&](const auto& one) { return one.first == stage.stage; });
        if (given == most.end()) continue;  // of the host
        EXPECT_LE(stage.bytes, given->second) << stage.stage;
        ++stages;
      }
      const FeatureMemory memory =
          device_support(*info)->memory(request.options, formats_, {.backend = backend, .threads = 1});
      const int64_t plane = PlaneLayout{640, 360, GetParam() > 8 ? 2 : 1}.bytes();
      // Tables and sums of a few pictures' lines do not grow with pictures.
      constexpr int64_t kFitsEveryDevice = 1 << 20;
      EXPECT_LE(list.largest_binding(), std::max({memory.largest_buffer, plane, kFitsEveryDevice}));
      EXPECT_GE(list.largest_binding(), memory.largest_buffer);
    }
  }
  EXPECT_GT(stages, 20);
}

INSTANTIATE_TEST_SUITE_P(Depths, GivenBytes, ::testing::Values(8, 10));

}  // namespace
}  // namespace vq
