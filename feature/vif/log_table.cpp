#include "feature/vif/log_table.h"

#include <cmath>

namespace vq::vif {
namespace {

// The product is exact, and so is the sum.
int32_t log2_of(int32_t i) {
  const float log = static_cast<float>(std::log2(static_cast<double>(i)));
  return static_cast<int32_t>(std::floor(2048.0 * log + 0.5));
}

}  // namespace

LogTable::LogTable() {
  for (int block = 0; block < kBlocks; ++block) {
    const int32_t first = kFirst + 8 * block, start = log2_of(first);
    int32_t same = 1;
    while (same < 8 && log2_of(first + same) == start) ++same;
    entries_[static_cast<size_t>(block)] = 8 * start + 8 - same;
  }
}

const LogTable& LogTable::get() {
  static const LogTable kTable;
  return kTable;
}

}  // namespace vq::vif
