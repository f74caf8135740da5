// Logarithms to base 2 in units of 1/2048, by table.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace vq::vif {

// In a block of eight neighbours the table below rises by at most one. entries[i / 8 - kFirstBlock] holds
// eight times the value at the start of the block, plus an offset with which adding i % 8 reaches the next
// multiple of eight where the value rises.
class LogTable {
 public:
  static constexpr int32_t kFirst = 32768, kEnd = 65536;
  static constexpr int kBlocks = (kEnd - kFirst) / 8;

  // Made once.
  static const LogTable& get();

  // floor(2048 log2(i) + 0.5), log2 rounded to single precision first. Needs: kFirst <= i < kEnd.
  int32_t at(int32_t i) const { return (entries_[static_cast<size_t>((i - kFirst) / 8)] + i % 8) / 8; }
  // The same of any number from 2^15 on, by its upper 16 bits: what comes below them is dropped.
  int32_t log2(uint64_t v) const {
    const int dropped = static_cast<int>(std::bit_width(v)) - 16;
    return at(static_cast<int32_t>(v >> dropped)) + 2048 * dropped;
  }
  const int32_t* entries() const { return entries_.data(); }

 private:
  LogTable();
  std::array<int32_t, kBlocks> entries_ = {};
};

}  // namespace vq::vif
