// What features say of a device that has less than they need, and what they do on one that is small or slow.
#include "core/worker_pool.h"
#include "feature/extractor.h"
#include "feature/light/device.h"
#include "feature/slot_pool.h"
#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"

namespace vq::test {
namespace {

// Why the device cannot run the features; empty if it can.
std::map<std::string, std::string> unsupported_on(const vulkan::DeviceInfo& device) {
  std::map<std::string, std::string> reasons;
  for (const FeatureInfo* info : features()) {
    if (const DeviceSupport* const support = device_support(*info))
      reasons.emplace(info->name, support->unsupported(Backend::kVulkan, device));
  }
  return reasons;
}

TEST(StagesOnDevices, SayWhatADeviceLacksWithTheNumber) {
  vulkan::DeviceInfo info = test_device()->info();
  for (const auto& [feature, reason] : unsupported_on(info)) EXPECT_EQ(reason, "") << feature;
  info.max_invocations = 63;
  const std::map<std::string, std::string> needs_fewer = {{"adm", "128"},
                                                          {"ciede", "128"},
                                                          {"psnr_hvs", "64"},
                                                          {"speed_chroma", "128"},
                                                          {"speed_temporal", "128"}};
  for (const auto& [feature, reason] : unsupported_on(info)) {
    const auto found = needs_fewer.find(feature);
    const std::string needed = found == needs_fewer.end() ? "256" : found->second;
    EXPECT_EQ(reason, "work groups of at most 63 invocations; " + needed + " are needed") << feature;
  }
}

// 16 KiB of shared memory is what every device has; see vulkan/shader.h.
TEST(StagesOnDevices, NeedNoMoreThanEveryDeviceShares) {
  vulkan::DeviceInfo info = test_device()->info();
  info.shared_memory_bytes = 16384;
  for (const auto& [feature, reason] : unsupported_on(info)) EXPECT_EQ(reason, "") << feature;
  info.shared_memory_bytes = 1024;
  EXPECT_EQ(unsupported_on(info).at("histogram"),
            "work groups share at most 1024 bytes of memory; 14584 are needed");
}

VideoFormats formats_of(int width, int height) {
  const VideoFormat video = {.name = "clip", .width = width, .height = height, .chroma = Chroma::k420};
  return {.distorted = video, .reference = video};
}

// Every feature that runs on devices, with its defaults.
std::vector<FeatureRequest> device_requests(const VideoFormats& formats) {
  std::vector<FeatureRequest> requests;
  for (const FeatureInfo* info : features()) {
    if (device_support(*info) == nullptr) continue;
    requests.push_back({.info = info, .options = OptionSet(info->options)});
    resolve(requests.back(), formats);
  }
  return requests;
}

std::vector<std::string> lacking(const VideoFormats& formats, const vulkan::DeviceInfo& device) {
  std::vector<std::string> names;
  for (const FeatureInfo* info : features_lacking(device_requests(formats), formats,
                                                  {.backend = Backend::kVulkan}, std::span(&device, 1))) {
    names.emplace_back(info->name);
  }
  return names;
}

// What Vulkan promises, and enough memory.
vulkan::DeviceInfo least_device() {
  vulkan::DeviceInfo info = test_device()->info();
  info.max_buffer_bytes = int64_t{128} << 20;
  info.memory_bytes = int64_t{64} << 30;
  info.has_doubles = true;
  return info;
}

TEST(PicturesOnDevices, OfEightKFitWhatEveryShaderSeesButForTwoFeatures) {
  using ::testing::ElementsAre;
  EXPECT_THAT(lacking(formats_of(7680, 4320), least_device()), ElementsAre("butteraugli", "cvvdp"));
  EXPECT_THAT(lacking(formats_of(3840, 2160), least_device()), ElementsAre());
}

// The work of a frame, as a slot records it.
vulkan::CommandList recorded(const FeatureRequest& request, const VideoFormats& formats, Backend backend) {
  WorkerPool pool(1);
  const FrameNeeds use = frame_needs(std::span(&request, 1));
  std::vector<std::unique_ptr<vulkan::DevicePicture>> pictures;
  const auto picture = [&](int planes) {
    return pictures
        .emplace_back(std::make_unique<vulkan::DevicePicture>(test_device(), formats.distorted, planes))
        .get();
  };
  DeviceFrame frame{.distorted = *picture(use.planes), .reference = picture(use.planes)};
  const int before = use.before.all_planes ? use.planes : 1;
  for (int i = 0; i < use.before.distorted; ++i) frame.distorted_before.push_back(picture(before));
  for (int i = 0; i < use.before.references; ++i) frame.references_before.push_back(picture(before));
  const auto feature =
      device_support(*request.info)
          ->make(request.options, formats, {.backend = backend, .pool = &pool}, test_context());
  const std::unique_ptr<DeviceWork> work = feature->make_work(frame);
  vulkan::Recorder recorder(test_device());
  work->record(recorder);
  return recorder.finish();
}

TEST(PicturesOnDevices, TakeTheLargestBufferThatFeaturesSay) {
  for (const int depth : {8, 10}) {
    VideoFormats formats = formats_of(640, 360);
    formats.distorted.bit_depth = formats.reference->bit_depth = depth;
    const int64_t plane = vulkan::PlaneLayout{640, 360, depth > 8 ? 2 : 1}.bytes();
    constexpr int64_t kTables = 1 << 20;  // and sums, which do not grow with pictures
    for (const FeatureRequest& request : device_requests(formats)) {
      for (const Backend backend : request.info->backends) {
        if (!is_on_device(backend)) continue;
        SCOPED_TRACE(std::string(request.info->name) + ", " + std::string(to_string(backend)));
        const int64_t said = device_support(*request.info)
                                 ->memory(request.options, formats, {.backend = backend, .threads = 1})
                                 .largest_buffer;
        const int64_t largest = recorded(request, formats, backend).largest_binding();
        EXPECT_LE(largest, std::max({said, plane, kTables}));
        EXPECT_GE(largest, said);
      }
    }
  }
}

TEST(PicturesOnDevices, ThatFitNoFeatureAreRefusedWithTheReason) {
  const VideoFormats formats = formats_of(640, 360);
  vulkan::DeviceInfo info = least_device();
  info.max_buffer_bytes = 100'000;
  expect_error(ErrorKind::kBackend, {info.name, "of 640x360", "shaders see at most 1 MB of a buffer"},
               [&] { lacking(formats, info); });
  info = least_device();
  info.memory_bytes = 100'000;
  expect_error(ErrorKind::kBackend, {"of 640x360", "the device has 1 MB of memory"},
               [&] { lacking(formats, info); });
}

struct SlotsTaken {
  size_t count = 0;
  int64_t memory_left = 0;
};

// Takes slots for frames of a feature until there are none, at most five.
SlotsTaken take_slots(const std::shared_ptr<vulkan::Device>& device) {
  const VideoFormats formats = formats_of(640, 360);
  const FeatureInfo& info = find_feature("butteraugli");
  FeatureRequest request{.info = &info, .options = OptionSet(info.options)};
  resolve(request, formats);
  DeviceRun run;
  run.context = std::make_shared<vulkan::Context>(device);
  run.use = frame_needs({&request, 1});
  run.parts.push_back(
      {device_support(info)->make(request.options, formats, {.backend = Backend::kVulkan}, *run.context),
       "butteraugli", false});
  std::vector<DeviceRun> runs;
  runs.push_back(std::move(run));
  SlotPool pool(std::move(runs), formats, 5, nullptr);
  SlotsTaken taken;
  while (pool.take(FramePair()).slot != nullptr) ++taken.count;
  taken.memory_left = device->memory_left();
  return taken;
}

TEST(SlotsOnDevices, AreAsManyAsItsMemoryHolds) {
  EXPECT_EQ(take_slots(test_device()).count, 5U);
  constexpr int64_t kBudget = int64_t{200} << 20;
  const SlotsTaken few = take_slots(changed_device([](auto& info) { info.memory_budget = kBudget; }));
  EXPECT_GT(few.count, 1U);
  EXPECT_LT(few.count, 5U);
  EXPECT_GE(few.memory_left, 0);
  // A frame needs one.
  EXPECT_EQ(take_slots(changed_device([](auto& info) { info.memory_budget = 1; })).count, 1U);
}

struct Converted {
  std::vector<float> light;
  int submissions = 0;
};

// One pass, which moves 140 MB.
Converted convert(vulkan::Context& context, const VideoFormat& format, const Frame& picture) {
  const std::shared_ptr<vulkan::Device>& device = context.device();
  const light::Conversion conversion =
      light::make_conversion({.has_bt2020_primaries = true, .is_full_range = true}, format);
  vulkan::DevicePicture on_device(device, format, kMaxPlanes);
  const light::gpu::ToLightPass pass(context, on_device, conversion);
  const light::gpu::LightLayout layout = light::gpu::layout_of(conversion.size);
  const vulkan::Buffer light(device, vulkan::Memory::kDevice, layout.bytes());
  vulkan::Buffer readback(device, vulkan::Memory::kReadback, layout.bytes());
  vulkan::Recorder recorder(device);
  on_device.record(recorder);
  pass.record(recorder, light);
  recorder.copy(light, readback);
  on_device.upload(picture);
  vulkan::CommandList list = recorder.finish();
  list.submit();
  list.wait(kTestTimeout);
  const auto* const floats = reinterpret_cast<const float*>(readback.mapped());
  return {{floats, floats + layout.plane * 3}, list.submissions()};
}

TEST(FramesOnSlowDevices, AreSeveralSubmissionsOfPartsOfPasses) {
  const VideoFormat format = formats_of(3840, 1440).distorted;
  std::minstd_rand random(1);
  const Frame picture = drawn_frame(format, [&](int, int, int) { return random() >> 7 & 0xFF; });
  // First, see ADR/0066: NVIDIA's driver takes a pipeline that it compiled without eDispatchBase for this
  // one.
  vulkan::Context slow(changed_device([](auto& info) { info.type = vulkan::DeviceType::kIntegrated; }));
  const Converted parts = convert(slow, format, picture);
  const Converted whole = convert(test_context(), format, picture);
  EXPECT_EQ(whole.submissions, 1);
  EXPECT_GE(parts.submissions, 4);  // three of the pass, and the copies
  EXPECT_TRUE(parts.light == whole.light);
}

}  // namespace
}  // namespace vq::test
