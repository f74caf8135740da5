// Everything that follows from a scale's detail: decouple, fine_weigh or coarse_weigh, reference_cubes and
// masked_cubes of feature/adm/adm.h in one.
//
// A work group goes along rows, one for each invocation, over a strip of columns. So a row's sums stay with
// their invocation, and neighbours in a row are what came before; those above and below are exchanged.
//
// Needs: shared.h, area.glsl, wide.glsl, alignment.glsl, kThresholdShifts, and of each scale's kind the
// functions declared below.

layout(local_size_x = kStripInvocations) in;
layout(constant_id = 0) const bool kHasWholeGain = true;
layout(constant_id = 1) const bool kHasAdded = true;

layout(std430, binding = 1) writeonly buffer Sums { uvec2 sums[]; };
layout(push_constant) uniform Push { CubesPush p; };

// Coefficients in bands h, v and d.
struct Position {
  ivec3 reference, distorted;
};
// Restored or added detail: the sizes of its weighted coefficients, and what it masks beside itself and
// itself.
struct Part {
  uvec3 size;
  uint side, centre;
};

Position load(uint row, uint column);
// Quotients of coefficients, limited to 1, of 15 bits after the point. `distorted` is 0 if signs differ.
uvec3 ratios(uvec3 size, uvec3 distorted);
Part weighed(ivec3 coefficients);
Wide3 reference_cubes(uvec3 size);

const uint kOne = 1 << 15;

// The sums of `side` over three columns, of what is restored and of what is added; two columns take turns.
shared uvec2 exchanged[2][kStripInvocations];

uvec3 factors() {
  return uvec3(p.straight_factor, p.straight_factor, p.diagonal_factor);
}

// min(part * gain limit, distorted), with the product rounded to double and then truncated.
uint limited(uint part, uint distorted) {
  const Wide low = wide_product(part, p.gain);
  if (kHasWholeGain) return low.high != 0 ? distorted : min(low.low, distorted);
  // Three words, of up to 84 bits. Rounding to 53 bits changes integers only if it carries into one: half of
  // the last of these bits is added, and lower bits are dropped with the fraction.
  Wide high = wide_sum(wide_product(part, p.gain_high), low.high);
  const uint bits = wide_bits(high) + 32;
  if (bits > 53) {
    const Wide half_step = wide_left_shift(Wide(1, 0), bits - 54);
    const Wide lower = wide_sum(Wide(low.low, high.low), half_step);
    high = Wide(lower.high, high.high + uint(lower.high < high.low ? 1 : 0));
  }
  const Wide product = wide_shift(high, p.gain_shift - 32);
  return product.high != 0 ? distorted : min(product.low, distorted);
}

ivec3 restored_part(ivec3 reference, ivec3 distorted) {
  const uvec3 size = uvec3(abs(reference)), negative = uvec3(lessThan(reference, ivec3(0)));
  const ivec3 along = distorted * sign(reference);
  const Wide3 product = wide_product(ratios(size, uvec3(max(along, ivec3(0)))), size);
  // Rounded as a number with its sign.
  uvec3 part = wide_shift(wide_sum(product, kOne / 2 - negative), uvec3(15)).low;
  if (is_aligned(reference.xy, distorted.xy)) {
    const uvec3 most = uvec3(abs(distorted));
    part = uvec3(limited(part.x, most.x), limited(part.y, most.y), limited(part.z, most.z));
  }
  return ivec3(part) * sign(reference);
}

Wide3 masked_cubes(uvec3 size, uint threshold) {
  const uvec3 excess = uvec3(max(ivec3(size - (uvec3(threshold) << kThresholdShifts)), ivec3(0)));
  const uvec3 square_shifts = uvec3(p.square_straight, p.square_straight, p.square_diagonal);
  const uvec3 cube_shifts = uvec3(p.cube_straight, p.cube_straight, p.cube_diagonal);
  const ivec3 square = ivec3(wide_rounded_shift(wide_product(excess, excess), square_shifts).low);
  return wide_signed_rounded_shift(wide_signed_product(square, ivec3(excess)), cube_shifts);
}

// As mirrored() in feature/adm/adm.h.
uint mirrored(int i, uint size) {
  return uint(i < int(size) ? abs(i) : 2 * int(size) - 1 - i);
}

void store(uint first_kind, uint row, Wide3 sum) {
  const uint rows = p.end_row - p.first_row, strips = gl_NumWorkGroups.x;
  const uint at = (first_kind * strips + gl_WorkGroupID.x) * rows + row - p.first_row;
  sums[at] = uvec2(sum.low.x, sum.high.x);
  sums[at + strips * rows] = uvec2(sum.low.y, sum.high.y);
  sums[at + 2 * strips * rows] = uvec2(sum.low.z, sum.high.z);
}

void main() {
  const uint lane = gl_LocalInvocationIndex, above = max(lane, 1) - 1,
             below = min(lane + 1, kStripInvocations - 1);
  // Invocations below the last row's lower neighbour process that row again.
  const int row = min(int(gl_WorkGroupID.y * kStripRows + lane + p.first_row) - 1, int(p.end_row));
  const uint row_read = mirrored(row, p.height);
  const int first = int(p.first_column + gl_WorkGroupID.x * p.strip),
            end = min(first + int(p.strip), int(p.end_column));

  Wide3 reference = Wide3(uvec3(0), uvec3(0)), restored = reference, added = reference;
  Part last_restored = Part(uvec3(0), 0, 0), last_added = last_restored;
  uvec2 sides = uvec2(0);  // of the last two columns
  Position next = load(row_read, mirrored(first - 1, p.width));
  for (int column = first - 1; column <= end; ++column) {
    const Position here = next;
    next = load(row_read, mirrored(min(column + 1, end), p.width));
    const ivec3 part = restored_part(here.reference, here.distorted);
    const Part new_restored = weighed(part), new_added = weighed(here.distorted - part);
    if (first <= column && column < end) {
      reference = wide_sum(reference, reference_cubes(uvec3(abs(here.reference))));
    }

    const uvec2 new_sides = uvec2(new_restored.side, new_added.side), own = sides + new_sides;
    const uint turn = column & 1;
    exchanged[turn][lane] = own;
    barrier();
    const uvec2 last_sides = uvec2(last_restored.side, last_added.side);
    const uvec2 threshold = own + exchanged[turn][above] + exchanged[turn][below] - last_sides +
                            uvec2(last_restored.centre, last_added.centre);
    if (column > first) {
      restored = wide_sum(restored, masked_cubes(last_restored.size, threshold.y));
      if (kHasAdded) added = wide_sum(added, masked_cubes(last_added.size, threshold.x));
    }
    sides = last_sides + new_sides;
    last_restored = new_restored;
    last_added = new_added;
  }

  if (lane == 0 || lane == kStripInvocations - 1 || row >= int(p.end_row)) return;
  store(0, uint(row), reference);
  store(3, uint(row), restored);
  if (kHasAdded) store(6, uint(row), added);
}
