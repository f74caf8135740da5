// Measured speeds of this machine's devices and CPU, kept from run to run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/faster_backend.h"

namespace vq {

// One file in a folder for each CPU, version of this program and key. One that is missing, damaged or of
// another key counts as absent, and one that cannot be written is lost.
class SpeedFiles final : public SpeedMemory {
 public:
  explicit SpeedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::optional<Speeds> recall(const std::string& key) const override;
  void keep(const std::string& key, const Speeds& speeds) override;

 private:
  std::filesystem::path file_of(const std::string& whole_key) const;

  std::filesystem::path folder_;
};

}  // namespace vq
