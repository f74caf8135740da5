#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/fingerprint/plane_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "feature/fingerprint/fingerprint.h"
#include "shaders/fingerprint/shared.h"

#if HWY_ONCE
namespace vq::fingerprint {
namespace {

constexpr LaneSums kFactors = {gpu::kFactor0, gpu::kFactor1, gpu::kFactor2, gpu::kFactor3};
constexpr LaneSums kOffsets = {gpu::kOffset0, gpu::kOffset1, gpu::kOffset2, gpu::kOffset3};

static_assert(kMaxSide * 2 / 4 <= 1 << gpu::kColumnBits && kMaxSide <= 1 << gpu::kRowBits);

// The x-th word of a row.
template <typename T>
uint32_t word_of(const T* row, int width, int x) {
  constexpr int kSamples = 4 / sizeof(T), kBits = 8 * sizeof(T);
  uint32_t word = 0;
  for (int k = 0; k < kSamples && x * kSamples + k < width; ++k) {
    word |= static_cast<uint32_t>(row[x * kSamples + k]) << (kBits * k);
  }
  return word;
}

template <typename T>
LaneSums sums_of(PlaneView<const T> view, int plane) {
  constexpr int kSamples = 4 / sizeof(T);
  LaneSums sums{};
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x * kSamples < view.width; ++x) {
      sums = sums + mixed_word(word_of(view.row(y), view.width, x), {x, y, plane});
    }
  }
  return sums;
}

}  // namespace

LaneSums operator+(const LaneSums& a, const LaneSums& b) {
  LaneSums sum;
  for (size_t i = 0; i < kLanes; ++i) sum[i] = a[i] + b[i];
  return sum;
}

uint32_t mixed(uint32_t value) {
  value = (value ^ value >> gpu::kShift0) * gpu::kMix0;
  value = (value ^ value >> gpu::kShift1) * gpu::kMix1;
  value = (value ^ value >> gpu::kShift2) * gpu::kMix2;
  return value ^ value >> gpu::kShift3;
}

LaneSums mixed_word(uint32_t word, const Place& at) {
  const auto [x, y, plane] =
      std::array{static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.plane)};
  const uint32_t place = (plane << gpu::kRowBits | y) << gpu::kColumnBits | x;
  LaneSums lanes;
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = mixed(word ^ (place * kFactors[i] + kOffsets[i]));
  return lanes;
}

LaneSums scalar::plane_sums(const SampleView& view, int plane) {
  HWY_DASSERT(view.width() <= kMaxSide && view.height() <= kMaxSide && 0 <= plane && plane < kMaxPlanes);
  return view.is_u8() ? sums_of(view.u8, plane) : sums_of(view.u16, plane);
}

}  // namespace vq::fingerprint
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::fingerprint {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::plane_sums;
#else

namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::ScalableTag<uint32_t>;
using V = hn::VFromD<U32>;

HWY_INLINE V mixed(V v) {
  const U32 d;
  v = hn::Mul(hn::Xor(v, hn::ShiftRight<gpu::kShift0>(v)), hn::Set(d, gpu::kMix0));
  v = hn::Mul(hn::Xor(v, hn::ShiftRight<gpu::kShift1>(v)), hn::Set(d, gpu::kMix1));
  v = hn::Mul(hn::Xor(v, hn::ShiftRight<gpu::kShift2>(v)), hn::Set(d, gpu::kMix2));
  return hn::Xor(v, hn::ShiftRight<gpu::kShift3>(v));
}

// The rows of a plane, whatever its samples.
struct ByteRows {
  const uint8_t* first;
  ptrdiff_t stride;
  size_t bytes;  // of a row
  int height;
};

template <typename T>
ByteRows byte_rows(PlaneView<const T> view) {
  return {reinterpret_cast<const uint8_t*>(view.data), view.stride * static_cast<ptrdiff_t>(sizeof(T)),
          static_cast<size_t>(view.width) * sizeof(T), view.height};
}

// The key of the first words of row 0 in a lane, from their positions.
HWY_INLINE V first_key(uint32_t factor, uint32_t offset, uint32_t place) {
  const U32 d;
  return hn::Add(hn::Mul(hn::Iota(d, place), hn::Set(d, factor)), hn::Set(d, offset));
}

HWY_INLINE uint32_t total(V sums) {
  return hn::GetLane(hn::SumOfLanes(U32(), sums));
}

// Calls `add` with each vector of a row, and `add_last` with the words of one that the row does not fill, and
// their number.
template <class Add, class AddLast>
HWY_INLINE void for_row(const uint8_t* row, size_t bytes, const Add& add, const AddLast& add_last) {
  const U32 d;
  const size_t step = hn::Lanes(d) * sizeof(uint32_t);
  size_t at = 0;
  for (; at + step <= bytes; at += step)
    add(hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, U32>(), row + at)));
  if (at == bytes) return;
  HWY_ALIGN uint8_t rest[HWY_MAX_BYTES] = {};
  std::memcpy(rest, row + at, bytes - at);
  add_last(hn::BitCast(d, hn::Load(hn::Repartition<uint8_t, U32>(), rest)),
           hwy::DivCeil(bytes - at, sizeof(uint32_t)));
}

