// The integer transform of a block of 8x8; see feature/psnr_hvs/psnr_hvs.cpp.

const uint kBlockSide = 8;

// Halved, towards zero.
int half_of(int a) {
  return a + int(a < 0) >> 1;
}

// A lifting step.
int lift(int factor, int bits, int t) {
  return factor * t + (1 << (bits - 1)) >> bits;
}

void transform_eight(inout int x[kBlockSide]) {
  int t0 = x[0], t4 = x[1], t2 = x[2], t6 = x[3], t7 = x[4], t3 = x[5], t5 = x[6], t1 = x[7];
  t1 = t0 - t1;
  const int u1 = half_of(t1);
  t0 -= u1;
  t4 += t5;
  const int u4 = half_of(t4);
  t5 -= u4;
  t3 = t2 - t3;
  t2 -= half_of(t3);
  t6 += t7;
  const int u6 = half_of(t6);
  t7 = u6 - t7;
  t0 += u6;
  t6 = t0 - t6;
  t2 = u4 - t2;
  t4 = t2 - t4;
  t0 -= lift(13573, 15, t4);
  t4 += lift(11585, 14, t0);
  t0 -= lift(13573, 15, t4);
  t6 -= lift(21895, 15, t2);
  t2 += lift(15137, 14, t6);
  t6 -= lift(21895, 15, t2);
  t3 += lift(19195, 15, t5);
  t5 += lift(11585, 14, t3);
  t3 -= lift(7489, 13, t5);
  t7 = half_of(t5) - t7;
  t5 -= t7;
  t3 = u1 - t3;
  t1 -= t3;
  t7 += lift(3227, 15, t1);
  t1 -= lift(6393, 15, t7);
  t7 += lift(3227, 15, t1);
  t5 += lift(2485, 13, t3);
  t3 -= lift(18205, 15, t5);
  t5 += lift(2485, 13, t3);
  x = int[](t0, t1, t2, t3, t4, t5, t6, t7);
}

void transform(inout int block[kBlockSide * kBlockSide]) {
  int line[kBlockSide];
  [[unroll]] for (uint column = 0; column < kBlockSide; ++column) {
    [[unroll]] for (uint i = 0; i < kBlockSide; ++i) line[i] = block[kBlockSide * i + column];
    transform_eight(line);
    [[unroll]] for (uint i = 0; i < kBlockSide; ++i) block[kBlockSide * i + column] = line[i];
  }
  [[unroll]] for (uint row = 0; row < kBlockSide; ++row) {
    [[unroll]] for (uint i = 0; i < kBlockSide; ++i) line[i] = block[kBlockSide * row + i];
    transform_eight(line);
    [[unroll]] for (uint i = 0; i < kBlockSide; ++i) block[kBlockSide * row + i] = line[i];
  }
}
