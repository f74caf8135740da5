#include "feature/cambi/readback.h"

#include <cstring>

namespace vq::cambi::gpu {

// The guard behind each plane is the one before the next.
Readback::Readback(const std::shared_ptr<vulkan::Device>& device, const Picture& picture)
    : picture_(picture) {
  int64_t end = static_cast<int64_t>(kRowGuardBytes);
  const auto place = [&end](const vulkan::DevicePlane& plane) {
    const Place result{plane.layout, end};
    end += plane.layout.bytes();
    return result;
  };
  for (int k = 0; k < kScales; ++k) {
    images_[static_cast<size_t>(k)] = place(picture.image(k));
    masks_[static_cast<size_t>(k)] = place(picture.mask(k));
  }
  excess_ = end;
  buffer_ = vulkan::Buffer(device, vulkan::Memory::kReadback, end + 4);
}

void Readback::record(vulkan::Recorder& recorder) const {
  recorder.begin_stage("readback");
  std::vector<vulkan::Copy> copies = {
      {.from = &picture_.excess(), .to = &buffer_, .to_offset = excess_, .bytes = sizeof(uint32_t)}};
  const auto add = [&](const vulkan::DevicePlane& plane, const Place& place) {
    copies.push_back(
        {.from = &plane.buffer, .to = &buffer_, .to_offset = place.offset, .bytes = place.layout.bytes()});
  };
  for (int k = 0; k < kScales; ++k) {
    add(picture_.image(k), images_[static_cast<size_t>(k)]);
    add(picture_.mask(k), masks_[static_cast<size_t>(k)]);
  }
  recorder.copy(copies);
}

bool Readback::has_excess() const {
  uint32_t word = 0;
  std::memcpy(&word, buffer_.mapped() + excess_, sizeof word);
  return word != 0;
}

}  // namespace vq::cambi::gpu