LaneSums sums_of_rows(const ByteRows& rows, int plane) {
  const U32 d;
  const auto step = static_cast<uint32_t>(hn::Lanes(d));
  const uint32_t place = static_cast<uint32_t>(plane) << (gpu::kRowBits + gpu::kColumnBits);
  const V next0 = hn::Set(d, step * gpu::kFactor0), next1 = hn::Set(d, step * gpu::kFactor1);
  const V next2 = hn::Set(d, step * gpu::kFactor2), next3 = hn::Set(d, step * gpu::kFactor3);
  V sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (int y = 0; y < rows.height; ++y) {
    const uint32_t row_place = place + (static_cast<uint32_t>(y) << gpu::kColumnBits);
    V key0 = first_key(gpu::kFactor0, gpu::kOffset0, row_place),
      key1 = first_key(gpu::kFactor1, gpu::kOffset1, row_place);
    V key2 = first_key(gpu::kFactor2, gpu::kOffset2, row_place),
      key3 = first_key(gpu::kFactor3, gpu::kOffset3, row_place);
    for_row(
        rows.first + y * rows.stride, rows.bytes,
        [&](V words) HWY_ATTR {
          sum0 = hn::Add(sum0, mixed(hn::Xor(words, key0)));
          sum1 = hn::Add(sum1, mixed(hn::Xor(words, key1)));
          sum2 = hn::Add(sum2, mixed(hn::Xor(words, key2)));
          sum3 = hn::Add(sum3, mixed(hn::Xor(words, key3)));
          key0 = hn::Add(key0, next0);
          key1 = hn::Add(key1, next1);
          key2 = hn::Add(key2, next2);
          key3 = hn::Add(key3, next3);
        },
        [&](V words, size_t count) HWY_ATTR {
          const auto counts = hn::FirstN(d, count);
          sum0 = hn::Add(sum0, hn::IfThenElseZero(counts, mixed(hn::Xor(words, key0))));
          sum1 = hn::Add(sum1, hn::IfThenElseZero(counts, mixed(hn::Xor(words, key1))));
          sum2 = hn::Add(sum2, hn::IfThenElseZero(counts, mixed(hn::Xor(words, key2))));
          sum3 = hn::Add(sum3, hn::IfThenElseZero(counts, mixed(hn::Xor(words, key3))));
        });
  }
  return {total(sum0), total(sum1), total(sum2), total(sum3)};
}

// Words are loaded as the samples lie in memory.
LaneSums plane_sums(const SampleView& view, int plane) {
  if constexpr (std::endian::native != std::endian::little) return scalar::plane_sums(view, plane);
  HWY_DASSERT(view.width() <= kMaxSide && view.height() <= kMaxSide && 0 <= plane && plane < kMaxPlanes);
  return sums_of_rows(view.is_u8() ? byte_rows(view.u8) : byte_rows(view.u16), plane);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::fingerprint
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_DISPATCH(vq::fingerprint, plane_sums)
#endif  // HWY_ONCE
