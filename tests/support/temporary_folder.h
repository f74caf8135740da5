// A folder that a test has for itself, whatever runs beside it.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace vq::test {

// Goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device number;
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
    do {
      folder_ = parent / ("cambi-test-" + std::to_string(number()));
    } while (!std::filesystem::create_directory(folder_));
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    path_ = folder_.string();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace vq::test
