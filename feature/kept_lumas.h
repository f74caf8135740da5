// Lumas that were uploaded to a device with their frames, and which frames need that come later: a neighbour
// is copied from there rather than uploaded again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "vulkan/picture.h"

namespace vq {

// The lumas on one device. Uploads to it run in the order in which they are submitted, so that one which is
// submitted behind another may read what that has written, and one that overwrites it comes behind both.
//
// A frame is announced before any that needs it; then its own upload registers what it has, or withdraws.
class KeptLumas {
 public:
  // That an upload of the frame's luma will follow. Those that look for it wait for that.
  void announce(const Frame& frame);

  // The submission of one frame's upload; none other is made meanwhile.
  class Turn {
   public:
    // Waits until none of these frames is still announced. Null stands for no frame.
    Turn(KeptLumas& kept, const std::vector<const Frame*>& wanted);
    // Where the frame's luma is; null if it is not there. Valid during the turn.
    const vulkan::Buffer* find(const Frame& frame) const;
    // Before a plane is overwritten. Whether it had a luma, which earlier uploads may be reading.
    bool forget(const vulkan::DevicePlane& plane);
    // After the submission: the plane has the frame's luma.
    void put(const Frame& frame, const vulkan::DevicePlane& plane);

   private:
    KeptLumas& kept_;
    const std::unique_lock<std::mutex> lock_;
  };

  // Ends the announcement, if there is one still: the frame's upload has been submitted, or never will.
  void settle(const Frame& frame);

 private:
  // Of a frame whose samples somebody owns. Others share the owner only as long as that lives.
  struct Identity {
    std::weak_ptr<const void> owner;
    const void* samples = nullptr;
    bool operator==(const Identity& other) const;
  };
  struct Entry {
    Identity frame;
    const vulkan::DevicePlane* plane = nullptr;  // only for comparison
    vulkan::Buffer luma;
  };
  static std::optional<Identity> identity_of(const Frame& frame);

  bool is_announced(const Frame& frame) const;

  std::mutex mutex_;
  std::condition_variable settled_;
  std::vector<Identity> announced_;
  std::vector<Entry> entries_;  // one for each plane
};

}  // namespace vq
