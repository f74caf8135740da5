// The upload of a frame's samples to a device, on a queue of its own if there is one: recorded anew for every
// frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/frame.h"
#include "vulkan/device.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

// If the device is still working on it, the destructor behaves as that of a CommandList.
class Upload {
 public:
  // `most_dispatches`: limit between begin() and submit(). Throws Error{kBackend}.
  Upload(const std::shared_ptr<Device>& device, uint32_t most_dispatches);
  ~Upload();
  Upload(Upload&&) noexcept;
  Upload& operator=(Upload&&) noexcept;

  // Discards what was recorded. Needs, here and in finish(): a list submitted behind it was waited for, or
  // nothing was submitted. Throws Error{kBackend}, as all below.
  void begin();
  // Copies from now on see what copies of uploads wrote that were submitted earlier, and come behind what
  // these read.
  void follow_earlier_uploads();
  // So do dispatches.
  void let_dispatches_follow() { is_needed_ = true; }
  // Copies and dispatches are unordered.
  void copy(const Copy& copy);
  // Runs on the queue of the list behind it, before that list; otherwise as Recorder::pass.
  void dispatch(const Pipeline& pipeline, const std::vector<const Buffer*>& buffers,
                std::span<const std::byte> push, Groups groups);
  // Keeps the object alive until the upload has finished.
  void keep(const std::shared_ptr<const void>& what);
  // The copies see all earlier writes of the host, and the list behind it sees the copies. Does nothing if
  // nothing was recorded. Afterwards a list must be submitted behind it.
  void submit();
  // Releases the kept objects.
  void finish();
  // Device time of the copies that were submitted last. None if there were none, or their queue has no clock.
  std::optional<double> milliseconds() const { return milliseconds_; }
  int64_t copied_bytes() const { return copied_bytes_; }  // copied since begin()

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  void prepare_dispatches(uint32_t most);
  void read_time();
  std::unique_ptr<Impl> impl_;
  std::optional<double> milliseconds_;
  int64_t copied_bytes_ = 0;
  bool is_needed_ = false;  // even if it copies nothing: the list behind it waits for its queue
};

// Memory that decoders write pictures into and a device copies them from.

// A store with a limit in bytes that includes unused blocks. Its blocks are PictureSources. Such memory is
// slow to allocate, so returned blocks are kept for requests of the same size; if other sizes leave no room,
// those are freed. Blocks may outlive the store; each keeps the device open.
std::shared_ptr<FrameStore> make_frame_store(const std::shared_ptr<Device>& device, int64_t most_bytes);

}  // namespace vq::vulkan
