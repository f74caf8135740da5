// Runs of the program in which one call fails: see failing_calls.cpp.
#pragma once

#include <string>
#include <vector>

#include "tests/support/bad_input.h"

namespace vq::cli::test {

struct Failure {
  std::string call;
  int error = 0;
  bool from_then_on = false;
};

class InjectedFailure : public BadInputTest {
 protected:
  struct Outcome {
    ProgramResult result;
    bool happened = false;
    nlohmann::json report;  // of out(), without fps; null where that is as it was
    size_t kept = 0;        // frames in FILE.partial
  };

  Outcome run_with(const Failure& failure, int at, const Words& words) const;
  // Fails call 0, `step`, 2 * `step`, ... until there are no more. After each the code is one of those, or 0
  // with the report of a run without a failure. Returns how many failed.
  int fail_each(const Failure& failure, const Words& words, const std::vector<int>& codes,
                int step = 1) const;

  Words scoring(const std::string& video, int threads) const;
  const std::string y4m_ = made("a.y4m", y4m_video({}));

 private:
  Words names() const;

  TemporaryFolder marks_;
};

}  // namespace vq::cli::test
