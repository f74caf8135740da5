// A locale in which one and a half is written 1,5.
#pragma once

#include "tests/support/temporary_folder.h"

namespace vq::cli::test {

// On Linux it is made, and gone with the object.
class CommaLocale {
 public:
  CommaLocale();  // needs Debian's package locales; throws where the locale cannot be made

  // For LC_ALL and LOCPATH.
  const std::string& name() const { return name_; }
  const std::string& folder() const { return folder_.path(); }

 private:
  std::string name_;
  vq::test::TemporaryFolder folder_;
};

}  // namespace vq::cli::test
