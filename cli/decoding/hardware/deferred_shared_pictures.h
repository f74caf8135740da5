// Shared picture memory of a run's devices, which are opened after the decoders.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "vulkan/shared_picture.h"

namespace vq::cli {

class DeferredSharedPictures {
 public:
  void set(std::vector<std::shared_ptr<vulkan::SharedPictures>> pictures) {
    const std::lock_guard lock(mutex_);
    pictures_ = std::move(pictures);
    is_known_ = true;
  }
  bool is_known() const {
    const std::lock_guard lock(mutex_);
    return is_known_;
  }

  // For the device with that UUID; null if there is none, or not yet.
  std::shared_ptr<vulkan::SharedPictures> find(const std::array<uint8_t, 16>& uuid) const {
    const std::lock_guard lock(mutex_);
    for (const auto& pictures : pictures_) {
      if (pictures->device().info().uuid == uuid) return pictures;
    }
    return nullptr;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<vulkan::SharedPictures>> pictures_;
  bool is_known_ = false;
};

}  // namespace vq::cli
