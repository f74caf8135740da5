// The cases of a golden file whose videos are clips or sequences of stills, as the golden tests of several
// features go through them.
#pragma once

#include <string>
#include <vector>

#include "tests/support/still_sequence.h"

namespace vq::cli::test {

class SequenceGolden {
 public:
  // `file` is below testdata/golden.
  SequenceGolden(const std::string& file, const std::string& feature)
      : cases_(sequence_cases(file, feature)) {}

  size_t size() const { return cases_.size(); }

  // That the program scores these as the reference does, in each of these ways.
  void expect(const std::vector<size_t>& cases, const std::vector<GoldenWay>& ways) const {
    for (const size_t i : cases) {
      SCOPED_TRACE("case " + std::to_string(i));
      for (const GoldenWay& way : ways) expect_sequence(cases_.at(i), way);
    }
  }
  void expect_all(const std::vector<GoldenWay>& ways) const { expect(up_to(int64_t{1} << 62), ways); }

  // Those whose frames have no more samples.
  std::vector<size_t> up_to(int64_t samples) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < size(); ++i) {
      if (frame_samples(cases_[i]) <= samples) found.push_back(i);
    }
    return found;
  }

 private:
  const json cases_;
};

// Both backends that use a device.
inline std::vector<GoldenWay> device_ways() {
  return {{"hybrid"}, {"vulkan"}};
}

}  // namespace vq::cli::test
