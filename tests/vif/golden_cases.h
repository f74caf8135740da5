// The golden cases of VIF, through the program.
#pragma once

#include "tests/support/still_sequence.h"

namespace vq::vif::test {

using namespace cli::test;

inline const SequenceGolden& golden() {
  static const SequenceGolden kGolden("vif.json", "vif");
  return kGolden;
}

}  // namespace vq::vif::test
