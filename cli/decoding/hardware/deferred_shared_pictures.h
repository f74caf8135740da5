// Memory for pictures that stay on a run's devices, which are opened beside the decoders.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.h"
#include "vulkan/shared_picture.h"

namespace vq::cli {

// May be used from any thread.
class DeferredSharedPictures {
 public:
  using Devices = std::vector<std::shared_ptr<vulkan::Device>>;

  DeferredSharedPictures() = default;  // has none
  explicit DeferredSharedPictures(std::shared_future<Devices> opened) : opened_(std::move(opened)) {}

  // Whether the devices are open, or were given up.
  bool is_known() const {
    const std::lock_guard lock(mutex_);
    return look();
  }

  // For the device with that UUID; null if there is none, or not yet.
  std::shared_ptr<vulkan::SharedPictures> find(const std::array<uint8_t, 16>& uuid) const {
    const std::lock_guard lock(mutex_);
    if (!look()) return nullptr;
    for (const auto& pictures : pictures_) {
      if (pictures->device().info().uuid == uuid) return pictures;
    }
    return nullptr;
  }

  // From now on there is none.
  void give_up() {
    const std::lock_guard lock(mutex_);
    pictures_.clear();
    is_known_ = true;
  }

 private:
  bool look() const {
    if (is_known_ || !opened_.valid()) return true;
    if (opened_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return false;
    is_known_ = true;
    try {
      pictures_ = vulkan::shared_pictures_of(opened_.get());
    } catch (const Error&) {  // whoever needs the devices says so
    }
    return true;
  }

  const std::shared_future<Devices> opened_;
  mutable std::mutex mutex_;  // of the members below
  mutable std::vector<std::shared_ptr<vulkan::SharedPictures>> pictures_;
  mutable bool is_known_ = false;
};

}  // namespace vq::cli
