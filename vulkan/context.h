// Pipelines and tables that all work on a device shares, each made on first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vulkan/buffer.h"
#include "vulkan/pipeline.h"

namespace vq::vulkan {

// May be used from several threads. References stay valid as long as the context lives.
class Context {
 public:
  explicit Context(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  const std::shared_ptr<Device>& device() const { return device_; }
  // For callers that make several related objects on several threads. Not needed for the members here.
  std::mutex& mutex() { return mutex_; }
  // Ends a start-up check. Throws Error{kBackend} unless the device computed the same `what` as the CPU, such
  // as "values".
  void require_same(bool same, std::string_view what) const;
  // `constants` are the shader's specialization constants. Throws Error{kBackend}.
  const Pipeline& pipeline(const Shader& shader, const std::vector<uint32_t>& constants = {});
  // A table in device memory for shaders to read; equal content shares one table. Waits for the upload.
  // Throws Error{kBackend}.
  const Buffer& byte_table(std::span<const std::byte> content);
  template <typename T>
  const Buffer& table(const T& entries) {
    return byte_table(std::as_bytes(std::span(entries)));
  }

 private:
  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::mutex made_mutex_;  // guards the members below
  std::map<std::pair<std::string, std::vector<uint32_t>>, Pipeline> pipelines_;
  std::map<std::string, Buffer> tables_;  // by content
};

}  // namespace vq::vulkan
