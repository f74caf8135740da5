// Which of the devices that CUDA counts is the GPU that other interfaces know by its UUID.
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

// Loads CUDA's driver, which then stays.
CudaDevice find_cuda_device(const std::array<uint8_t, 16>& uuid);

}  // namespace vq::cli
