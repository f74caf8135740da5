// Which queues of a device take which part of the work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace vq::vulkan {

// What matters here of a family of queues.
struct QueueFamily {
  bool graphics = false;
  bool compute = false;
  bool transfer = false;    // said so; families for graphics and compute can, whether they say so or not
  bool other = false;       // video, optical flow, ...
  uint32_t count = 0;       // of its queues
  uint32_t clock_bits = 0;  // of timestamps; 0: none
};

// Stages of different frames go to different queues, so that the barriers of one stop no other; uploads go to
// one that no stage is on, as far as there is one.
struct QueueChoice {
  uint32_t compute_family = 0;
  uint32_t compute_queues = 1;  // the first ones of the family
  uint32_t upload_family = 0;
  uint32_t upload_queue = 0;  // of that family; one of the above where there is no other

  bool operator==(const QueueChoice&) const = default;
};

inline constexpr uint32_t kMaxComputeQueues = 8;

// At most so many queues for stages. None where no family computes. A family for compute alone is preferred,
// since others may be using the one for graphics; for uploads one for transfers alone, which stands for
// hardware that copies beside.
std::optional<QueueChoice> choose_queues(std::span<const QueueFamily> families,
                                         uint32_t most = kMaxComputeQueues);

}  // namespace vq::vulkan
