#include "vulkan/device_impl.h"

#include <algorithm>

namespace vq::vulkan {
namespace {

// The family with the lowest penalty, the first of several; none where there is none without.
template <typename Penalty>
std::optional<uint32_t> best_family(std::span<const QueueFamily> families, Penalty penalty) {
  std::optional<uint32_t> best;
  int least = 0;
  for (uint32_t i = 0; i < families.size(); ++i) {
    const std::optional<int> own = families[i].count > 0 ? penalty(families[i]) : std::nullopt;
    if (!own || (best && *own >= least)) continue;
    best = i;
    least = *own;
  }
  return best;
}

}  // namespace

std::optional<QueueChoice> choose_queues(std::span<const QueueFamily> families, uint32_t most) {
  const auto compute = best_family(families, [](const QueueFamily& family) -> std::optional<int> {
    if (!family.compute) return std::nullopt;
    return family.graphics ? 1 : 0;
  });
  if (!compute) return std::nullopt;
  QueueChoice choice;
  choice.compute_family = choice.upload_family = *compute;
  const uint32_t count = families[*compute].count;
  const auto transfer = best_family(families, [](const QueueFamily& family) -> std::optional<int> {
    if (family.graphics || family.compute || !family.transfer) return std::nullopt;
    return family.other ? 1 : 0;
  });
  most = std::clamp(most, 1U, kMaxComputeQueues);
  if (transfer) {
    choice.upload_family = *transfer;
    choice.compute_queues = std::min(count, most);
  } else {
    choice.compute_queues = std::min(std::max(count, 2U) - 1, most);
    choice.upload_queue = std::min(count - 1, choice.compute_queues);
  }
  return choice;
}

}  // namespace vq::vulkan
