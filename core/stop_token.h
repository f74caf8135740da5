// Whether work that takes long is to end early.
#pragma once

#include <functional>
#include <utility>

namespace vq {

// Handed down to whoever waits or loops. Copies ask the same; the default never stops. Any thread may ask, if
// what it asks allows that.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(std::function<bool()> asks) : asks_(std::move(asks)) {}

  // Whether work is to end now; once true, it stays true.
  bool is_requested() const { return asks_ && asks_(); }
  // Whether it ever may be: who cannot be stopped need not wake up to ask.
  bool is_possible() const { return asks_ != nullptr; }

 private:
  std::function<bool()> asks_;
};

}  // namespace vq
