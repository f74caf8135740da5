// Devices, their choice, the pipeline cache, and recordings.
#include <sys/stat.h>

#include "core/content_hash.h"
#include "shaders/ciede_differences.h"
#include "shaders/vulkan_canary_store.h"
#include "shaders/vulkan_needs.h"
#include "tests/support/gpu_test.h"
#include "tests/support/temporary_folder.h"
#include "vulkan/device_impl.h"

namespace vq::vulkan {
namespace {

using ::testing::Pair;
using namespace vq::test;

DeviceInfo make_info(int index, const std::string& name, DeviceType type, const std::string& unusable = "") {
  DeviceInfo info;
  info.index = index;
  info.name = name;
  info.type = type;
  info.unusable = unusable;
  return info;
}

DeviceList make_list() {
  return {.devices = {make_info(0, "llvmpipe (LLVM 15)", DeviceType::kSoftware),
                      make_info(1, "Arc B580", DeviceType::kDiscrete, "no queue for compute"),
                      make_info(2, "Radeon Vega", DeviceType::kIntegrated),
                      make_info(3, "H200 MIG 1", DeviceType::kDiscrete),
                      make_info(4, "H200 MIG 2", DeviceType::kDiscrete)},
          .problem = ""};
}

void expect_chosen(const DeviceList& list, std::string_view selector, const std::vector<int>& devices) {
  EXPECT_EQ(choose_devices(list, selector).devices, devices) << selector;
  if (devices.size() == 1 && selector != "all" && selector != "ALL") {
    EXPECT_EQ(choose_device(list, selector).index, devices[0]) << selector;
  }
}
void expect_refused(const DeviceList& list, std::string_view selector, ErrorKind kind,
                    std::initializer_list<std::string_view> parts) {
  expect_error(kind, parts, [&] { choose_devices(list, selector); });
}

TEST(VulkanChoice, TakesIndicesNamesOrPartsOfThemInAnyCase) {
  const DeviceList list = make_list();
  expect_chosen(list, "2", {2});
  expect_chosen(list, "radeon", {2});
  expect_chosen(list, "LLVMPIPE", {0});
  expect_chosen(list, "h200 mig 2", {4});
  EXPECT_EQ(choose_device(list, "").index, 3);
  expect_chosen(list, "4,3", {4, 3});
  expect_chosen(list, "h200 mig 2, 0, Radeon", {4, 0, 2});
  EXPECT_EQ(selector_of(choose_devices(list, "h200 mig 2, 0")), "4,0");
}

TEST(VulkanChoice, RefusesWithTheListOrTheReason) {
  const DeviceList list = make_list(), none = {.devices = {}, .problem = "no loader"};
  expect_refused(list, "9", ErrorKind::kUsage, {"2: Radeon Vega"});
  expect_refused(list, "geforce", ErrorKind::kUsage, {"\"geforce\""});
  expect_refused(list, "h200", ErrorKind::kUsage, {"more than one"});
  expect_refused(list, "arc", ErrorKind::kBackend, {"no queue for compute"});
  expect_refused(list, "3,mig 1", ErrorKind::kUsage, {"3: H200 MIG 1"});
  expect_refused(list, "3,arc", ErrorKind::kBackend, {"Arc B580", "no queue"});
  expect_refused(list, "3,9", ErrorKind::kUsage, {"\"9\""});
  for (const char* wrong : {"3,", ",3", "3,,4", "3,all", ","})
    expect_refused(list, wrong, ErrorKind::kUsage, {wrong});
  for (const char* selector : {"", "all"}) expect_refused(none, selector, ErrorKind::kBackend, {"no loader"});
}

// A number that is no index is a name only where it is long; a name may have commas.
TEST(VulkanChoice, NamesMayBeNumbersAndHaveCommas) {
  DeviceList list = make_list();
  for (const char* number : {"15", "5"}) expect_refused(list, number, ErrorKind::kUsage, {number});
  list.devices[0].name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  expect_chosen(list, "llvmpipe (LLVM 15.0.6, 256 bits)", {0});
  expect_chosen(list, "15.0.6, 256", {0});
  list.devices.resize(3);
  list.devices[2].name = "GeForce RTX 4090";
  expect_chosen(list, "4090", {2});
  expect_refused(list, "40", ErrorKind::kUsage, {"\"40\""});
}

TEST(VulkanChoice, AllAreTheUsableOnesOfTheFastestType) {
  DeviceList list = make_list();
  expect_chosen(list, "all", {3, 4});
  EXPECT_THAT(choose_devices(list, "all").left_out, ElementsAre(1));
  list.devices[3].unusable = list.devices[4].unusable = "broken";
  expect_chosen(list, "ALL", {2});
  EXPECT_THAT(choose_devices(list, "ALL").left_out, ElementsAre());
  list.devices[2].unusable = "broken";
  expect_refused(list, "all", ErrorKind::kBackend, {"0: llvmpipe"});
}

TEST(VulkanChoice, AGpuThatTwoDriversListCountsOnce) {
  DeviceList list = make_list();
  list.devices[4].uuid = list.devices[3].uuid = {1, 2, 3};
  expect_chosen(list, "all", {3});
  list.devices[4].uuid = {4};
  expect_chosen(list, "all", {3, 4});
  list.devices[4].pci_address = list.devices[3].pci_address = "0000:c1:00.0";
  expect_chosen(list, "all", {3});
  list.devices[3].unusable = "broken";
  expect_chosen(list, "all", {4});
}

TEST(VulkanChoice, TakesConformantDevicesWithMuchMemoryFirst) {
  DeviceList list = make_list();
  list.devices[4].memory_bytes = 2;
  expect_chosen(list, "", {4});
  list.devices[3].is_conformant = list.devices[4].is_conformant = false;  // Direct3D behind Vulkan, say
  for (const char* selector : {"", "all"}) expect_chosen(list, selector, {2});
  expect_chosen(list, "mig 2", {4});
  list.devices[2].type = DeviceType::kOther;
  expect_chosen(list, "", {2});
}

// What is opened from a list finds the device that the list describes, without looking again.
TEST(VulkanDevice, AreOpenedFromAListSideBySide) {
  DeviceOptions options = test_options(Validation::kOff);
  options.list = list_devices();
  for (DeviceInfo& info : options.list.devices) info.name += " of the list";
  options.selector = std::to_string(test_device()->info().index);
  const std::vector<std::shared_ptr<Device>> devices = open_devices(options);
  options.list = {};
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0]->info().name, test_device()->info().name + " of the list");
  const Buffer buffer(devices[0], Memory::kDevice, 64);
  EXPECT_LT(devices[0]->buffers_left(), devices[0]->info().max_allocations);
}

