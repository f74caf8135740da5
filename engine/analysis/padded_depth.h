// Detection of video of few bits that is stored in more, such as 8-bit material in a 10-bit container.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"

namespace vq {

class PaddedDepth {
 public:
  // Examines a picture; cheap once the low bits were seen to vary.
  void look(const Frame& frame);

  // The depth of the material, if the low bits were the same in all samples while higher bits varied.
  std::optional<int> depth() const;

  struct State {
    uint16_t first = 0;      // the first sample
    uint16_t differing = 0;  // bits in which some sample differs from the first
    int bit_depth = 0;       // 0: nothing seen yet
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  // Adds what another detector has seen.
  void add(const State& other);

 private:
  State state_;
};

}  // namespace vq
