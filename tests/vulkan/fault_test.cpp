// What happens when Vulkan calls fail, one after another, and that the validation layer, which has nothing to
// say about what features do (see Gate), is listening.
#include "core/error.h"
#include "feature/cambi/device.h"
#include "shaders/vulkan_canary_store.h"
#include "tests/cambi/extractor_case.h"
#include "tests/support/gpu_test.h"
#include "vulkan/device_impl.h"

namespace vq::cambi::test {
namespace {

using vulkan::Call;

constexpr int kLost = -4;         // VK_ERROR_DEVICE_LOST
constexpr int kOutOfMemory = -2;  // VK_ERROR_OUT_OF_DEVICE_MEMORY
constexpr int kTimeout = 2;       // VK_TIMEOUT
constexpr int kMapFailed = -5;    // VK_ERROR_MEMORY_MAP_FAILED
const ExtractorCase kCase = {{300, 220}};

// Makes the n-th use of a call fail, counted from 0, and counts all of them.
struct Fault {
  Call call = Call::kSubmit;
  int nth = 0;
  int result = 0;
  std::shared_ptr<std::atomic<int>> count = std::make_shared<std::atomic<int>>(0);

  int operator()(Call made) const {
    if (made != call) return 0;
    return (*count)++ == nth ? result : 0;
  }
};

// Scores six frames; returns the error's message, empty where there was none.
std::string run_with(const Fault& fault, int threads, Scores& scores) {
  WorkerPool pool(threads);
  try {
    const auto device = vulkan::Device::open(test_options(vulkan::Validation::kOff), fault);
    const auto extractor = make_on_device(device, {}, formats_of(kCase), {Backend::kHybrid, &pool});
    score_all(*extractor, make_frames(kCase, 6), scores);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBackend) << error.what();
    return error.what();
  }
  return "";
}

std::vector<std::vector<double>> clean_scores() { return host_scores(kCase, make_frames(kCase, 6)).all; }

// The start-up check submits and waits once; a frame submits its upload and its work, and waits once. With
// several threads the order is theirs, so only the first use is certain to be a given frame's.
TEST(VulkanFault, ADeviceThatFailsAtAFrameNamesItAfterTheFramesBefore) {
  const auto clean = clean_scores();
  struct Use {
    Call call;
    int a_frame, first, result;
    const char* told;
  };
  for (const auto& [call, a_frame, first, code, told] :
       {Use{Call::kSubmit, 2, 1, kLost, "the device is lost"},
        {Call::kSubmit, 2, 2, kLost, "the device is lost"},
        {Call::kWait, 1, 1, kLost, "the device is lost"},
        {Call::kWait, 1, 1, kTimeout, "no answer"}}) {
    for (int frame = 0; frame < 6; ++frame) {
      for (const int threads : {1, 2}) {
        Scores scores;
        const std::string message = run_with({call, first + a_frame * frame, code}, threads, scores);
        EXPECT_THAT(message, HasSubstr(told));
        EXPECT_THAT(message, HasSubstr(test_device()->info().name));
        EXPECT_THAT(message, HasSubstr("dist.y4m: frame " + std::to_string(scores.all.size()) + ":"));
        if (threads == 1) {
          EXPECT_EQ(scores.all.size(), static_cast<size_t>(frame));
        }
        ASSERT_LT(scores.all.size(), 6U);
        for (size_t i = 0; i < scores.all.size(); ++i) EXPECT_EQ(scores.all[i], clean[i]);
      }
    }
  }
}

// Every single use of the calls that prepare a run fails once: before the first frame, or where a further
// slot is refused the memory, in which case the run makes do with those there are.
TEST(VulkanFault, ARefusalWhilePreparingEndsBeforeTheFirstFrame) {
  const std::pair<Call, int> calls[] = {{Call::kCreateDevice, kOutOfMemory},
                                        {Call::kAllocateMemory, kOutOfMemory},
                                        {Call::kMapMemory, kMapFailed},
                                        {Call::kCreatePipeline, kOutOfMemory},
                                        {Call::kStartUpCheck, 1}};
  const auto expected = clean_scores();
  for (const auto& [call, result] : calls) {
    const bool is_memory = call == Call::kAllocateMemory || call == Call::kMapMemory;
    const Fault counting{call, -1, 0};
    Scores clean;
    ASSERT_EQ(run_with(counting, 1, clean), "");
    const int uses = *counting.count;
    ASSERT_GT(uses, 0);
    int made_do = 0;
    for (int nth = 0; nth < uses; ++nth) {
      SCOPED_TRACE("use " + std::to_string(nth) + " of call " + std::to_string(static_cast<int>(call)));
      Scores scores;
      const std::string message = run_with({call, nth, result}, 1, scores);
      if (message.empty()) {
        EXPECT_EQ(scores.all, expected);
        ++made_do;
        continue;
      }
      EXPECT_THAT(message, HasSubstr(test_device()->info().name));
      EXPECT_THAT(message, HasSubstr(call == Call::kStartUpCheck ? "start-up check" : ""));
      EXPECT_TRUE(scores.all.empty());
      EXPECT_EQ(made_do, 0) << "the first slot is a must";
    }
    EXPECT_EQ(made_do > 0, is_memory);
    EXPECT_LT(made_do, uses);
  }
}

using vulkan::Memory;
using vulkan::Validation;

TEST(VulkanCanary, AWriteOutOfBoundsIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kGpuAssisted));
  const vulkan::Pipeline pipeline(device, shaders::kVulkanCanaryStore, {});
  const vulkan::Buffer in(device, Memory::kDevice, 64), out(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device);
  recorder.pass(pipeline, {&in, &out}).run(uint32_t{16}, {});
  run(recorder);
  EXPECT_THAT(device->take_messages(), Contains(HasSubstr("out of bounds")));
}