TEST(VulkanDevice, ThereIsOneAndItIsDescribed) {
  const DeviceList list = list_devices();
  ASSERT_FALSE(list.devices.empty()) << list.problem;
  const DeviceInfo& info = test_device()->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_THAT(info.api_version, HasSubstr("1."));
  EXPECT_NE(info.vendor, 0u);
  EXPECT_NE(info.uuid, (std::array<uint8_t, 16>{}));
  if (info.type == DeviceType::kSoftware) {
    EXPECT_EQ(info.render_node, "");
  }
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_GT(info.subgroup_size, 0);
  EXPECT_GE(info.shared_memory_bytes, 16384);
  EXPECT_GE(info.max_buffer_bytes, int64_t{1} << 27);
  EXPECT_EQ(info.unusable, "");
}

TEST(VulkanDevice, ABufferShadersCannotSeeIsRefusedWithTheLimit) {
  const int64_t most = test_device()->info().max_buffer_bytes;
  expect_error(ErrorKind::kBackend, {std::to_string((most + 999'999) / 1'000'000) + " MB"},
               [&] { Buffer(test_device(), Memory::kDevice, most + 4); });
}

uint32_t add_one_on(const std::shared_ptr<Device>& device) {
  const Pipeline pipeline(device, shaders::kVulkanCanaryStore, {});
  Buffer in(device, Memory::kUpload, 4);
  const Buffer out(device, Memory::kReadback, 4);
  const uint32_t word = 41, at = 0;
  std::memcpy(in.mapped(), &word, 4);
  Recorder recorder(device);
  recorder.pass(pipeline, {&in, &out}).run(at, {});
  vq::test::run(recorder);
  uint32_t result = 0;
  std::memcpy(&result, out.mapped(), 4);
  return result;
}

TEST(VulkanCache, FileGivesBackWhatWasSavedForItsKeyAlone) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() + "/deeper/cache";
  const std::vector<uint8_t> key = {1, 2, 3}, other = {1, 2, 4}, data = {9, 8, 7, 6};
  EXPECT_TRUE(load_cache(file, key).empty());
  save_cache(file, key, data);
  EXPECT_EQ(load_cache(file, key), data);
  EXPECT_TRUE(load_cache(file, other).empty());
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path()))
    EXPECT_EQ(entry.path(), file) << "something is left behind";
  std::ofstream(file, std::ios::app) << "x";
  EXPECT_TRUE(load_cache(file, key).empty());
  save_cache(file, key, data);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_TRUE(load_cache(file, key).empty());
}

