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
// Uploads are announced in the order of frames. Each then registers what it has, or has nothing, and is
// settled.
class KeptLumas {
 public:
  // That an upload of these frames' lumas will follow. Those that are announced later and look for them wait
  // for that. Returns the upload's number, above those before.
  int64_t announce(const std::vector<const Frame*>& frames);

  // The submission of one frame's upload; none other is made meanwhile.
  class Turn {
   public:
    // Waits until all uploads of these frames are settled that were announced before upload `number`; the
    // same frame may come again later. Null stands for no frame.
    Turn(KeptLumas& kept, const std::vector<const Frame*>& wanted, int64_t number);
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

  // The upload has been submitted, or never will.
  void settle(int64_t number);

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

  struct Announced {
    Identity frame;
    int64_t number = 0;
  };
  bool is_awaited(const Frame& frame, int64_t number) const;

  std::mutex mutex_;
  std::condition_variable settled_;
  int64_t last_number_ = 0;
  std::vector<Announced> announced_;  // not settled yet
  std::vector<Entry> entries_;        // one for each plane
};

}  // namespace vq
