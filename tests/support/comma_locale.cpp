#include "tests/support/comma_locale.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace vq::cli::test {

#ifdef _WIN32
CommaLocale::CommaLocale() : name_("German") {}
CommaLocale::~CommaLocale() = default;
#else
CommaLocale::CommaLocale() : name_("comma"), folder_("/tmp/comma_locale_XXXXXX") {
  if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder could be made: " + folder_);
  const std::string command = "localedef -i de_DE -f UTF-8 " + folder_ + "/" + name_;
  if (std::system(command.c_str()) != 0) throw std::runtime_error("no locale could be made: " + command);
}
CommaLocale::~CommaLocale() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}
#endif

}  // namespace vq::cli::test
