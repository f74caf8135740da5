// Local moments of a tile; see feature/vif/vif.h. Included by a shader that declares kScale, kAreBytes,
// pair_words, a buffer of both pictures, and the push constants `p`.

// Number of rows processed at once, so that their sums fit registers: products of bytes take one, those of
// words two.
const uint kRowsEach = kAreBytes ? 8 : 4;

// Four planes of a tile: filtered samples, the distorted one's in the upper half, and three of filtered
// products. Later three of the moments of single samples, then sums.
const uint kPlane = kTileRows * kColumns;
shared uint tile_words[4 * kPlane];

const uint kMeans = 0, kSquares = 1, kDistortedSquares = 2, kProducts = 3;

// Their sums along a column, and for products of words those of the halves.
struct ColumnSums {
  uint reference, distorted;
  uvec3 products, upper_products;
};

void add_sample(inout ColumnSums sums, uint tap, uint word) {
  const uint r = word & 0xFFFF, d = word >> 16;
  const uvec3 products = uvec3(r * r, d * d, r * d);
  sums.reference += tap * r;
  sums.distorted += tap * d;
  sums.products += tap * (kAreBytes ? products : products & 0xFFFF);
  if (!kAreBytes) sums.upper_products += tap * (products >> 16);
}

// Rounded, as the horizontal pass takes them.
void store_sums(ColumnSums sums, uint place) {
  const uint half_of_samples = 1u << (p.sample_shift - 1);
  tile_words[kMeans * kPlane + place] = (sums.reference + half_of_samples) >> p.sample_shift |
                                        (sums.distorted + half_of_samples) >> p.sample_shift << 16;
  uvec3 products = sums.products;
  if (!kAreBytes) {
    products += 1u << (p.product_shift - 1);
    products = (products >> p.product_shift) + (sums.upper_products << (16 - p.product_shift));
  }
  [[unroll]] for (uint i = 0; i < 3; ++i) tile_words[(kSquares + i) * kPlane + place] = products[i];
}

// The vertical pass over some rows of one column.
void filter_column(uint column, uint rows, int first_row) {
  const int radius = int(radius_of(kScale));
  const uint x = reflected(int(gl_WorkGroupID.x * kTileWidth + column) - radius, p.width);
  ColumnSums sums[kRowsEach];
  [[unroll]] for (uint i = 0; i < kRowsEach; ++i) sums[i] = ColumnSums(0, 0, uvec3(0), uvec3(0));
  [[unroll]] for (int k = 0; k < int(kRowsEach) + 2 * radius; ++k) {
    const uint word = pair_words[reflected(first_row - radius + k, p.height) * p.pitch + x];
    [[unroll]] for (int i = 0; i < int(kRowsEach); ++i) {
      const uint distance = uint(abs(k - radius - i));
      if (distance <= radius) add_sample(sums[i], tap_of(kScale, distance), word);
    }
  }
  [[unroll]] for (uint i = 0; i < kRowsEach; ++i) store_sums(sums[i], (rows + i) * kColumns + column);
}

// Sums around the samples of a run, of both halves of a plane's words.
void filter_run(uint first, out uint low[kRun], out uint high[kRun]) {
  const int radius = int(radius_of(kScale));
  [[unroll]] for (uint i = 0; i < kRun; ++i) low[i] = high[i] = 0;
  [[unroll]] for (int k = 0; k < int(kRun) + 2 * radius; ++k) {
    const uint word = tile_words[first + k], lower = word & 0xFFFF, upper = word >> 16;
    [[unroll]] for (int i = 0; i < int(kRun); ++i) {
      const uint distance = uint(abs(k - radius - i));
      if (distance > radius) continue;
      low[i] += tap_of(kScale, distance) * lower;
      high[i] += tap_of(kScale, distance) * upper;
    }
  }
}

// a * b shifted right by 32 with rounding.
uint upper_product(uint a, uint b) {
  uint high, low;
  umulExtended(a, b, high, low);
  return high + (low >> 31);
}

// For each sample the variance, the distorted picture's variance, and the covariance, in three planes.
void find_moments() {
  const uint invocation = gl_LocalInvocationIndex;
  const uint first = invocation / kRuns * kColumns + invocation % kRuns * kRun;
  uint mean[kRun], distorted_mean[kRun];
  // Not unrolled, for drivers would take half a second more to compile it.
  [[dont_unroll]] for (uint plane = kMeans; plane <= kProducts; ++plane) {
    uint low[kRun], high[kRun];
    filter_run(plane * kPlane + first, low, high);
    barrier();  // before what others read is replaced
    [[unroll]] for (uint i = 0; i < kRun; ++i) {
      if (plane == kMeans) {
        mean[i] = low[i];
        distorted_mean[i] = high[i];
        continue;
      }
      const uint a = plane == kDistortedSquares ? distorted_mean[i] : mean[i];
      const uint b = plane == kSquares ? mean[i] : distorted_mean[i];
      tile_words[(plane - kSquares) * kPlane + invocation * kRun + i] =
          high[i] + ((low[i] + 0x8000) >> 16) - upper_product(a, b);
    }
  }
}
