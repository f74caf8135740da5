// A locale in which one and a half is written 1,5.
#pragma once

#include "tests/support/temporary_folder.h"

namespace vq::cli::test {

// On Linux it is made, and gone with the object.
class CommaLocale {
 public:
  // Needs Debian's package locales. Throws if the locale cannot be made.
  CommaLocale() {
#ifndef _WIN32
    const std::string command = "localedef -i de_DE -f UTF-8 " + folder() + "/" + name_;
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no locale could be made: " + command);
#endif
  }

  // For LC_ALL and LOCPATH.
  const std::string& name() const { return name_; }
  const std::string& folder() const { return folder_.path(); }

 private:
  vq::test::TemporaryFolder folder_;
#ifdef _WIN32
  const std::string name_ = "German";
#else
  const std::string name_ = "comma";
#endif
};

}  // namespace vq::cli::test
