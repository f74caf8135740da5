#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_preprocess.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/cambi_stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi {
namespace scalar {
namespace {

template <typename T>
bool within_depth(PlaneView<const T> luma, int depth) {
  if (depth == static_cast<int>(8 * sizeof(T))) return true;
  unsigned seen = 0;
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) seen |= luma.row(y)[x];
  }
  return seen >> depth == 0;
}

int to_10_bits(int sample, int depth) {
  if (depth < 10) return sample << (10 - depth);
  if (depth == 10) return sample;
  return (sample + (1 << (depth - 11))) >> (depth - 10);
}

template <typename T>
void convert_row(const T* in, const CambiPlan& plan, uint16_t* out) {
  for (int x = 0; x < plan.width; ++x) {
    const int column = plan.resizes() ? plan.source_columns[static_cast<size_t>(x)] : x;
    out[x] = static_cast<uint16_t>(to_10_bits(in[column], plan.input_depth));
  }
}

// In place: a sample is only read by itself and by its neighbours to the left and above, which come first.
void anti_dither(Image image) {
  const int last_column = image.width - 1, last_row = image.height - 1;
  for (int y = 0; y < last_row; ++y) {
    uint16_t* row = image.row(y);
    const uint16_t* below = image.row(y + 1);
    for (int x = 0; x < last_column; ++x) {
      row[x] = static_cast<uint16_t>((row[x] + row[x + 1] + below[x] + below[x + 1]) >> 2);
    }
    row[last_column] = static_cast<uint16_t>((row[last_column] + below[last_column]) >> 1);
  }
  uint16_t* row = image.row(last_row);
  for (int x = 0; x < last_column; ++x) row[x] = static_cast<uint16_t>((row[x] + row[x + 1]) >> 1);
}

template <typename T>
bool preprocess_samples(PlaneView<const T> luma, const CambiPlan& plan, Image image) {
  if (!within_depth(luma, plan.input_depth)) return false;
  for (int y = 0; y < image.height; ++y) {
    const int source = plan.resizes() ? plan.source_rows[static_cast<size_t>(y)] : y;
    convert_row(luma.row(source), plan, image.row(y));
  }
  if (plan.anti_dither) anti_dither(image);
  return true;
}

}  // namespace

bool preprocess(const LumaView& luma, const CambiPlan& plan, Image image) {
  return luma.is_u8() ? preprocess_samples(luma.u8, plan, image) : preprocess_samples(luma.u16, plan, image);
}

}  // namespace scalar

}  // namespace vq::cambi
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::preprocess;
#else

namespace hn = hwy::HWY_NAMESPACE;

using U = hn::ScalableTag<uint16_t>;
using HalfB = hn::Rebind<uint8_t, U>;

HWY_INLINE hn::VFromD<U> load(const uint8_t* in) {
  return hn::PromoteTo(U(), hn::LoadU(HalfB(), in));
}
HWY_INLINE hn::VFromD<U> load(const uint16_t* in) {
  return hn::LoadU(U(), in);
}

// 10 bits from a depth: left or right shift, the right one rounding. A sum over 16 bits saturates and still
// rounds to 1024: (65535 + 32) >> 6 is 1023, so the carry is added after the shift instead.
class DepthShift {
 public:
  explicit DepthShift(int depth) : up_(depth < 10 ? 10 - depth : 0), down_(depth > 10 ? depth - 10 : 0) {}

  HWY_INLINE hn::VFromD<U> operator()(hn::VFromD<U> v) const {
    const U u;
    if (up_ > 0) return hn::ShiftLeftSame(v, up_);
    if (down_ == 0) return v;
    const auto half_bit = hn::And(hn::ShiftRightSame(v, down_ - 1), hn::Set(u, 1));
    return hn::Add(hn::ShiftRightSame(v, down_), half_bit);
  }

 private:
  int up_, down_;
};

// Luma has no guards: the last vector starts early, so that it ends with the row. Rows narrower than a vector
// are copied first.
template <typename T>
void convert_row(const T* in, int width, DepthShift shift, uint16_t* out) {
  const U u;
  const int step = static_cast<int>(hn::Lanes(u));
  if (width < step) {
    HWY_ALIGN T copy[hn::MaxLanes(U())] = {};
    for (int x = 0; x < width; ++x) copy[x] = in[x];
    hn::StoreU(shift(load(copy)), u, out);
    return;
  }
  int x = 0;
  for (; x + step <= width; x += step) hn::StoreU(shift(load(in + x)), u, out + x);
  if (x < width) hn::StoreU(shift(load(in + width - step)), u, out + width - step);
}

