// A variable of the environment, while an object lives. No other thread may ask for one meanwhile.
#pragma once

#include <cstdlib>
#include <string>

namespace vq::test {

#ifdef _WIN32
inline void set_variable(const char* name, const char* value) {
  _putenv_s(name, value);
}
inline void remove_variable(const char* name) {
  _putenv_s(name, "");
}
#else
inline void set_variable(const char* name, const char* value) {
  setenv(name, value, 1);
}
inline void remove_variable(const char* name) {
  unsetenv(name);
}
#endif

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { set_variable(name, value.c_str()); }
  ~Variable() { remove_variable(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

}  // namespace vq::test
