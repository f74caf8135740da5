// Frames in a device's memory that the host does not see, as decoders on the device leave them there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/frame_memory.h"
#include "vulkan/shared_picture.h"

namespace vq::test {

// Where planes go: chroma of two planes sample by sample, and deeper samples in the upper bits, or all as on
// the host.
inline std::vector<vulkan::SharedPlane> shared_layout(const Frame& frame, bool interleaved) {
  const auto aligned = [](int64_t bytes) {
    return (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
  };
  std::vector<vulkan::SharedPlane> planes;
  int64_t end = 0;
  for (const SampleView& plane : frame.planes) {
    if (plane.empty()) break;
    const bool is_pair = interleaved && !planes.empty(), is_second = is_pair && planes.size() == 2;
    vulkan::SharedPlane place = {.size = {plane.width(), plane.height()},
                                 .offset_bytes = is_second ? planes[1].offset_bytes : end,
                                 .sample_bytes = plane.is_u8() ? 1 : 2,
                                 .step = is_pair ? 2 : 1,
                                 .first = is_second ? 1 : 0,
                                 .shift = interleaved && !plane.is_u8() ? 16 - frame.bit_depth : 0};
    place.stride_bytes = stored_stride(int64_t{place.size.width} * place.sample_bytes * place.step);
    if (!is_second) end = aligned(end + place.stride_bytes * place.size.height);
    planes.push_back(place);
  }
  return planes;
}

inline void write_plane(const SampleView& plane, const vulkan::SharedPlane& place, std::byte* memory) {
  for (int y = 0; y < place.size.height; ++y) {
    for (int x = 0; x < place.size.width; ++x) {
      const int sample = (plane.is_u8() ? plane.u8.row(y)[x] : plane.u16.row(y)[x]) << place.shift;
      const int64_t column = int64_t{x * place.step + place.first} * place.sample_bytes;
      std::byte* const at = memory + place.offset_bytes + place.stride_bytes * y + column;
      std::memcpy(at, &sample, static_cast<size_t>(place.sample_bytes));
    }
  }
}

// The same picture there; every bit is set where there is no sample.
inline Frame shared_copy(const Frame& frame, vulkan::SharedPictures& pool,
                         const std::shared_ptr<vulkan::Device>& device, bool interleaved) {
  const std::vector<vulkan::SharedPlane> planes = shared_layout(frame, interleaved);
  int64_t bytes = 0;
  for (const vulkan::SharedPlane& plane : planes) {
    bytes = std::max(bytes, plane.offset_bytes + plane.stride_bytes * plane.size.height + kPlaneAlignment);
  }
  const vulkan::Buffer upload(device, vulkan::Memory::kUpload, bytes);
  std::memset(upload.mapped(), 0xFF, static_cast<size_t>(bytes));
  for (size_t i = 0; i < planes.size(); ++i) write_plane(frame.planes[i], planes[i], upload.mapped());
  const std::shared_ptr<vulkan::SharedPicture> picture = pool.take(bytes);
  if (picture == nullptr) throw Error(ErrorKind::kBackend, "the device has no memory to share");
  vulkan::Recorder recorder(device);
  const vulkan::Copy all = {.from = &upload, .to = &picture->buffer(), .bytes = bytes};
  recorder.copy(std::span(&all, 1));
  vulkan::CommandList list = recorder.finish();
  list.submit();
  list.wait(std::chrono::minutes(10));
  picture->describe(planes);
  Frame copy = frame;
  copy.planes = {};
  copy.owner = nullptr;
  copy.place = picture;
  return copy;
}

}  // namespace vq::test
