// Assignment of a device's queues to parts of the work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace vq::vulkan {

// The relevant properties of a queue family.
struct QueueFamily {
  bool graphics = false;
  bool compute = false;
  bool transfer = false;  // declared; families for graphics or compute support it even if it is not declared
  bool other = false;     // video, optical flow, ...
  uint32_t count = 0;     // number of its queues
  uint32_t clock_bits = 0;  // valid bits of timestamps; 0: no timestamps
};

// Stages of different frames use different queues, so that barriers of one frame do not stop another; uploads
// use a queue without stages if there is one.
struct QueueChoice {
  uint32_t compute_family = 0;
  uint32_t compute_queues = 1;  // the first ones of the family
  uint32_t upload_family = 0;
  uint32_t upload_queue = 0;  // of that family; shared with stages if there is no other

  bool operator==(const QueueChoice&) const = default;
};

inline constexpr uint32_t kMaxComputeQueues = 8;

// At most `most` queues for stages. None if no family computes. Prefers a family for compute alone, as the
// graphics family may be in use by others, and for uploads a family for transfers alone, which stands for
// independent copy hardware.
std::optional<QueueChoice> choose_queues(std::span<const QueueFamily> families,
                                         uint32_t most = kMaxComputeQueues);

}  // namespace vq::vulkan
