// Pictures in device memory.
#pragma once

#include "core/frame.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

// Layout of a plane in a buffer: rows as in core/plane.h, so that a plane that is read back has guards,
// unless `stride` says otherwise.
struct PlaneLayout {
  int width = 0, height = 0;
  int sample_bytes = 1;
  int64_t stride = 0;  // bytes; 0: stored_stride()

  PlaneSize size() const { return {width, height}; }
  int64_t stride_bytes() const;
  int64_t bytes() const { return stride_bytes() * height; }
};

// A plane in device memory.
struct DevicePlane {
  DevicePlane() = default;
  DevicePlane(const std::shared_ptr<Device>& device, PlaneLayout with)
      : layout(with), buffer(device, Memory::kDevice, with.bytes()) {}
  // For shaders; the stride in bytes.
  uint32_t width() const { return static_cast<uint32_t>(layout.width); }
  uint32_t height() const { return static_cast<uint32_t>(layout.height); }
  uint32_t stride() const { return static_cast<uint32_t>(layout.stride_bytes()); }

  PlaneLayout layout;
  Buffer buffer;
};

// The plane of floats at the beginning of a buffer that the host sees.
PlaneView<const float> float_plane(const Buffer& buffer, const PlaneLayout& layout);

struct PlaneSource;

// Location of all planes of a picture; equal for successive pictures in the same memory. Only for comparison;
// never dereferenced.
struct PlanePlace {
  const void* memory = nullptr;
  int64_t offset = 0, stride = 0;
  bool operator==(const PlanePlace&) const = default;
};
using ReadLocation = std::vector<PlanePlace>;

// Converts planes of other layouts.
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
  // With the first `planes` planes that the format has. Throws Error{kBackend}. Without memory of its own it
  // needs read_from() before it is used.
  DevicePicture(const std::shared_ptr<Device>& device, const VideoFormat& format, int planes,
                bool has_memory = true);

  int count() const { return count_; }
  // Needs: i < count().
  const DevicePlane& plane(int i) const { return planes_[static_cast<size_t>(i)]; }

  // Makes the upload buffer, which else is made when it is first needed. Throws Error{kBackend}.
  void prepare_to_stage();
  // Records the copy of the planes from the buffer that upload() fills.
  void record(Recorder& recorder);
  // Copies a frame to the upload buffer. Throws Error{kBackend}. Returns the number of bytes that the device
  // will copy. Needs: the constructor's format.
  int64_t upload(const Frame& frame);
  // Records the copy of the planes from their location; planes that the device cannot read there are copied
  // to the upload buffer first. Returns the number of bytes from host memory. Throws Error{kBackend}. Needs:
  // the constructor's format.
  int64_t upload(const Frame& frame, Upload& upload, const PlaneUnpacker* unpacker = nullptr);
  // Whether the latter copies nothing on the host.
  bool takes_at_once(const Frame& frame, const PlaneUnpacker* unpacker = nullptr) const;

  // The frame's location if the device's shaders can read it in place and a copy would gain nothing;
  // otherwise nothing.
  std::optional<ReadLocation> readable_place(const Frame& frame) const;
  // Work recorded from now on reads the frame in place, or, if null, this picture's own planes again. It is
  // valid for any frame of the same location. Needs: readable_place().
  void read_from(const Frame* frame);
  // The planes are those of another picture of the same format, with as many or more, also for upload().
  void read_from(const DevicePicture& other);
  // Where its planes are.
  ReadLocation place() const;

  // The result of a feature's work on the planes, which is done once for all frames that look at the picture;
  // null: there is none. While this reads from another picture it is that one's.
  const Buffer* derived() const { return derived_.bytes() > 0 ? &derived_ : nullptr; }
  // Throws Error{kBackend}.
  void make_derived(int64_t bytes) { derived_ = Buffer(device_, Memory::kDevice, bytes); }

  // Bytes that it takes at most, on the host and on the device.
  static int64_t bytes(const VideoFormat& format, int planes);

 private:
  std::optional<PlaneSource> source(const Frame& frame, int i) const;
  const Buffer& staging(size_t i);
  void stage(const SampleView& plane, size_t i);

  std::shared_ptr<Device> device_;
  int count_ = 0;
  std::array<DevicePlane, kMaxPlanes> planes_;
  std::array<Buffer, kMaxPlanes> staging_;
  bool is_elsewhere_ = false;           // it reads what is not its own
  std::array<Buffer, kMaxPlanes> own_;  // set aside meanwhile
  Buffer derived_;
};

}  // namespace vq::vulkan
