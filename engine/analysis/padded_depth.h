// Notices video of few bits that is stored in more, such as 8-bit material in a 10-bit container.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"

namespace vq {

class PaddedDepth {
 public:
  // Looks at a picture; cheap once the low bits were seen to vary.
  void look(const Frame& frame);

  // The depth of the material where the low bits of no sample ever differed from those of the others, though
  // higher ones did.
  std::optional<int> depth() const;

  struct State {
    uint16_t first = 0;      // sample
    uint16_t differing = 0;  // bits in which some sample differs from the first
    int bit_depth = 0;       // 0: nothing seen yet
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  // As if this had looked at what somebody else did.
  void add(const State& other);

 private:
  State state_;
};

}  // namespace vq