TEST(VulkanCache, APipeInItsPlaceKeepsNobodyWaiting) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() + "/cache";
  const std::vector<uint8_t> key = {1, 2, 3}, data = {9, 8, 7, 6};
  for (const std::filesystem::path& pipe : {file, own_partial(file)}) {
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_TRUE(load_cache(file, key).empty());
    save_cache(file, key, data);
    EXPECT_EQ(load_cache(file, key), data);
    std::filesystem::remove(file);
  }
}

TEST(VulkanCache, DamageAndUnwritableFoldersAreIgnored) {
  const TemporaryFolder folder;
  DeviceOptions options = test_options(Validation::kOff);
  options.cache_folder = folder.path();
  EXPECT_EQ(add_one_on(Device::open(options)), 42U);
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) file = entry.path();
  ASSERT_FALSE(file.empty()) << "no cache was written";
  std::ifstream written(file, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(written)), {});
  for (const std::string& content :
       {good, std::string(good).replace(40, 8, "????????"), good.substr(0, good.size() / 2), good + "more",
        std::string(good.size(), '\0'), std::string("foreign"), std::string()}) {
    std::ofstream(file, std::ios::binary) << content;
    EXPECT_EQ(add_one_on(Device::open(options)), 42U);
  }
  options.cache_folder = file / "below a file";
  EXPECT_EQ(add_one_on(Device::open(options)), 42U);
}

