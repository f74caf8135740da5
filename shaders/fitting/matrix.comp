// Y'CbCr in another matrix; see feature/fitting/fitting.h.
#include "shared.h"
#include "../common/wide.glsl"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 1) const bool kIsLuma = true;

layout(std430, binding = 0) readonly buffer Luma { uint luma_words[]; };
layout(std430, binding = 1) readonly buffer Cb { uint cb_words[]; };
layout(std430, binding = 2) readonly buffer Cr { uint cr_words[]; };
layout(std430, binding = 3) writeonly buffer To { uint to_words[]; };

layout(push_constant) uniform Push { MatrixPush p; };

const uint kSamples = 4 / kBytes;  // of a word
const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;
const uint kTapBits = 10;

// The four chroma samples around a place of luma, of which `first` is the number of the first: weights in
// 1024ths.
struct Taps {
  int first;
  ivec4 weights;
};

Taps taps_at(uint place, uint shift, int offset) {
  const int phase = int(place & ((1u << shift) - 1));
  const int eighths = (8 * phase - 4 * offset) >> shift, k = eighths & 7;
  const int k2 = k * k, k3 = k2 * k;
  return Taps(int(place >> shift) + (eighths >> 3) - 1,
              ivec4(-64 * k + 16 * k2 - k3, 1024 - 40 * k2 + 3 * k3, 64 * k + 32 * k2 - 3 * k3, k3 - 8 * k2));
}

// The place of a chroma sample; beyond an edge, of that at the edge.
uint place_of(int x, int y) {
  const uint column = uint(clamp(x, 0, int(p.chroma_width) - 1));
  const uint row = uint(clamp(y, 0, int(p.chroma_height) - 1));
  return row * p.chroma_stride + column * kBytes;
}
int cb_at(uint at) {
  return int(cb_words[at / 4] >> (8 * (at & 3)) & kMask) - int(p.middle);
}
int cr_at(uint at) {
  return int(cr_words[at / 4] >> (8 * (at & 3)) & kMask) - int(p.middle);
}

Wide share_of(int cb, int cr) {
  return wide_sum(wide_signed_product(p.of_cb, cb), wide_signed_product(p.of_cr, cr));
}

Wide times(Wide a, int weight) {
  Wide product = wide_product(a.low, uint(weight));
  product.high += a.high * uint(weight) - (weight < 0 ? a.low : 0);
  return product;
}

// What chroma adds to a sample of luma. Sums along rows are of 28 bits.
int added_at(uint x, uint y) {
  const Taps across = taps_at(x, p.shift_x, p.offset_x), down = taps_at(y, p.shift_y, p.offset_y);
  Wide sum = Wide(0, 1u << (kShareBits + 2 * kTapBits - 1 - 32));
  for (int j = 0; j < 4; ++j) {
    int cb = 0, cr = 0;
    [[unroll]] for (int i = 0; i < 4; ++i) {
      const uint at = place_of(across.first + i, down.first + j);
      cb += across.weights[i] * cb_at(at);
      cr += across.weights[i] * cr_at(at);
    }
    sum = wide_sum(sum, times(share_of(cb, cr), down.weights[j]));
  }
  return int(sum.high) >> (kShareBits + 2 * kTapBits - 32);
}

// A sample of luma above the largest of its depth stays, for scoring to report.
uint luma_at(uint x, uint y) {
  const uint at = y * p.luma_stride + x * kBytes;
  const int luma = int(luma_words[at / 4] >> (8 * (at & 3)) & kMask), most = int(2 * p.middle - 1);
  return uint(luma > most ? luma : clamp(luma + added_at(x, y), 0, most));
}

uint chroma_at(uint x, uint y) {
  const uint at = place_of(int(x), int(y));
  const Wide sum = wide_signed_rounded_shift(share_of(cb_at(at), cr_at(at)), kShareBits);
  return uint(clamp(int(p.middle) + int(sum.low), 0, int(2 * p.middle - 1)));
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kSamples, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  uint word = 0;
  for (uint i = 0; i < kSamples; ++i) {
    if (x + i >= p.width) continue;
    word |= (kIsLuma ? luma_at(x + i, y) : chroma_at(x + i, y)) << (8 * kBytes * i);
  }
  to_words[y * p.to_stride / 4 + gl_GlobalInvocationID.x] = word;
}
