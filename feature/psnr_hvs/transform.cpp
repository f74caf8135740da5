// The integer transform of one block.
#include "feature/psnr_hvs/psnr_hvs.h"

namespace vq::psnr_hvs {
namespace {

// Halved, towards zero.
int32_t half(int32_t a) {
  return (a + (a < 0 ? 1 : 0)) >> 1;
}

// (factor * t + half a unit) >> bits: a lifting step.
template <int factor, int bits>
int32_t lift(int32_t t) {
  return (factor * t + (1 << (bits - 1))) >> bits;
}

// Eight numbers `step` apart.
void transform_eight(int32_t* x, int step) {
  int32_t t0 = x[0], t4 = x[step], t2 = x[2 * step], t6 = x[3 * step], t7 = x[4 * step], t3 = x[5 * step],
          t5 = x[6 * step], t1 = x[7 * step];
  t1 = t0 - t1;
  const int32_t u1 = half(t1);
  t0 -= u1;
  t4 += t5;
  const int32_t u4 = half(t4);
  t5 -= u4;
  t3 = t2 - t3;
  t2 -= half(t3);
  t6 += t7;
  const int32_t u6 = half(t6);
  t7 = u6 - t7;
  t0 += u6;
  t6 = t0 - t6;
  t2 = u4 - t2;
  t4 = t2 - t4;
  t0 -= lift<13573, 15>(t4);
  t4 += lift<11585, 14>(t0);
  t0 -= lift<13573, 15>(t4);
  t6 -= lift<21895, 15>(t2);
  t2 += lift<15137, 14>(t6);
  t6 -= lift<21895, 15>(t2);
  t3 += lift<19195, 15>(t5);
  t5 += lift<11585, 14>(t3);
  t3 -= lift<7489, 13>(t5);
  t7 = half(t5) - t7;
  t5 -= t7;
  t3 = u1 - t3;
  t1 -= t3;
  t7 += lift<3227, 15>(t1);
  t1 -= lift<6393, 15>(t7);
  t7 += lift<3227, 15>(t1);
  t5 += lift<2485, 13>(t3);
  t3 -= lift<18205, 15>(t5);
  t5 += lift<2485, 13>(t3);
  const int32_t out[] = {t0, t1, t2, t3, t4, t5, t6, t7};
  for (int i = 0; i < kBlockSide; ++i) x[i * step] = out[i];
}

}  // namespace

void transform(int32_t* block) {
  for (int column = 0; column < kBlockSide; ++column) transform_eight(block + column, kBlockSide);
  for (int row = 0; row < kBlockSide; ++row) transform_eight(block + kBlockSide * row, 1);
}

}  // namespace vq::psnr_hvs
