#include "cli/decoding/padded_depth.h"

#include <bit>

#include "core/frame_place.h"

namespace vq::cli {

void PaddedDepth::look(const Frame& picture) {
  if (picture.bit_depth <= 8 || (differing_ & 1) != 0) return;
  const Frame frame = on_host(picture);
  const PlaneView<const uint16_t> luma = frame.luma().u16;
  if (luma.empty()) return;
  if (bit_depth_ == 0) first_ = luma.row(0)[0];
  bit_depth_ = frame.bit_depth;
  for (int y = 0; y < luma.height && (differing_ & 1) == 0; ++y) {
    uint16_t bits = 0;
    for (int x = 0; x < luma.width; ++x) bits |= static_cast<uint16_t>(luma.row(y)[x] ^ first_);
    differing_ |= bits;
  }
}

std::optional<int> PaddedDepth::depth() const {
  if (differing_ == 0) return std::nullopt;
  const int depth = bit_depth_ - std::countr_zero(differing_);
  if (depth >= bit_depth_) return std::nullopt;
  return depth;
}

}  // namespace vq::cli
