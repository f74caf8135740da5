#include "vulkan/recorder_impl.h"

namespace vq::vulkan {
namespace {

// How long the end of a list waits for work that was submitted and that nobody waited for.
constexpr std::chrono::milliseconds kLastWait{10'000};
// How soon those who wait hear that somebody else has given the device up.
constexpr std::chrono::milliseconds kStep{250};
constexpr int kValidationPatience = 20;

// Process-wide, for the end of the process.
struct SubmittedLists {
  std::mutex mutex;
  std::list<const CommandList::Impl*> all;
};

SubmittedLists& submitted_lists() {
  static SubmittedLists* const lists = new SubmittedLists;
  return *lists;
}

}  // namespace

void CommandList::Impl::set_submitted(bool is) noexcept {
  if (is == submitted) return;
  submitted = is;
  SubmittedLists& lists = submitted_lists();
  const std::lock_guard lock(lists.mutex);
  if (is) {
    lists.all.splice(lists.all.end(), place);
  } else {
    place.splice(place.end(), lists.all, std::ranges::find(lists.all, this));
  }
}

void wait_for_submitted(std::chrono::steady_clock::time_point end) noexcept {
  SubmittedLists& lists = submitted_lists();
  const std::lock_guard lock(lists.mutex);
  for (const CommandList::Impl* const list : lists.all) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return;
    wait_for(*list, std::chrono::ceil<std::chrono::milliseconds>(left));
  }
}

bool has_finished(const CommandList::Impl& list) {
  try {
    return list.fence.getStatus() == vk::Result::eSuccess;
  } catch (const vk::SystemError&) {
    return true;  // a lost device has stopped
  }
}

vk::Result wait_for(const CommandList::Impl& list, std::chrono::milliseconds timeout) noexcept {
  Device::Impl& on = list.device->impl();
  try {
    for (std::chrono::milliseconds left = timeout;;) {
      const bool last = on.hangs || left <= kStep;
      const DriverUse use;  // a step at a time, as exit() waits for its end
      if (!use) return kProcessEnds;
      const std::chrono::nanoseconds step = on.hangs ? std::chrono::milliseconds(0) : std::min(left, kStep);
      const vk::Result result =
          on.device.waitForFences(*list.fence, VK_TRUE, static_cast<uint64_t>(step.count()));
      if (result == vk::Result::eSuccess) return result;
      if (last) break;
      left -= kStep;
    }
  } catch (const vk::SystemError& error) {
    return static_cast<vk::Result>(error.code().value());
  }
  on.give_up();
  return vk::Result::eTimeout;
}

void let_validation_finish(const CommandList::Impl& list) {
  if (!*list.device->impl().messenger) return;
  const std::lock_guard lock(list.queue->mutex);
  list.queue->queue.waitIdle();
}

double milliseconds_between(const Device::Impl& on, uint32_t family, uint64_t from, uint64_t to) {
  const uint32_t bits = on.families[family].clock_bits;
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return static_cast<double>((to - from) & mask) * on.timestamp_period_ns * 1e-6;
}

void CommandList::Retire::operator()(Impl* impl) const noexcept {
  if (!impl->submitted || wait_for(*impl, kLastWait) != vk::Result::eTimeout) return DriverDelete()(impl);
  // The device may be at work on it for ever, so it is never freed, nor is what it names: the device, its
  // memory, and the library of the driver.
  abandon(impl);
}

int CommandList::barriers() const { return impl_->barriers; }

int CommandList::submissions() const { return static_cast<int>(impl_->earlier.size()) + 1; }

int64_t CommandList::bytes_read() const { return impl_->bytes_read; }

int64_t CommandList::largest_binding() const { return impl_->largest_binding; }

void CommandList::submit(const Order& order) {
  Device::Impl& on = impl_->device->impl();
  if (on.hangs) throw on.failure("submitting work", vk::Result::eTimeout);
  on.attempt(Call::kSubmit, "submitting work", [&] {
    if (!impl_->uploads.empty()) on.device.flushMappedMemoryRanges(impl_->uploads);
    on.device.resetFences(*impl_->fence);
    vk::SubmitInfo work;
    std::vector<vk::Semaphore> waits;
    std::vector<vk::CommandBuffer> commands;
    const auto wait_for_signal = [&](const std::shared_ptr<const vk::raii::Semaphore>& semaphore) {
      impl_->named.insert(semaphore);
      waits.push_back(**semaphore);
    };
    if (order.after != nullptr) wait_for_signal(order.after->impl().brought);
    if (order.behind != nullptr) {
      const Upload::Impl& upload = order.behind->impl();
      if (upload.list->submitted) wait_for_signal(upload.semaphore);
      if (upload.dispatches->count > 0) {
        impl_->named.insert(upload.dispatches);
        if (!upload.dispatches->uploads.empty())
          on.device.flushMappedMemoryRanges(upload.dispatches->uploads);
        commands.push_back(*upload.dispatches->commands);
      }
    }
    const std::vector<vk::PipelineStageFlags> stages(
        waits.size(), vk::PipelineStageFlagBits::eComputeShader | vk::PipelineStageFlagBits::eTransfer);
    work.setWaitSemaphores(waits).setWaitDstStageMask(stages);
    impl_->queue = &on.queues[order.queue % on.choice.compute_queues];
    impl_->first = order.first;
    // Later parts on a queue also wait for what a part before them waits for.
    const auto submit_part = [&] {
      on.submit(*impl_->queue, work.setCommandBuffers(commands), {});
      work = vk::SubmitInfo();
      commands.clear();
    };
    try {
      for (const std::shared_ptr<CommandList>& list : order.first) {
        for (const vk::raii::CommandBuffer& part : list->impl_->earlier) {
          commands.push_back(*part);
          submit_part();
        }
        commands.push_back(*list->impl_->commands);
      }
      if (order.shares) {
        const std::shared_ptr<const vk::raii::Semaphore>& brought = order.behind->impl().brought;
        impl_->named.insert(brought);
        work.setSignalSemaphores(**brought);
        submit_part();
      }
      for (const vk::raii::CommandBuffer& part : impl_->earlier) {
        commands.push_back(*part);
        submit_part();
      }
      commands.push_back(*impl_->commands);
      on.submit(*impl_->queue, work.setCommandBuffers(commands), *impl_->fence);
    } catch (const vk::SystemError&) {
      // Parts that were submitted have no fence.
      const std::lock_guard lock(impl_->queue->mutex);
      if (order.shares || !order.first.empty() || !impl_->earlier.empty()) impl_->queue->queue.waitIdle();
      throw;
    }
    impl_->set_submitted(true);
  });
}

void CommandList::wait(std::chrono::milliseconds timeout) {
  Device::Impl& on = impl_->device->impl();
  // Shaders that the validation layer has instrumented take many times as long.
  if (*on.messenger) timeout *= kValidationPatience;
  vk::Result result = on.asked(Call::kWait);
  if (result == vk::Result::eTimeout) on.give_up();
  if (result == vk::Result::eSuccess) result = wait_for(*impl_, timeout);
  if (result != vk::Result::eSuccess) {
    throw on.failure("waiting " + std::to_string(timeout.count() / 1000) + " s for the device", result);
  }
  const Device::Impl::NeededDriverUse use(on, "reading results");
  let_validation_finish(*impl_);
  impl_->set_submitted(false);
  if (on.exit_handlers_may_be_new.exchange(false)) end_driver_use_at_exit();
  see_what_was_written();
  read_times();
}

void CommandList::see_what_was_written() const {
  if (impl_->readbacks.empty()) return;
  const Device::Impl& on = impl_->device->impl();
  try {
    on.device.invalidateMappedMemoryRanges(impl_->readbacks);
  } catch (const vk::SystemError& error) {
    throw on.failure("reading its memory", static_cast<vk::Result>(error.code().value()));
  }
}

void CommandList::read_times() {
  times_.clear();
  const auto add = [&](const std::string& stage, double ms) {
    const auto same = std::ranges::find(times_, stage, &StageTime::stage);
    if (same == times_.end()) {
      times_.push_back({stage, ms});
    } else {
      same->milliseconds += ms;
    }
  };
  for (const std::shared_ptr<CommandList>& list : impl_->first) {
    list->read_times();
    for (const StageTime& time : list->times_) add(time.stage, time.milliseconds);
  }
  if (!*impl_->queries || impl_->stages.empty()) return;
  const Device::Impl& on = impl_->device->impl();
  const size_t count = impl_->stages.size() + 1;
  std::vector<uint64_t> ticks;
  try {
    const auto [result, read] = impl_->queries.getResults<uint64_t>(
        0, static_cast<uint32_t>(count), count * 8, 8, vk::QueryResultFlagBits::e64);
    if (result != vk::Result::eSuccess) return;  // the work is done, so this would be the driver's mistake
    ticks = read;
  } catch (const vk::SystemError& error) {
    throw on.failure("reading its clock", static_cast<vk::Result>(error.code().value()));
  }
  for (size_t i = 0; i + 1 < count; ++i)
    add(impl_->stages[i], milliseconds_between(on, on.choice.compute_family, ticks[i], ticks[i + 1]));
}

}  // namespace vq::vulkan
