// Takes the planes of a picture that a video decoder left in the device's memory to where features read them.
#pragma once

#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/shared_picture.h"

namespace vq {

// Why a device cannot; empty where it can.
std::string unsupported_by_unpacker(const vulkan::DeviceInfo& device);

class Unpacker {
 public:
  // For pictures of that format. The context outlives it. Throws Error{kBackend}.
  Unpacker(vulkan::Context& context, const VideoFormat& format);

  // Whether the picture has the planes of `to`, each of its size and depth.
  static bool fits(const vulkan::SharedPicture& from, const vulkan::DevicePicture& to);
  // Needs: fits(). Behind the last sample of each row come zeros up to the next 16 bytes.
  void record(vulkan::Recorder& recorder, const vulkan::SharedPicture& from, const vulkan::DevicePicture& to) const;

 private:
  const vulkan::Pipeline& apart_;        // planes one after the other
  const vulkan::Pipeline& interleaved_;  // two planes sample by sample
};

}  // namespace vq
