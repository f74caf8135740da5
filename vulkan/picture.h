// Pictures in a device's memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "vulkan/recorder.h"
#include "vulkan/upload.h"

namespace vq::vulkan {

// How a plane lies in a buffer: rows as in core/plane.h, so that what is read back is a plane with guards,
// unless `stride` says otherwise.
struct PlaneLayout {
  int width = 0, height = 0;
  int sample_bytes = 1;
  int64_t stride = 0;  // bytes; 0: stored_stride()

  int64_t stride_bytes() const;
  int64_t bytes() const { return stride_bytes() * height; }
};

// A plane in the device's memory.
struct DevicePlane {
  DevicePlane() = default;
  DevicePlane(const std::shared_ptr<Device>& device, PlaneLayout with)
      : layout(with), buffer(device, Memory::kDevice, with.bytes()) {}
  PlaneLayout layout;
  Buffer buffer;
};

struct PlaneSource;

// Where all planes of a picture lie: equal for pictures that follow each other in the same place. Compared,
// never followed.
struct PlanePlace {
  const void* memory = nullptr;
  int64_t offset = 0, stride = 0;
  bool operator==(const PlanePlace&) const = default;
};
using ReadLocation = std::vector<PlanePlace>;

// Makes planes of what lies in another way.
class PlaneUnpacker {
 public:
  virtual ~PlaneUnpacker() = default;
  virtual bool unpacks(const PlaneSource& source, const DevicePlane& to) const = 0;
  // Needs: unpacks(). Throws Error{kBackend}.
  virtual void record(Upload& upload, const PlaneSource& source, const DevicePlane& to) const = 0;
};

// The planes of one video's frames on the device, one frame after another.
class DevicePicture {
 public:
  // Of the first `planes` planes, as far as the format has them. Throws Error{kBackend}.
  DevicePicture(const std::shared_ptr<Device>& device, const VideoFormat& format, int planes);

  int count() const { return count_; }
  // Needs: i < count().
  const DevicePlane& plane(int i) const { return planes_[static_cast<size_t>(i)]; }

  // Records the planes' way from where upload() puts them.
  void record(Recorder& recorder) const;
  // Copies a frame to where the device fetches it. Returns the bytes it will fetch. Needs: the constructor's
  // format.
  int64_t upload(const Frame& frame);
  // Records in an upload the planes' way from where they are; those that the device cannot take from there
  // are copied first. Returns the bytes that come from the host's memory. Throws Error{kBackend}. Needs: the
  // constructor's format.
  int64_t upload(const Frame& frame, Upload& upload, const PlaneUnpacker* unpacker = nullptr);
  // Whether the latter copies nothing by itself.
  bool takes_at_once(const Frame& frame, const PlaneUnpacker* unpacker = nullptr) const;

  // Where the device's shaders can read the frame as it lies: nothing is gained by bringing it elsewhere.
  // Nothing where they cannot, or where memory of their own is faster.
  std::optional<ReadLocation> readable_place(const Frame& frame) const;
  // What is recorded next reads the frame where it lies, or, without one, this picture's own planes again. It
  // does that for any frame of the same place. Needs: readable_place().
  void read_from(const Frame* frame);

  // What the constructor allocates, on the host and on the device.
  static int64_t bytes(const VideoFormat& format, int planes);

 private:
  std::optional<PlaneSource> source(const Frame& frame, int i) const;
  void stage(const SampleView& plane, size_t i);

  std::shared_ptr<Device> device_;
  int count_ = 0;
  std::array<DevicePlane, kMaxPlanes> planes_;
  std::array<Buffer, kMaxPlanes> staging_;
  std::array<Buffer, kMaxPlanes> own_;  // set aside while others are read
};

}  // namespace vq::vulkan
