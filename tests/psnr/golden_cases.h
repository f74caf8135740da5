// The golden cases of PSNR through the command line: names, values, statistics and aggregates of the
// reference implementation, to the last digit.
#pragma once

#include "tests/support/golden_cases.h"

namespace vq::psnr::test {

using cli::test::run_program;
using cli::test::TemporaryFolder;
using nlohmann::json;

inline const json& psnr_cases() {
  static const json kCases = cli::test::golden_cases("fidelity.json", "psnr");
  return kCases;
}

}  // namespace vq::psnr::test
