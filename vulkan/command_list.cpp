#include <algorithm>

#include "vulkan/recorder_impl.h"

namespace vq::vulkan {
namespace {

// How long the end of a list waits for work that was submitted and that nobody waited for.
constexpr auto kLastWait = std::chrono::seconds(10);

uint64_t nanoseconds(std::chrono::milliseconds time) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(time).count());
}

}  // namespace

CommandList::CommandList() = default;
CommandList::CommandList(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CommandList::CommandList(CommandList&&) noexcept = default;
CommandList& CommandList::operator=(CommandList&&) noexcept = default;

CommandList::~CommandList() {
  if (!impl_ || !impl_->submitted) return;
  Device::Impl& on = impl_->device->impl();
  try {
    const uint64_t timeout = on.hangs ? 0 : nanoseconds(kLastWait);
    if (on.device.waitForFences(*impl_->fence, VK_TRUE, timeout) == vk::Result::eSuccess) return;
    // Nothing a hanging device still works on may be taken from it, so it is left where it is.
    on.hangs = true;
    (void)impl_.release();
  } catch (const vk::SystemError&) {
    return;  // a lost device has stopped
  }
}

int CommandList::barriers() const {
  return impl_->barriers;
}

void CommandList::submit() {
  Device::Impl& on = impl_->device->impl();
  on.attempt(Call::kSubmit, "submitting work", [&] {
    on.device.resetFences(*impl_->fence);
    const std::lock_guard lock(on.queue_mutex);
    on.queue.submit(vk::SubmitInfo{.commandBufferCount = 1, .pCommandBuffers = &*impl_->commands},
                    *impl_->fence);
  });
  impl_->submitted = true;
}

void CommandList::wait(std::chrono::milliseconds timeout) {
  Device::Impl& on = impl_->device->impl();
  const std::string what = "waiting " + std::to_string(timeout.count() / 1000) + " s for the device";
  on.attempt(Call::kWait, what, [&] {
    const vk::Result result = on.device.waitForFences(*impl_->fence, VK_TRUE, nanoseconds(timeout));
    if (result != vk::Result::eSuccess) throw on.failure(what, result);
  });
  impl_->submitted = false;
  if (!*impl_->queries || impl_->stages.empty()) return;

  read_times();
}

void CommandList::read_times() {
  const Device::Impl& on = impl_->device->impl();
  const size_t count = impl_->stages.size() + 1;
  std::vector<uint64_t> ticks;
  try {
    ticks = impl_->queries
                .getResults<uint64_t>(0, static_cast<uint32_t>(count), count * 8, 8,
                                      vk::QueryResultFlagBits::e64 | vk::QueryResultFlagBits::eWait)
                .second;
  } catch (const vk::SystemError& error) {
    throw on.failure("reading its clock", static_cast<vk::Result>(error.code().value()));
  }
  times_.clear();
  for (size_t i = 0; i + 1 < count; ++i) {
    const double ms =
        static_cast<double>((ticks[i + 1] - ticks[i]) & on.timestamp_mask) * on.timestamp_period_ns * 1e-6;
    const auto same = std::find_if(times_.begin(), times_.end(),
                                   [&](const StageTime& time) { return time.stage == impl_->stages[i]; });
    if (same == times_.end()) {
      times_.push_back({impl_->stages[i], ms});
    } else {
      same->milliseconds += ms;
    }
  }
}

}  // namespace vq::vulkan