TEST(VulkanCanary, AMissingBarrierIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  const vulkan::Pipeline pipeline(device, shaders::kVulkanCanaryStore, {});
  const vulkan::Buffer a(device, Memory::kDevice, 64), b(device, Memory::kDevice, 64),
      c(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device, 0);
  recorder.pass(pipeline, {&a, &b}).run(uint32_t{0}, {});
  recorder.pass(pipeline, {&b, &c}).run(uint32_t{0}, {});
  run(recorder);
  EXPECT_THAT(device->take_messages(), Contains(HasSubstr("SYNC-HAZARD-READ-AFTER-WRITE")));
}

TEST(VulkanCanary, AnInvalidCallIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kCore));
  const vulkan::Buffer a(device, Memory::kDevice, 64), b(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device);
  const vulkan::Copy past_the_end{.from = &a, .to = &b, .to_offset = 32, .bytes = 64};
  recorder.copy(std::span(&past_the_end, 1));
  const vulkan::CommandList list = recorder.finish();
  EXPECT_THAT(device->take_messages(), Not(IsEmpty()));
}

// `record` makes the same recording each time, but for the barrier it is to leave out, and returns its
// barriers. The layer takes atomic operations for reads, so that it cannot see the need of the last
// `after_atomics` barriers.
void expect_every_barrier_needed(vulkan::Device& device, const std::function<int(int)>& record,
                                 int after_atomics = 0) {
  const int barriers = record(-1);
  EXPECT_THAT(device.take_messages(), IsEmpty());
  EXPECT_GT(barriers, 0);
  for (int i = 0; i < barriers - after_atomics; ++i) {
    record(i);
    EXPECT_THAT(device.take_messages(), Not(IsEmpty())) << "barrier " << i;
  }
}

VideoFormat small_format() { return make_format("a", {300, 220}, 10); }

CambiPlan small_plan() { return make_plans({}, {.distorted = small_format(), .reference = {}}).distorted; }

TEST(VulkanCanary, EveryBarrierOfAFrameIsNeeded) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  vulkan::Context context(device);
  const CambiPlan plan = small_plan();
  vulkan::DevicePicture luma(device, small_format(), 1);
  gpu::Picture picture(context, plan);
  const gpu::Readback readback(device, picture);
  expect_every_barrier_needed(*device, [&](int leave_out) {
    vulkan::Recorder recorder(device, leave_out);
    luma.record(recorder);
    picture.record(recorder, luma.plane(0));
    readback.record(recorder);
    return recorder.finish().barriers();
  });
}

TEST(VulkanCanary, EveryBarrierOfAFrameScoredOnTheDeviceIsNeeded) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  vulkan::Context context(device);
  const CambiPlan plan = small_plan();
  vulkan::DevicePicture luma(device, small_format(), 1);
  gpu::ScoredPicture picture(context, plan, true);
  const auto record = [&](int leave_out) {
    vulkan::Recorder recorder(device, leave_out);
    luma.record(recorder);
    picture.record(recorder, luma.plane(0));
    return recorder.finish().barriers();
  };
  // Between the passes of pooling, and before its sums are copied, all writes are atomic.
  expect_every_barrier_needed(*device, record, gpu::kPoolDigits + 1);
}

}  // namespace
}  // namespace vq::cambi::test
