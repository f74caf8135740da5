// R, G, B and luminance of Y, Cb and Cr, each work group those of a tile; see feature/histogram/histogram.h.
// Needs: shared.h, kRowsEach, count(), count_vector(), and the push constants as p.

layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 6) const uint kShiftX = 0;
layout(constant_id = 7) const uint kShiftY = 0;

// A vector is a pair of words or a quad; chroma for a vector of luma is one as well, or all or half of a
// word.
layout(std430, binding = 0) readonly buffer LumaPairs { uvec2 luma_pairs[]; };
layout(std430, binding = 0) readonly buffer LumaQuads { uvec4 luma_quads[]; };
layout(std430, binding = 1) readonly buffer CbWords { uint cb_words[]; };
layout(std430, binding = 1) readonly buffer CbPairs { uvec2 cb_pairs[]; };
layout(std430, binding = 1) readonly buffer CbQuads { uvec4 cb_quads[]; };
layout(std430, binding = 2) readonly buffer CrWords { uint cr_words[]; };
layout(std430, binding = 2) readonly buffer CrPairs { uvec2 cr_pairs[]; };
layout(std430, binding = 2) readonly buffer CrQuads { uvec4 cr_quads[]; };

const uint kLumaBytes = kVector * kBytes;
const uint kChromaBytes = kLumaBytes >> kShiftX;

struct Vectors {
  uvec4 luma, cb, cr;
  uint chroma_byte;  // in their words, where those of this vector begin
};

Vectors load(uint x, uint y) {
  Vectors v;
  const uint luma = (y * p.luma_stride + x * kBytes) / kLumaBytes;
  v.luma = kLumaBytes == 8 ? uvec4(luma_pairs[luma], 0, 0) : luma_quads[luma];
  const uint at = (y >> kShiftY) * p.chroma_stride + (x >> kShiftX) * kBytes;
  if (kChromaBytes == 16) {
    v.cb = cb_quads[at / 16];
    v.cr = cr_quads[at / 16];
  } else if (kChromaBytes == 8) {
    v.cb = uvec4(cb_pairs[at / 8], 0, 0);
    v.cr = uvec4(cr_pairs[at / 8], 0, 0);
  } else {
    v.cb = uvec4(cb_words[at / 4]);
    v.cr = uvec4(cr_words[at / 4]);
  }
  v.chroma_byte = kChromaBytes < 4 ? at % 4 : 0;
  return v;
}

int sample_at(uvec4 words, uint byte) {
  return int(words[byte / 4] >> 8 * (byte % 4) & (1 << 8 * kBytes) - 1);
}

void count_colour(uint place, int y, int cb, int cr) {
  const int luma = p.luma_scale * y + (1 << kFractionBits - 1);
  const ivec3 colour =
      ivec3(luma + p.cr_to_r * cr, luma + p.cb_to_g * cb + p.cr_to_g * cr, luma + p.cb_to_b * cb);
  const uvec3 rgb = uvec3(clamp(colour >> kFractionBits, 0, p.peak));
  count(place, 0, rgb.r);
  count(place, 1, rgb.g);
  count(place, 2, rgb.b);
  count(place, 3, (2126 * rgb.r + 7152 * rgb.g + 722 * rgb.b) / 10000);
}

void count_samples() {
  const uint x = gl_GlobalInvocationID.x * kVector;
  const uint first_row = gl_WorkGroupID.y * kGroupY * kRowsEach + gl_LocalInvocationID.y;
  if (x >= p.width || first_row >= p.height) return;
  const uint end_row = min(first_row + kGroupY * kRowsEach, p.height);
  Vectors next = load(x, first_row);
  for (uint y = first_row; y < end_row; y += kGroupY) {
    // The next row is on its way while this one is counted.
    const Vectors now = next;
    next = load(x, min(y + kGroupY, p.height - 1));
    [[unroll]] for (uint k = 0; k < kVector; ++k) {
      const uint chroma_byte = (k >> kShiftX) * kBytes + now.chroma_byte;
      if (x + k < p.width) {
        count_colour(k, sample_at(now.luma, k * kBytes) - p.luma_offset,
                     sample_at(now.cb, chroma_byte) - p.chroma_offset,
                     sample_at(now.cr, chroma_byte) - p.chroma_offset);
      }
    }
    count_vector(min(p.width - x, kVector));
  }
}
