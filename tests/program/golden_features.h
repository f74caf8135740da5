// Cases of any feature's golden file, on every backend: what they find in the clips' own pictures is the same
// to the last bit. What it is to be is the business of the tests of the program.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/gate_run.h"

namespace vq::test {

class GoldenFeatures {
 public:
  using Open = std::function<GateVideo(const std::string& clip)>;

  // `open` reads a clip by its name.
  GoldenFeatures(std::shared_ptr<vulkan::Device> device, std::vector<Backend> backends, Open open)
      : device_(std::move(device)), backends_(std::move(backends)), open_(std::move(open)) {}

  // Of a case that `feature` names where it does not say itself. Cases whose videos are no whole clips, or
  // that the feature refuses on every backend, are left out.
  void compare(const nlohmann::json& golden, const std::string& feature);
  // Prints the sum. False where anything differs, or nothing was compared.
  bool finish() const;

 private:
  std::string faults_of(const GateRun& run, const GateOutcome& expected) const;

  const std::shared_ptr<vulkan::Device> device_;
  const std::vector<Backend> backends_;
  const Open open_;
  size_t cases_ = 0, failed_ = 0, left_out_ = 0, frames_ = 0;
};

}  // namespace vq::test
