#include "tests/support/comma_locale.h"

#include <cstdlib>
#include <stdexcept>

namespace vq::cli::test {

CommaLocale::CommaLocale() {
  const std::string command = "localedef -i de_DE -f UTF-8 " + folder() + "/" + name();
  if (std::system(command.c_str()) != 0) throw std::runtime_error("no locale could be made: " + command);
}

}  // namespace vq::cli::test
