// Keeps threads out of the drivers while the process ends. exit() runs handlers that take drivers apart, and
// other threads go on meanwhile. From then on whatever in this folder needs a driver throws Error{kBackend},
// and destructors leave the driver's objects to the system.
#pragma once

namespace vq::vulkan {

// Calls of drivers by one thread, and use of memory that they have mapped. Uses may nest.
class DriverUse {
 public:
  // Once the process ends, it waits for that: no thread is held for ever, since the process may wait for it
  // in a destructor.
  DriverUse() noexcept;
  ~DriverUse();
  DriverUse(const DriverUse&) = delete;
  DriverUse& operator=(const DriverUse&) = delete;

  // False once the process ends: drivers must not be called any more.
  explicit operator bool() const { return may_call_; }

 private:
  const bool may_call_;
};

// Lets exit() wait for uses and for submitted work, at most some seconds, and allow no use any more, before
// it runs the handlers that drivers have registered so far.
void end_driver_use_at_exit() noexcept;

// Leaves an object as it is. Leak checkers find it.
void abandon(const void* object) noexcept;

// Deletes objects that drivers know; abandons them once the process ends.
struct DriverDelete {
  template <typename T>
  void operator()(T* object) const noexcept {
    const DriverUse use;
    if (use) {
      delete object;
    } else {
      abandon(object);
    }
  }
};

}  // namespace vq::vulkan
