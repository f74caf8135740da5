#include "tests/support/comma_locale.h"

namespace vq::cli::test {

#ifdef _WIN32
CommaLocale::CommaLocale() : name_("German") {}
#else
CommaLocale::CommaLocale() : name_("comma") {
  const std::string command = "localedef -i de_DE -f UTF-8 " + folder() + "/" + name_;
  if (std::system(command.c_str()) != 0) throw std::runtime_error("no locale could be made: " + command);
}
#endif

}  // namespace vq::cli::test
