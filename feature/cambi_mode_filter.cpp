#include <algorithm>

#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {
namespace {

uint16_t mode3(uint16_t a, uint16_t b, uint16_t c) {
  if (a == b || a == c) return a;
  if (b == c) return b;
  return std::min({a, b, c});
}

void filter_row(const uint16_t* in, int width, std::vector<uint16_t>& out) {
  std::copy(in, in + width, out.begin());
  for (int x = 1; x + 1 < width; ++x) out[static_cast<size_t>(x)] = mode3(in[x - 1], in[x], in[x + 1]);
}

}  // namespace

void mode_filter(Image image, Scratch& scratch) {
  if (image.height < 3) return;  // no row between the first and the last
  // Rows y-1, y and y+1 as the row pass leaves them: row y of the image is overwritten when nothing reads it
  // any more.
  std::vector<uint16_t>*above = &scratch.rows[0], *row = &scratch.rows[1], *below = &scratch.rows[2];
  filter_row(image.row(0), image.width, *above);
  filter_row(image.row(1), image.width, *row);
  for (int y = 1; y + 1 < image.height; ++y) {
    filter_row(image.row(y + 1), image.width, *below);
    uint16_t* out = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      const size_t i = static_cast<size_t>(x);
      out[x] = mode3((*above)[i], (*row)[i], (*below)[i]);
    }
    std::swap(above, row);
    std::swap(row, below);
  }
}

}  // namespace vq::cambi::scalar
