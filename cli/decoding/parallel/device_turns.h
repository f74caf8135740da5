// Which of several devices decodes a segment of a stream.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace vq::cli {

// Devices take turns along the pictures of a run: the same pictures of both videos of a pair lie on one
// device, whichever of them is decoded ahead of the other. A turn is some 48 pictures, or as long as the
// longest segment so far, and a segment belongs to the turn in which its middle lies. Only speed depends on
// this. May be used from any thread.
class DeviceTurns {
 public:
  // Needs: devices > 0.
  explicit DeviceTurns(int devices) : devices_(devices) {}

  int devices() const { return devices_; }
  // Announces segments of about `length` pictures.
  void expect(int64_t length);
  // The device, from 0, for a segment of about `length` pictures from picture `first` on, counted from 0.
  int device_for(int64_t first, int64_t length);

 private:
  const int devices_;
  std::mutex mutex_;
  int64_t longest_ = 1;                // segment
  std::vector<int64_t> starts_ = {0};  // of turns, in order
};

}  // namespace vq::cli
