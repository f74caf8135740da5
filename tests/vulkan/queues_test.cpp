// Which queues are taken, for the families that drivers have.
#include "tests/support/test.h"
#include "vulkan/device.h"

namespace vq::vulkan {
namespace {

QueueFamily all(uint32_t count) {
  return {.graphics = true, .compute = true, .transfer = true, .count = count, .clock_bits = 64};
}
QueueFamily compute(uint32_t count) {
  return {.compute = true, .transfer = true, .count = count, .clock_bits = 64};
}
QueueFamily transfer(uint32_t count) { return {.transfer = true, .count = count, .clock_bits = 64}; }
QueueFamily video(uint32_t count) {
  return {.transfer = true, .other = true, .count = count, .clock_bits = 32};
}

TEST(VulkanQueues, AreThoseForComputeAndForTransfersAloneWhereThereAreSome) {
  const std::vector<QueueFamily> h200 = {all(16), transfer(2), compute(8), video(7), video(8), transfer(1)},
                                 radv = {all(1), compute(4), {.other = true, .count = 1}, {.count = 1}};
  struct Case {
    std::vector<QueueFamily> families;
    QueueChoice choice;
    uint32_t most = kMaxComputeQueues;
  };
  for (const auto& [families, choice, most] : {
           Case{h200, {.compute_family = 2, .compute_queues = 8, .upload_family = 1}},
           Case{h200, {.compute_family = 2, .compute_queues = 2, .upload_family = 1}, 2},
           Case{h200, {.compute_family = 2, .compute_queues = 1, .upload_family = 1}, 0},
           // AMD's, of which one uploads.
           Case{radv, {.compute_family = 1, .compute_queues = 3, .upload_family = 1, .upload_queue = 3}},
           Case{radv, {.compute_family = 1, .compute_queues = 1, .upload_family = 1, .upload_queue = 1}, 1},
           Case{{all(1), compute(4), transfer(2)},
                {.compute_family = 1, .compute_queues = 4, .upload_family = 2}},
           // Intel's; a family for video can transfer as well, but one for transfers is better.
           Case{{all(1), compute(1), transfer(1)},
                {.compute_family = 1, .compute_queues = 1, .upload_family = 2}},
           Case{{all(1), compute(1), video(2)},
                {.compute_family = 1, .compute_queues = 1, .upload_family = 2}},
           Case{{all(1), video(1), transfer(1)}, {.upload_family = 2}},
           // One queue does everything. Families for compute need not say that they transfer.
           Case{{all(1)}, {}},
           Case{{QueueFamily{.compute = true, .count = 2}},
                {.compute_queues = 1, .upload_family = 0, .upload_queue = 1}},
       }) {
    EXPECT_EQ(choose_queues(families, most), choice) << families.size() << " families, at most " << most;
  }
}

TEST(VulkanQueues, WithoutComputeThereAreNone) {
  EXPECT_FALSE(choose_queues(std::vector{transfer(2), video(1)}));
  EXPECT_FALSE(choose_queues(std::vector{QueueFamily{.compute = true, .count = 0}}));
  EXPECT_FALSE(choose_queues({}));
}

}  // namespace
}  // namespace vq::vulkan
