// The table of `cambi devices`.
#pragma once

#include <cstddef>
#include <string>

namespace vq::cli {

// Fits `width` columns if it can; 0: any width.
std::string device_table(size_t width = 0);

}  // namespace vq::cli
