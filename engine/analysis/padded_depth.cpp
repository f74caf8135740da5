#include "engine/analysis/padded_depth.h"

#include <bit>

#include "core/frame_memory.h"

namespace vq {

void PaddedDepth::look(const Frame& picture) {
  if (picture.bit_depth <= 8 || (state_.differing & 1) != 0) return;
  const Frame frame = on_host(picture);
  const PlaneView<const uint16_t> luma = frame.luma().u16;
  if (luma.empty()) return;
  if (state_.bit_depth == 0) state_.first = luma.row(0)[0];
  state_.bit_depth = frame.bit_depth;
  for (int y = 0; y < luma.height && (state_.differing & 1) == 0; ++y) {
    uint16_t bits = 0;
    for (int x = 0; x < luma.width; ++x) bits |= static_cast<uint16_t>(luma.row(y)[x] ^ state_.first);
    state_.differing |= bits;
  }
}

std::optional<int> PaddedDepth::depth() const {
  if (state_.differing == 0) return std::nullopt;
  const int depth = state_.bit_depth - std::countr_zero(state_.differing);
  if (depth >= state_.bit_depth) return std::nullopt;
  return depth;
}

// Where all samples that somebody saw agree in a bit, they differ from ours where one of them does.
void PaddedDepth::add(const State& other) {
  if (other.bit_depth == 0) return;
  if (state_.bit_depth == 0) {
    state_ = other;
    return;
  }
  state_.differing |= static_cast<uint16_t>(other.differing | (other.first ^ state_.first));
}

}  // namespace vq
