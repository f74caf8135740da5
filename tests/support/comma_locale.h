// A locale in which one and a half is written 1,5.
#pragma once

#include <string>

#include "tests/support/run_program.h"

namespace vq::cli::test {

class CommaLocale {
 public:
  CommaLocale();  // needs Debian's package locales; throws where the locale cannot be made
  // For LC_ALL and LOCPATH.
  std::string name() const { return "comma"; }
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace vq::cli::test