void anti_dither_row(uint16_t* row, const uint16_t* below, int width) {
  const U u;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t last = static_cast<uint16_t>((row[width - 1] + below[width - 1]) >> 1);
  for (int x = 0; x < width; x += step) {
    const auto upper = hn::Add(hn::LoadU(u, row + x), hn::LoadU(u, row + x + 1));
    const auto lower = hn::Add(hn::LoadU(u, below + x), hn::LoadU(u, below + x + 1));
    hn::StoreU(hn::ShiftRight<2>(hn::Add(upper, lower)), u, row + x);
  }
  row[width - 1] = last;
}

void anti_dither_last_row(uint16_t* row, int width) {
  const U u;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t last = row[width - 1];
  for (int x = 0; x < width; x += step) {
    hn::StoreU(hn::ShiftRight<1>(hn::Add(hn::LoadU(u, row + x), hn::LoadU(u, row + x + 1))), u, row + x);
  }
  row[width - 1] = last;
}

// Resizing reads one sample at a time; only the depth is known to the compiler.
template <typename T>
void pick_row(const T* in, const CambiPlan& plan, uint16_t* out) {
  const int32_t* columns = plan.source_columns.data();
  const int up = plan.input_depth < 10 ? 10 - plan.input_depth : 0;
  const int down = plan.input_depth > 10 ? plan.input_depth - 10 : 0;
  const int half = down > 0 ? 1 << (down - 1) : 0;
  for (int x = 0; x < plan.width; ++x) {
    out[x] = static_cast<uint16_t>(((in[columns[x]] + half) >> down) << up);
  }
}

bool within_depth(PlaneView<const uint16_t> luma, int depth) {
  const U u;
  const int step = static_cast<int>(hn::Lanes(u));
  const auto excess = hn::Set(u, static_cast<uint16_t>(~((1U << depth) - 1)));
  auto seen = hn::Zero(u);
  unsigned rest = 0;
  for (int y = 0; y < luma.height; ++y) {
    const uint16_t* row = luma.row(y);
    int x = 0;
    for (; x + step <= luma.width; x += step) seen = hn::Or(seen, hn::LoadU(u, row + x));
    for (; x < luma.width; ++x) rest |= row[x];
  }
  return hn::AllTrue(u, hn::Eq(hn::And(seen, excess), hn::Zero(u))) && rest >> depth == 0;
}

// One row at a time, so that all passes but the first find it in cache.
template <typename T>
bool preprocess_samples(PlaneView<const T> luma, const CambiPlan& plan, Image image) {
  const DepthShift shift(plan.input_depth);
  for (int y = 0; y < image.height; ++y) {
    if constexpr (sizeof(T) == 2) {
      const PlaneView<const T> row{luma.row(y), luma.width, 1, luma.stride};
      if (!plan.resizes() && plan.input_depth < 16 && !within_depth(row, plan.input_depth)) return false;
    }
    if (plan.resizes()) {
      pick_row(luma.row(plan.source_rows[static_cast<size_t>(y)]), plan, image.row(y));
    } else {
      convert_row(luma.row(y), image.width, shift, image.row(y));
    }
    if (plan.anti_dither && y > 0) anti_dither_row(image.row(y - 1), image.row(y), image.width);
  }
  if (plan.anti_dither) anti_dither_last_row(image.row(image.height - 1), image.width);
  return true;
}

bool preprocess(const LumaView& luma, const CambiPlan& plan, Image image) {
  if (luma.is_u8()) return preprocess_samples(luma.u8, plan, image);
  // Resizing may skip the sample that is too large.
  if (plan.resizes() && plan.input_depth < 16 && !within_depth(luma.u16, plan.input_depth)) return false;
  return preprocess_samples(luma.u16, plan, image);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::cambi {
HWY_EXPORT(preprocess);

decltype(CambiStages::preprocess) simd::preprocess_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(preprocess), target);
}

}  // namespace vq::cambi
#endif  // HWY_ONCE
