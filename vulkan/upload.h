// The way of a frame's samples to a device, on a queue of its own where there is one: recorded anew for every
// frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vulkan/recorder.h"

namespace vq::vulkan {

// Where the device is at work on it when it goes, the same happens as with a CommandList.
class Upload {
 public:
  // Of so many dispatches at most. Throws Error{kBackend}.
  Upload(const std::shared_ptr<Device>& device, uint32_t most_dispatches);
  ~Upload();
  Upload(Upload&&) noexcept;
  Upload& operator=(Upload&&) noexcept;

  // Forgets what was recorded. Needs, here and in finish(): a list submitted behind it was waited for, or
  // nothing was submitted. Throws Error{kBackend}, as all below.
  void begin();
  // Copies and dispatches run in no particular order.
  void copy(const Copy& copy);
  // On the queue of the list behind it, before that; otherwise as Recorder::pass.
  void dispatch(const Pipeline& pipeline, const std::vector<const Buffer*>& buffers,
                std::span<const std::byte> push, Groups groups);
  // Until all that is done.
  void keep(const std::shared_ptr<const void>& what);
  // What the host wrote before is what is copied. What the list behind it does is ordered behind it. Nothing
  // happens where nothing was recorded. Afterwards a list is to be submitted behind it.
  void submit();
  // Lets go of what it kept.
  void finish();
  // Device time of the copies that were submitted last. None where there were none, or their queue has no
  // clock.
  std::optional<double> milliseconds() const { return milliseconds_; }
  int64_t copied_bytes() const { return copied_bytes_; }  // by those since begin()

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  void prepare_dispatches(uint32_t most);
  void read_time();
  std::unique_ptr<Impl> impl_;
  std::optional<double> milliseconds_;
  int64_t copied_bytes_ = 0;
};

}  // namespace vq::vulkan
