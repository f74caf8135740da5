// Finds the CUDA device with a UUID known from other interfaces.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vq::cli {

// Its number, or why there is none.
struct CudaDevice {
  int number = -1;
  std::string problem;
};

// Loads CUDA's driver, which stays loaded.
CudaDevice find_cuda_device(const std::array<uint8_t, 16>& uuid);

}  // namespace vq::cli
