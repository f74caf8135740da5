#include "feature/kept_lumas.h"

#include <algorithm>

#include "core/frame.h"

namespace vq {

// Weak pointers of one owner, which may be gone, stand for that owner and for none that comes later.
bool KeptLumas::Identity::operator==(const Identity& other) const {
  return samples == other.samples && !owner.owner_before(other.owner) && !other.owner.owner_before(owner);
}

std::optional<KeptLumas::Identity> KeptLumas::identity_of(const Frame& frame) {
  const SampleView& luma = frame.luma();
  if (luma.empty()) return std::nullopt;
  Identity identity;
  identity.samples = luma.is_u8() ? static_cast<const void*>(luma.u8.data) : luma.u16.data;
  if (frame.owner != nullptr) {
    identity.owner = frame.owner;
  } else if (frame.place != nullptr) {
    identity.owner = frame.place;
  } else {
    return std::nullopt;
  }
  return identity;
}

int64_t KeptLumas::announce(const std::vector<const Frame*>& frames) {
  const std::lock_guard lock(mutex_);
  ++last_number_;
  for (const Frame* const frame : frames) {
    if (const std::optional<Identity> identity = identity_of(*frame))
      announced_.push_back({*identity, last_number_});
  }
  return last_number_;
}

void KeptLumas::settle(int64_t number) {
  const std::lock_guard lock(mutex_);
  std::erase_if(announced_, [&](const Announced& one) { return one.number == number; });
  settled_.notify_all();
}

bool KeptLumas::is_awaited(const Frame& frame, int64_t number) const {
  const std::optional<Identity> identity = identity_of(frame);
  return identity && std::any_of(announced_.begin(), announced_.end(), [&](const Announced& one) {
           return one.number < number && one.frame == *identity;
         });
}

KeptLumas::Turn::Turn(KeptLumas& kept, const std::vector<const Frame*>& wanted, int64_t number)
    : kept_(kept), lock_([&] {
        std::unique_lock lock(kept.mutex_);
        kept.settled_.wait(lock, [&] {
          return std::none_of(wanted.begin(), wanted.end(), [&](const Frame* frame) {
            return frame != nullptr && kept.is_awaited(*frame, number);
          });
        });
        return lock;
      }()) {}

const vulkan::Buffer* KeptLumas::Turn::find(const Frame& frame) const {
  const std::optional<Identity> identity = identity_of(frame);
  if (!identity) return nullptr;
  const auto found = std::find_if(kept_.entries_.begin(), kept_.entries_.end(),
                                  [&](const Entry& entry) { return entry.frame == *identity; });
  return found == kept_.entries_.end() ? nullptr : &found->luma;
}

bool KeptLumas::Turn::forget(const vulkan::DevicePlane& plane) {
  return std::erase_if(kept_.entries_, [&](const Entry& entry) { return entry.plane == &plane; }) > 0;
}

void KeptLumas::Turn::put(const Frame& frame, const vulkan::DevicePlane& plane) {
  forget(plane);
  const std::optional<Identity> identity = identity_of(frame);
  if (identity) kept_.entries_.push_back({*identity, &plane, plane.buffer.part(0, plane.buffer.bytes())});
}

}  // namespace vq
