// Which queues are taken, for the families that drivers have.
#include "vulkan/device_impl.h"

#include <gtest/gtest.h>

#include <vector>

namespace vq::vulkan {
namespace {

QueueFamily all(uint32_t count) {
  return {.graphics = true, .compute = true, .transfer = true, .count = count, .clock_bits = 64};
}
QueueFamily compute(uint32_t count) {
  return {.compute = true, .transfer = true, .count = count, .clock_bits = 64};
}
QueueFamily transfer(uint32_t count) {
  return {.transfer = true, .count = count, .clock_bits = 64};
}
QueueFamily video(uint32_t count) {
  return {.transfer = true, .other = true, .count = count, .clock_bits = 32};
}

TEST(VulkanQueues, OfNvidiaAreThoseForComputeAndForTransfersAlone) {
  const std::vector<QueueFamily> h200 = {all(16), transfer(2), compute(8), video(7), video(8), transfer(1)};
  EXPECT_EQ(choose_queues(h200), (QueueChoice{.compute_family = 2, .compute_queues = 8, .upload_family = 1}));
  EXPECT_EQ(choose_queues(h200, 2),
            (QueueChoice{.compute_family = 2, .compute_queues = 2, .upload_family = 1}));
  EXPECT_EQ(choose_queues(h200, 0),
            (QueueChoice{.compute_family = 2, .compute_queues = 1, .upload_family = 1}));
}

TEST(VulkanQueues, OfAmdAreThoseForComputeOfWhichOneUploads) {
  const std::vector<QueueFamily> radv = {all(1), compute(4), {.other = true, .count = 1}, {.count = 1}};
  EXPECT_EQ(choose_queues(radv),
            (QueueChoice{.compute_family = 1, .compute_queues = 3, .upload_family = 1, .upload_queue = 3}));
  EXPECT_EQ(choose_queues(radv, 1),
            (QueueChoice{.compute_family = 1, .compute_queues = 1, .upload_family = 1, .upload_queue = 1}));
  const std::vector<QueueFamily> with_transfers = {all(1), compute(4), transfer(2)};
  EXPECT_EQ(choose_queues(with_transfers),
            (QueueChoice{.compute_family = 1, .compute_queues = 4, .upload_family = 2}));
}

TEST(VulkanQueues, OfIntelAreWhatThereIs) {
  EXPECT_EQ(choose_queues(std::vector{all(1)}), QueueChoice{});
  EXPECT_EQ(choose_queues(std::vector{all(1), compute(1), transfer(1)}),
            (QueueChoice{.compute_family = 1, .compute_queues = 1, .upload_family = 2}));
  // A family for video can transfer as well.
  EXPECT_EQ(choose_queues(std::vector{all(1), compute(1), video(2)}),
            (QueueChoice{.compute_family = 1, .compute_queues = 1, .upload_family = 2}));
}

TEST(VulkanQueues, OneQueueDoesEverything) {
  const std::vector<QueueFamily> lavapipe = {all(1)};
  EXPECT_EQ(choose_queues(lavapipe),
            (QueueChoice{.compute_queues = 1, .upload_family = 0, .upload_queue = 0}));
  // Families for compute need not say that they transfer.
  EXPECT_EQ(choose_queues(std::vector{QueueFamily{.compute = true, .count = 2}}),
            (QueueChoice{.compute_queues = 1, .upload_family = 0, .upload_queue = 1}));
}

TEST(VulkanQueues, FamiliesForTransfersAreBetterThanThoseForVideo) {
  const std::vector<QueueFamily> families = {all(1), video(1), transfer(1)};
  EXPECT_EQ(choose_queues(families)->upload_family, 2U);
}

TEST(VulkanQueues, WithoutComputeThereAreNone) {
  EXPECT_FALSE(choose_queues(std::vector{transfer(2), video(1)}));
  EXPECT_FALSE(choose_queues(std::vector{QueueFamily{.compute = true, .count = 0}}));
  EXPECT_FALSE(choose_queues({}));
}

}  // namespace
}  // namespace vq::vulkan