// A binding that several declarations share is written to if one of them may.
TEST(VulkanPipeline, IsMadeOnceForADeviceWhichStillCloses) {
  std::atomic<int> made = 0;
  auto device = Device::open({}, [&](Call call) {
    if (call == Call::kCreatePipeline) ++made;
    return 0;
  });
  const std::weak_ptr<Device> watched = device;
  const auto make = [&](uint32_t constant) {
    const std::array constants{constant};
    Pipeline pipeline(device, shaders::kVulkanCanaryStore, constants);
    pipeline.impl();
    return pipeline;
  };
  make(1);
  EXPECT_EQ(made, 1);
  {
    const Pipeline again = make(1), other = make(2);
    EXPECT_EQ(made, 2);
    EXPECT_NE(again.impl(), other.impl());
    EXPECT_EQ(again.impl(), make(1).impl());
  }
  // A device keeps 256 pipelines of these 300.
  constexpr uint32_t kMany = 300;
  for (uint32_t i = 0; i < 2 * kMany; ++i) make(i % kMany);
  EXPECT_GT(made, static_cast<int>(kMany));
  EXPECT_LT(made, static_cast<int>(2 * kMany) - 200);
  {
    const Pipeline user = make(1);
    device.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(VulkanShader, WhatItNeedsFollowsFromItsCodeAndConstants) {
  EXPECT_THAT(shaders::kVulkanNeeds.accesses, ElementsAre(Access::kRead, Access::kWrite, Access::kRead));
  EXPECT_EQ(shaders::kVulkanNeeds.name, "vulkan_needs");
  const ShaderNeeds own = shaders::kVulkanNeeds.needs({});
  EXPECT_THAT(own.group_size, ElementsAre(4, 2, 1));
  EXPECT_EQ(own.shared_bytes, 16 * 1 + 4 * 2);
  EXPECT_EQ(own.storage_buffers, 3);
  const ShaderNeeds others = shaders::kVulkanNeeds.needs(std::array<uint32_t, 2>{8, 1});
  EXPECT_THAT(others.group_size, ElementsAre(8, 2, 1));
  EXPECT_EQ(others.shared_bytes, 16 * 2 * 2 + 4 * 3);
  const ShaderNeeds store = shaders::kVulkanCanaryStore.needs({});
  EXPECT_THAT(store.group_size, ElementsAre(1, 1, 1));
  EXPECT_EQ(store.shared_bytes, 0);
}

// The float controls that a shader declares on a device with these: modes and widths.
std::vector<std::pair<uint32_t, uint32_t>> modes_of(const Shader& shader, FloatControls floats,
                                                    FloatControls doubles) {
  constexpr uint32_t kExecutionMode = 16, kLocalSize = 17;
  DeviceInfo device;
  device.floats = floats;
  device.doubles = doubles;
  const std::vector<uint32_t> code = code_for(device, shader);
  std::vector<std::pair<uint32_t, uint32_t>> modes;
  for (size_t i = 5; i < code.size(); i += code[i] >> 16) {
    if ((code[i] & 0xFFFF) == kExecutionMode && code[i + 2] != kLocalSize)
      modes.emplace_back(code[i + 2], code[i + 3]);
  }
  return modes;
}

// Whether what is declared is valid, the validation layer says whenever it watches a feature.
TEST(VulkanShader, DeclaresTheFloatControlsThatADeviceHas) {
  constexpr uint32_t kNearest = 4462, kSpecial = 4461;  // of SPIR-V
  constexpr FloatControls kNone, kRounds{.round_to_nearest = true}, kBoth{true, true};
  const Shader floats = shaders::kVulkanNeeds, doubles = shaders::kCiedeDifferences;
  EXPECT_THAT(modes_of(floats, kNone, kBoth), ElementsAre());
  EXPECT_THAT(modes_of(floats, kRounds, kBoth), ElementsAre(Pair(kNearest, 32)));
  EXPECT_THAT(modes_of(floats, kBoth, kNone), ElementsAre(Pair(kNearest, 32), Pair(kSpecial, 32)));
  EXPECT_THAT(modes_of(doubles, kRounds, kBoth),
              ElementsAre(Pair(kNearest, 32), Pair(kNearest, 64), Pair(kSpecial, 64)));
  EXPECT_TRUE(std::ranges::equal(code_for(DeviceInfo(), doubles), doubles.code));
  const DeviceInfo& here = test_device()->info();
  EXPECT_EQ(code_for(here, floats).size() - floats.code.size(),
            6 * static_cast<size_t>(here.floats.round_to_nearest + here.floats.keep_special));
}

// Mesa lists such a device on demand. It would give frames of zeros.
TEST(VulkanDevice, ThatIsNotThereIsRefused) {
  setenv("RADV_FORCE_FAMILY", "polaris10", 1);
  DeviceOptions options = test_options(Validation::kOff);
  options.list = list_devices();
  unsetenv("RADV_FORCE_FAMILY");
  options.selector = "Null hardware";
  const bool is_listed = std::ranges::any_of(
      options.list.devices, [&](const DeviceInfo& info) { return info.name.starts_with(options.selector); });
  if (!is_listed) GTEST_SKIP() << "Mesa's driver for AMD GPUs is not installed";
  expect_error(ErrorKind::kBackend, {"a GPU that is not there"}, [&] { Device::open(options); });
}

TEST(VulkanLimits, AreToldWithTheNumbers) {
  const ShaderNeeds good{.group_size = {64, 2, 1}, .shared_bytes = 1000, .storage_buffers = 3};
  const auto reason = [&](const auto& change) {
    DeviceInfo small = test_device()->info();
    change(small);
    return unsupported_reason(small, good);
  };
  EXPECT_EQ(reason([](DeviceInfo&) {}), "");
  EXPECT_EQ(reason([](DeviceInfo& small) {
              small.max_group_size = {1024, 1, 64};
            }),
            "work groups of at most 1024x1x64 invocations; 64x2x1 are needed");
  EXPECT_EQ(reason([](DeviceInfo& small) { small.max_invocations = 127; }),
            "work groups of at most 127 invocations; 128 are needed");
  EXPECT_EQ(reason([](DeviceInfo& small) { small.shared_memory_bytes = 999; }),
            "work groups share at most 999 bytes of memory; 1000 are needed");
  EXPECT_EQ(reason([](DeviceInfo& small) { small.max_storage_buffers = 2; }),
            "shaders see at most 2 buffers; 3 are needed");
  DeviceInfo small = test_device()->info();
  small.max_groups = {65535, 65535, 1};
  EXPECT_EQ(unsupported_dispatch_reason(small, {65535, 2, 1}), "");
  EXPECT_EQ(unsupported_dispatch_reason(small, {65536, 1, 1}),
            "a dispatch has at most 65535x65535x1 work groups; 65536x1x1 are needed");
}

TEST(VulkanLimits, ADeviceThatDoesNotMeetARequirementIsUnusable) {
  const Requirement requirement = [](const DeviceInfo& info) { return info.name.empty() ? "" : "named"; };
  for (const DeviceInfo& info : list_devices(requirement).devices) EXPECT_NE(info.unusable, "");
  DeviceOptions options = test_options(Validation::kOff);
  options.requirement = requirement;
  expect_error(ErrorKind::kBackend, {test_device()->info().name, "named"}, [&] { Device::open(options); });
}

// Of too many work groups, or with another number of buffers.
TEST(VulkanRecorder, ADispatchThatCannotBeIsRefused) {
  const int64_t most = test_device()->info().max_groups[1];
  ASSERT_LT(most, UINT32_MAX) << "no number of work groups is too large";
  const Pipeline pipeline(test_device(), shaders::kVulkanCanaryStore, {});
  const Buffer a(test_device(), Memory::kDevice, 64), b(test_device(), Memory::kDevice, 64);
  Recorder recorder(test_device());
  const Groups too_many{1, static_cast<uint32_t>(most + 1), 1};
  EXPECT_THROW(recorder.pass(pipeline, {&a, &b}).run(uint32_t{0}, too_many), Error);
  EXPECT_THROW(recorder.pass(pipeline, {&a}).run(uint32_t{0}, {}), Error);
}

TEST(VulkanRecorder, PutsABarrierWhereAndOnlyWhereItIsNeeded) {
  const Pipeline pipeline(test_device(), shaders::kVulkanCanaryStore, {});
  const Buffer a(test_device(), Memory::kDevice, 64), b(test_device(), Memory::kDevice, 64),
      c(test_device(), Memory::kDevice, 64), d(test_device(), Memory::kDevice, 64);
  const uint32_t at = 0;
  Recorder recorder(test_device());
  recorder.fill(a, 7);
  recorder.fill(c, 7);
  recorder.pass(pipeline, {&a, &b}).run(at, {});  // 1: reads a
  recorder.pass(pipeline, {&c, &d}).run(at, {});  // c was covered by the same barrier
  recorder.pass(pipeline, {&a, &c}).run(at, {});  // 2: writes c, which was read
  recorder.pass(pipeline, {&b, &d}).run(at, {});  // d and b were covered by 2
  recorder.pass(pipeline, {&a, &d}).run(at, {});  // 3: writes d again
  CommandList list = recorder.finish();
  EXPECT_EQ(list.barriers(), 3);
  list.submit();
  list.wait(vq::test::kTestTimeout);
}

TEST(VulkanRecorder, AListRunsAsOftenAsItIsSubmittedAndKeepsTime) {
  const Pipeline pipeline(test_device(), shaders::kVulkanCanaryStore, {});
  Buffer in(test_device(), Memory::kUpload, 4);
  const Buffer out(test_device(), Memory::kReadback, 16);
  Recorder recorder(test_device());
  recorder.begin_stage("first");
  recorder.pass(pipeline, {&in, &out}).run(uint32_t{0}, {});
  recorder.begin_stage("second");
  recorder.pass(pipeline, {&in, &out}).run(uint32_t{1}, {});
  recorder.begin_stage("first");
  recorder.pass(pipeline, {&in, &out}).run(uint32_t{2}, {});
  CommandList list = recorder.finish();
  for (uint32_t i = 0; i < 5; ++i) {
    std::memcpy(in.mapped(), &i, 4);
    list.submit();
    list.wait(vq::test::kTestTimeout);
    uint32_t words[3];
    std::memcpy(words, out.mapped(), sizeof words);
    EXPECT_THAT(words, ElementsAre(i + 1, i + 1, i + 1));
    ASSERT_EQ(list.times().size(), test_device()->info().has_timestamps ? 2U : 0U);
    for (const StageTime& time : list.times()) EXPECT_GE(time.milliseconds, 0);
  }
}

// Of many features in one recording.
TEST(VulkanRecorder, StagesBeyondThoseThatItCanTellApartAreCountedWithTheLast) {
  const Pipeline pipeline(test_device(), shaders::kVulkanCanaryStore, {});
  const Buffer in(test_device(), Memory::kUpload, 4), out(test_device(), Memory::kReadback, 16);
  Recorder recorder(test_device());
  for (int i = 0; i < 300; ++i) {
    recorder.set_stage_prefix(std::to_string(i) + ": ");
    recorder.begin_stage("stage");
    recorder.pass(pipeline, {&in, &out}).run(uint32_t{0}, {});
  }
  CommandList list = recorder.finish();
  list.submit();
  list.wait(vq::test::kTestTimeout);
  if (!test_device()->info().has_timestamps) return;
  ASSERT_EQ(list.times().size(), 255U);
  EXPECT_EQ(list.times().back().stage, "254: stage");
}

}  // namespace
}  // namespace vq::vulkan
