// Notices video of few bits that is stored in more, such as 8-bit material in a 10-bit container.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"

namespace vq::cli {

class PaddedDepth {
 public:
  // Looks at a picture; cheap once the low bits were seen to vary.
  void look(const Frame& frame);

  // The depth of the material where the low bits of no sample ever differed from those of the others, though
  // higher ones did.
  std::optional<int> depth() const;

 private:
  uint16_t first_ = 0;
  uint16_t differing_ = 0;  // bits in which some sample differs from the first
  int bit_depth_ = 0;       // 0: nothing seen yet
};

}  // namespace vq::cli
