// Runs on several devices: frames that only one of them can see, and a device that is lost.

#include "engine/evaluator.h"
#include "tests/support/gpu_test.h"
#include "vulkan/device_impl.h"

namespace vq {
namespace {

constexpr int kPictures = 40, kAcross = 64, kDown = 48;
constexpr int kLost = -4;  // VK_ERROR_DEVICE_LOST
using Devices = std::vector<std::shared_ptr<vulkan::Device>>;

// Samples that the host sees only by fetching them from a device, which may be lost.
class Bound final : public FrameMemory {
 public:
  Bound(std::shared_ptr<vulkan::Device> device, Frame frame)
      : device_(std::move(device)), frame_(std::move(frame)) {}
  const void* device() const override { return device_.get(); }
  const std::array<SampleView, kMaxPlanes>& planes() const override {
    if (device_->has_failed()) throw Error(ErrorKind::kBackend, "the samples are lost");
    return frame_.planes;
  }
  PlaneSize luma_size() const override { return {kAcross, kDown}; }
  Frame luma_part(const LumaLines&) const override { return frame_; }

 private:
  const std::shared_ptr<vulkan::Device> device_;
  const Frame frame_;
};

VideoFormat format() { return {.name = "video", .width = kAcross, .height = kDown, .chroma = Chroma::k400}; }

Frame made_frame(int64_t index, int seed) {
  Frame frame = test::drawn_frame(format(), [=](int, int x, int y) {
    return ((x + y * kAcross) * seed + static_cast<int>(index) * 7) % 251;
  });
  frame.index = index;
  return frame;
}

Frame bound(const Frame& frame, const std::shared_ptr<vulkan::Device>& device) {
  Frame result;
  result.index = frame.index;
  result.place = std::make_shared<Bound>(device, frame);
  return result;
}

FramePair pair_of(int64_t index) {
  return {.distorted = made_frame(index, 3), .reference = made_frame(index, 5), .index = index};
}

VideoFormats formats() { return {.distorted = format(), .reference = format()}; }

std::shared_ptr<vulkan::Device> opened(const vulkan::CallHook& hook = {}) {
  return vulkan::Device::open(test::test_options(vulkan::Validation::kOff), hook);
}

struct Takeover {
  std::vector<double> scores;
  std::vector<std::string> successors;
  int read_again = 0;
};

// Each device has `turn` frames in its turn; 0: the host sees all.
Takeover outcome_of(const Devices& devices, int turn, bool may_use_cpu = false) {
  Takeover outcome;
  WorkerPool pool(4);
  RunContext context{.execution = {.pool = &pool}};
  if (!devices.empty()) {
    std::promise<Devices> ready;
    ready.set_value(devices);
    context.execution.backend = Backend::kVulkan;
    context.execution.devices.count = static_cast<int>(devices.size());
    context.execution.devices.opened = ready.get_future().share();
  }
  context.may_use_cpu = may_use_cpu;
  context.on_takeover = [&](const std::string&, const std::string& name) {
    outcome.successors.push_back(name);
  };
  context.read_again = [&](FramePair& pair) {
    ++outcome.read_again;
    pair = pair_of(pair.index);
  };
  const FeatureInfo& info = find_feature("psnr");
  FeatureRequest request{.info = &info, .options = OptionSet(info.options)};
  (void)resolve(request, formats());  // to luma alone
  Evaluator evaluator({request}, {}, formats(), context);
  for (int64_t i = 0; i < kPictures; ++i) {
    FramePair pair = pair_of(i);
    if (turn > 0) {
      const std::shared_ptr<vulkan::Device>& on = devices[static_cast<size_t>(i / turn) % devices.size()];
      pair.distorted = bound(pair.distorted, on);
      pair.reference = bound(*pair.reference, on);
    }
    evaluator.push(pair);
  }
  evaluator.finish();
  for (int64_t i = 0; i < evaluator.scored(); ++i) outcome.scores.push_back(evaluator.score_at(i));
  return outcome;
}

// Loses a device at its n-th submission, for good.
vulkan::CallHook lost_at(int nth) {
  const auto count = std::make_shared<std::atomic<int>>(0);
  return [count, nth](vulkan::Call call) {
    return call == vulkan::Call::kSubmit && (*count)++ >= nth ? kLost : 0;
  };
}

TEST(SeveralDevices, ScoreWhatOnlyOneOfThemSees) {
  const std::vector<double> expected = outcome_of({}, 0).scores;
  ASSERT_EQ(expected.size(), static_cast<size_t>(kPictures));
  for (const int turn : {0, 1, 3, 16}) {
    const Takeover outcome = outcome_of({opened(), opened()}, turn);
    EXPECT_EQ(outcome.scores, expected) << turn;
    EXPECT_TRUE(outcome.successors.empty());
  }
}

TEST(SeveralDevices, TheOtherGoesOnWhereOneIsLost) {
  const std::vector<double> expected = outcome_of({}, 0).scores;
  for (const int turn : {0, 3, 16}) {
    for (const int nth : {4, 9}) {
      for (const bool is_first : {true, false}) {
        const std::shared_ptr<vulkan::Device> works = opened(), fails = opened(lost_at(nth));
        const Takeover outcome = outcome_of(is_first ? Devices{fails, works} : Devices{works, fails}, turn);
        EXPECT_EQ(outcome.scores, expected) << turn << ", " << nth;
        // Where any device may take a frame, the other may have taken nearly all.
        if (turn == 0 && outcome.successors.empty()) continue;
        EXPECT_EQ(outcome.successors, std::vector<std::string>{works->info().name});
        EXPECT_EQ(outcome.read_again > 0, turn > 0);
      }
    }
  }
}

TEST(SeveralDevices, TheCpuGoesOnWhereAllAreLostAndItMay) {
  const Takeover outcome = outcome_of({opened(lost_at(6)), opened(lost_at(9))}, 3, true);
  EXPECT_EQ(outcome.scores, outcome_of({}, 0).scores);
  ASSERT_FALSE(outcome.successors.empty());
  EXPECT_EQ(outcome.successors.back(), "the CPU");
  EXPECT_THROW(outcome_of({opened(lost_at(6)), opened(lost_at(9))}, 3), Error);
}

}  // namespace
}  // namespace vq
