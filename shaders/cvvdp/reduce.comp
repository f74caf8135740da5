// reduce_row of feature/cvvdp/cvvdp.h, of all channels: a level to the next. All floats are `precise`:
// nothing is contracted, and sums and products are rounded to nearest (ADR 0068).
#include "shared.h"

layout(local_size_x = kSamplesX, local_size_y = kSamplesY) in;

layout(std430, binding = 0) readonly buffer Fine { vec4 fine[]; };
layout(std430, binding = 1) writeonly buffer Coarse { vec4 coarse[]; };

layout(push_constant) uniform Push { ReducePush p; };

const vec4 kOuter = vec4(0.05), kInner = vec4(0.25), kCentre = vec4(0.4);

int mirrored(int at, int size) {
  return at < 0 ? -1 - at : at < size ? at : 2 * size - 1 - at;
}

vec4 reduced(vec4 a, vec4 b, vec4 c, vec4 d, vec4 e) {
  precise const vec4 sum = (kOuter * (a + e) + kInner * (b + d)) + kCentre * c;
  return sum;
}

// Across rows, around row y.
vec4 column(int x, int y) {
  const int height = int(p.height), width = int(p.width);
  vec4 rows[5];
  [[unroll]] for (int i = 0; i < 5; ++i) rows[i] = fine[mirrored(y + i - 2, height) * width + x];
  return reduced(rows[0], rows[1], rows[2], rows[3], rows[4]);
}

void main() {
  const int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  const int width = int(p.width), narrow = (width + 1) / 2;
  if (x >= narrow || y >= (int(p.height) + 1) / 2) return;
  precise vec4 value;
  if (x + 1 < narrow || (p.width & 1) == (p.height & 1)) {
    vec4 columns[5];
    [[unroll]] for (int i = 0; i < 5; ++i) columns[i] = column(mirrored(2 * x + i - 2, width), 2 * y);
    value = reduced(columns[0], columns[1], columns[2], columns[3], columns[4]);
  } else {
    const vec4 a = column(width - 3, 2 * y), b = column(width - 2, 2 * y), c = column(width - 1, 2 * y);
    if ((p.width & 1) == 0) {
      const vec4 before = column(width - 4, 2 * y);
      value = (kOuter * (before + b) + kInner * (a + c)) + (kCentre * b + kInner * c);
    } else {
      value = (kOuter * (a + c) + kInner * b) + kCentre * c;
    }
  }
  coarse[y * narrow + x] = value;
}
