// The golden cases of VIF, through the program.
#pragma once

#include "tests/support/still_sequence.h"

namespace vq::vif::test {

using namespace cli::test;

inline const json& vif_cases() {
  static const json kCases = sequence_cases("vif.json", "vif");
  return kCases;
}

}  // namespace vq::vif::test
