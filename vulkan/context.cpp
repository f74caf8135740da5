#include "vulkan/context.h"

#include <chrono>
#include <cstring>

#include "vulkan/device_impl.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {
namespace {

constexpr std::chrono::seconds kTableTimeout{10};

Buffer make_table(const std::shared_ptr<Device>& device, std::span<const std::byte> content) {
  const auto size = static_cast<int64_t>(content.size());
  Buffer staging(device, Memory::kUpload, size);
  {
    const Device::Impl::NeededDriverUse use(device->impl(), "filling a table");
    std::memcpy(staging.mapped(), content.data(), content.size());
  }
  Buffer table(device, Memory::kDevice, size);
  Recorder recorder(device);
  recorder.copy(staging, table);
  CommandList list = recorder.finish();
  list.submit();
  list.wait(kTableTimeout);
  return table;
}

}  // namespace

void Context::require_same(bool same, std::string_view what) const {
  if (same && device_->impl().asked(Call::kStartUpCheck) == vk::Result::eSuccess) return;
  throw Error(ErrorKind::kBackend, device_->label() + " failed the start-up check: it computes other " +
                                       std::string(what) + " than the CPU");
}

const Pipeline& Context::pipeline(const Shader& shader, const std::vector<uint32_t>& constants) {
  auto key = std::pair(std::string(shader.name), constants);
  const std::lock_guard lock(made_mutex_);
  const auto found = pipelines_.find(key);
  if (found != pipelines_.end()) return found->second;
  return pipelines_.emplace(std::move(key), Pipeline(device_, shader, constants)).first->second;
}

const Buffer& Context::byte_table(std::span<const std::byte> content) {
  std::string key(reinterpret_cast<const char*>(content.data()), content.size());
  const std::lock_guard lock(made_mutex_);
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(std::move(key), make_table(device_, content)).first->second;
}

}  // namespace vq::vulkan
