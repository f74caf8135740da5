// XPSNR's stages on a device, which stand beside those of the CPU in tests of them.
#include "feature/xpsnr/xpsnr.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::xpsnr {
namespace {

using namespace vq::test;

// The sums of two passes, made of these, lie one behind the other, and must be the same.
template <typename Pass, typename Read, typename... Arguments>
void run_two(const Read& read, const Arguments&... arguments) {
  vulkan::Results sums;
  const std::array passes = {Pass(test_context(), arguments..., sums),
                             Pass(test_context(), arguments..., sums)};
  run(sums, passes);
  const auto first = read(passes[0]);
  EXPECT_EQ(read(passes[1]), first);
}

void block_activities(const ActivityForm& form, const History& pictures, Rows&, std::span<Activity> out) {
  const auto& [last, older] = pictures.before;
  const int before = last.empty() ? 0 : older.empty() ? 1 : 2;
  const vulkan::DevicePlane now = to_device(pictures.now.view),
                            one_before = to_device(before > 0 ? last : pictures.now.view),
                            two_before = to_device(before > 1 ? older : pictures.now.view);
  const auto read = [&](const BlockActivitiesPass& pass) {
    pass.read(std::min(before, form.frames_before()), out);
    return std::vector(out.begin(), out.end());
  };
  run_two<BlockActivitiesPass>(
      read, form, BlockActivitiesPass::Pictures{{now, pictures.now.shift}, one_before, two_before});
}

void block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows&, std::span<uint64_t> out) {
  const vulkan::DevicePlane a = to_device(planes[0].view), b = to_device(planes[1].view);
  const auto read = [&](const BlockErrorsPass& pass) {
    pass.read(out);
    return std::vector(out.begin(), out.end());
  };
  run_two<BlockErrorsPass>(read, grid, std::array{Operand{a, planes[0].shift}, Operand{b, planes[1].shift}});
}

const bool kAreAdded =
    add_implementation("vulkan", &block_activities) && add_implementation("vulkan", &block_errors);

TEST(XpsnrGpuStages, AreAmongTheImplementations) {
  ASSERT_TRUE(kAreAdded);
  EXPECT_EQ(all_implementations(&scalar::block_activities, simd::block_activities_for).back().name, "vulkan");
  EXPECT_EQ(all_implementations(&scalar::block_errors, simd::block_errors_for).back().name, "vulkan");
}

}  // namespace
}  // namespace vq::xpsnr
