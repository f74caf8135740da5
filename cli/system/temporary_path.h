// Names of files that are not to outlive the process.
#pragma once

#include <string>

namespace vq::cli {

// The path of such a file, or empty. remove_temporary_files() knows all of them. One object is used by one
// thread at a time.
class TemporaryPath {
 public:
  TemporaryPath() = default;
  TemporaryPath(TemporaryPath&& other) noexcept;
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  TemporaryPath& operator=(TemporaryPath&&) = delete;

  // Known before there is a file.
  void set(std::string path);
  void clear() noexcept;
  bool empty() const { return path_.empty(); }
  const char* c_str() const { return path_.c_str(); }

 private:
  friend void remove_temporary_files() noexcept;

  void swap(std::string& path) noexcept;

  std::string path_;
  // Of all that are not empty.
  TemporaryPath* next_ = nullptr;
  TemporaryPath** to_this_ = nullptr;
};

// For a process that ends at once, without destructors: removes the files of all threads and takes no memory.
// Threads that set or clear a path wait from then on.
void remove_temporary_files() noexcept;

}  // namespace vq::cli
