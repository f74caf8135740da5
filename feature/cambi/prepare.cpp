#define HWY_TARGET_INCLUDE "feature/cambi/prepare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include "feature/cambi/stages.h"

#if HWY_ONCE
namespace vq::cambi::scalar {

// Every sample is read before anything is written over it, so the planes may be the same.
template <typename T>
static void decimate(PlaneView<const T> in, PlaneView<T> out) {
  HWY_DASSERT(is_half(in, out));
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) out.row(y)[x] = in.row(2 * y)[2 * x];
  }
}

void decimate_image(ImageIn in, Image out) { decimate(in, out); }
void decimate_mask(MaskIn in, Mask out) { decimate(in, out); }

template <typename T>
static bool within_depth(PlaneView<const T> luma, int depth) {
  if (depth == static_cast<int>(8 * sizeof(T))) return true;
  unsigned seen = 0;
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) seen |= luma.row(y)[x];
  }
  return seen >> depth == 0;
}

static int to_10_bits(int sample, int depth) {
  if (depth < 10) return sample << (10 - depth);
  if (depth == 10) return sample;
  return (sample + (1 << (depth - 11))) >> (depth - 10);
}

template <typename T>
static void convert_row(const T* in, const CambiPlan& plan, uint16_t* out) {
  for (int x = 0; x < plan.width; ++x) {
    const int column = plan.resizes() ? plan.source_columns[static_cast<size_t>(x)] : x;
    out[x] = static_cast<uint16_t>(to_10_bits(in[column], plan.input_depth));
  }
}

// In place: a sample is only read by itself and by its neighbours to the left and above, which come first.
static void anti_dither(Image image) {
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
static bool preprocess_samples(PlaneView<const T> luma, const CambiPlan& plan, Image image) {
  HWY_DASSERT(are_of_plan(luma, image, plan));
  if (!within_depth(luma, plan.input_depth)) return false;
  for (int y = 0; y < image.height; ++y) {
    const int source = plan.resizes() ? plan.source_rows[static_cast<size_t>(y)] : y;
    convert_row(luma.row(source), plan, image.row(y));
  }
  if (plan.anti_dither) anti_dither(image);
  return true;
}

bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image) {
  return luma.is_u8() ? preprocess_samples(luma.u8, plan, image) : preprocess_samples(luma.u16, plan, image);
}

constexpr int kReach = kMaskBox / 2;

static void derivative_row(ImageIn image, int y, uint8_t* out) {
  const uint16_t* row = image.row(y);
  const uint16_t* below = image.row(y + 1 < image.height ? y + 1 : y);
  for (int x = 0; x < image.width; ++x) {
    const bool like_right = x + 1 == image.width || row[x] == row[x + 1];
    out[x] = like_right && row[x] == below[x];
  }
}

// Masks by rows of flat samples that come from `flat_row(y)`, each asked for once to enter the box and once
// to leave it.
template <typename FlatRow>
static void mask_rows(FlatRow flat_row, int threshold, Scratch& scratch, Mask mask) {
  uint8_t* sums = scratch.column_sums.row(0);  // of the box's rows, for every column
  std::fill_n(sums, mask.width, uint8_t{0});
  const auto add_row = [&](int y, int sign) {
    if (y < 0 || y >= mask.height) return;
    const uint8_t* flat = flat_row(y);
    for (int x = 0; x < mask.width; ++x) sums[x] = static_cast<uint8_t>(sums[x] + sign * flat[x]);
  };
  for (int y = 0; y < kReach; ++y) add_row(y, 1);
  for (int y = 0; y < mask.height; ++y) {
    add_row(y + kReach, 1);
    add_row(y - kReach - 1, -1);
    for (int x = 0; x < mask.width; ++x) {
      const int first = std::max(x - kReach, 0), last = std::min(x + kReach, mask.width - 1);
      int box = 0;
      for (int k = first; k <= last; ++k) box += sums[k];
      mask.row(y)[x] = box > threshold;
    }
  }
}

void derivative(ImageIn image, Mask flat) {
  HWY_DASSERT(same_size(image, flat));
  for (int y = 0; y < image.height; ++y) derivative_row(image, y, flat.row(y));
}

void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask) {
  HWY_DASSERT(same_size(flat, mask) && flat.data != mask.data);
  mask_rows([&](int y) { return flat.row(y); }, threshold, scratch, mask);
}

void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask) {
  HWY_DASSERT(same_size(image, mask) && image.width <= scratch.flat_rows.width());
  uint8_t* flat = scratch.flat_rows.row(0);
  const auto flat_row = [&](int y) {
    derivative_row(image, y, flat);
    return flat;
  };
  mask_rows(flat_row, threshold, scratch, mask);
}

static uint16_t mode3(uint16_t a, uint16_t b, uint16_t c) {
  if (a == b || a == c) return a;
  if (b == c) return b;
  return std::min({a, b, c});
}

static void filter_row(const uint16_t* in, int width, uint16_t* out) {
  std::copy_n(in, width, out);
  for (int x = 1; x + 1 < width; ++x) out[x] = mode3(in[x - 1], in[x], in[x + 1]);
}

void mode_filter(Image image, Scratch& scratch) {
  HWY_DASSERT(image.width <= scratch.rows.width());
  if (image.height < 3) return;  // no row between the first and the last
  // Rows y-1, y and y+1 as the row pass leaves them: row y of the image is overwritten when nothing reads it
  // any more.
  uint16_t *above = scratch.rows.row(0), *row = scratch.rows.row(1), *below = scratch.rows.row(2);
  filter_row(image.row(0), image.width, above);
  filter_row(image.row(1), image.width, row);
  for (int y = 1; y + 1 < image.height; ++y) {
    filter_row(image.row(y + 1), image.width, below);
    uint16_t* out = image.row(y);
    for (int x = 0; x < image.width; ++x) out[x] = mode3(above[x], row[x], below[x]);
    std::swap(above, row);
    std::swap(row, below);
  }
}

bool prepare(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask) {
  if (!preprocess(luma, plan, image)) return false;
  spatial_mask(image, plan.mask_threshold, scratch, mask);
  if (!plan.halve_first) mode_filter(image, scratch);
  return true;
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of `out` is written after the two vectors of `in` that it may cover were read. The second is left
// out if it holds no sample of the row, which would lie beyond its guard.
template <typename T>
void decimate_row(const T* in, int width, T* out) {
  const hn::ScalableTag<T> t;
  const int step = static_cast<int>(hn::Lanes(t));
  for (int x = 0; x < width; x += step) {
    const auto first = hn::LoadU(t, in + 2 * x);
    const auto second = x + step / 2 < width ? hn::LoadU(t, in + 2 * x + step) : first;
    hn::StoreU(hn::ConcatEven(t, second, first), t, out + x);
  }
}

void decimate_image(ImageIn in, Image out) {
  HWY_DASSERT(is_half(in, out));
  for (int y = 0; y < out.height; ++y) decimate_row(in.row(2 * y), out.width, out.row(y));
}

void decimate_mask(MaskIn in, Mask out) {
  HWY_DASSERT(is_half(in, out));
  for (int y = 0; y < out.height; ++y) decimate_row(in.row(2 * y), out.width, out.row(y));
}

// Preprocessing, row by row.

using LumaU = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<LumaU> load_luma(const uint8_t* in) {
  return hn::PromoteTo(LumaU(), hn::LoadU(hn::Rebind<uint8_t, LumaU>(), in));
}
HWY_INLINE hn::VFromD<LumaU> load_luma(const uint16_t* in) { return hn::LoadU(LumaU(), in); }

// 10 bits from a depth: left or right shift, the right one rounding. A sum over 16 bits saturates and still
// rounds to 1024: (65535 + 32) >> 6 is 1023, so the carry is added after the shift instead.
class DepthShift {
 public:
  explicit DepthShift(int depth) : up_(depth < 10 ? 10 - depth : 0), down_(depth > 10 ? depth - 10 : 0) {}

  HWY_INLINE hn::VFromD<LumaU> operator()(hn::VFromD<LumaU> v) const {
    const LumaU u;
    if (up_ > 0) return hn::ShiftLeftSame(v, up_);
    if (down_ == 0) return v;
    const auto half_bit = hn::And(hn::ShiftRightSame(v, down_ - 1), hn::Set(u, 1));
    return hn::Add(hn::ShiftRightSame(v, down_), half_bit);
  }

 private:
  int up_, down_;
};

inline void anti_dither_row(uint16_t* row, const uint16_t* below, int width) {
  const LumaU u;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t last = static_cast<uint16_t>((row[width - 1] + below[width - 1]) >> 1);
  for (int x = 0; x < width; x += step) {
    const auto upper = hn::Add(hn::LoadU(u, row + x), hn::LoadU(u, row + x + 1));
    const auto lower = hn::Add(hn::LoadU(u, below + x), hn::LoadU(u, below + x + 1));
    hn::StoreU(hn::ShiftRight<2>(hn::Add(upper, lower)), u, row + x);
  }
  row[width - 1] = last;
}

inline void anti_dither_last_row(uint16_t* row, int width) {
  const LumaU u;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t last = row[width - 1];
  for (int x = 0; x < width; x += step) {
    hn::StoreU(hn::ShiftRight<1>(hn::Add(hn::LoadU(u, row + x), hn::LoadU(u, row + x + 1))), u, row + x);
  }
  row[width - 1] = last;
}

// Resizing reads one sample at a time; only the depth is a compile-time constant.
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

inline bool within_depth(PlaneView<const uint8_t>, int) { return true; }

inline bool within_depth(PlaneView<const uint16_t> luma, int depth) {
  const LumaU u;
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

// Makes the rows of the 10-bit picture one after the other, so that all passes over a row but the first find
// it in cache.
template <typename T>
class RowPreprocessor {
 public:
  RowPreprocessor(PlaneView<const T> luma, const CambiPlan& plan, Image image)
      : luma_(luma), plan_(plan), image_(image), shift_(plan.input_depth) {
    HWY_DASSERT(are_of_plan(luma, image, plan));
  }

  // Whether no sample that resizing may skip exceeds the depth's maximum; others are looked at row by row.
  bool skips_no_excess() const {
    return !checks_depth() || !plan_.resizes() || within_depth(luma_, plan_.input_depth);
  }

  // Converts the next row. False if a sample exceeds the depth's maximum.
  bool advance() {
    const int y = next_++;
    if (plan_.resizes()) {
      pick_row(luma_.row(plan_.source_rows[static_cast<size_t>(y)]), plan_, image_.row(y));
    } else {
      if (checks_depth() && !within_depth({luma_.row(y), luma_.width, 1, luma_.stride}, plan_.input_depth))
        return false;
      convert_row(y);
    }
    if (plan_.anti_dither && y > 0) anti_dither_row(image_.row(y - 1), image_.row(y), image_.width);
    if (plan_.anti_dither && y == image_.height - 1) anti_dither_last_row(image_.row(y), image_.width);
    return true;
  }

  // How many rows are finished.
  int finished() const { return plan_.anti_dither && next_ < image_.height ? std::max(next_ - 1, 0) : next_; }

 private:
  bool checks_depth() const { return sizeof(T) == 2 && plan_.input_depth < 16; }

  // Luma has no guards: the last vector starts early, so that it ends with the row. Rows narrower than a
  // vector are copied first. Lines of the next row, including those to be written, are prefetched.
  void convert_row(int y) const {
    const LumaU u;
    const int step = static_cast<int>(hn::Lanes(u)), width = image_.width;
    const int below = std::min(y + 1, image_.height - 1);
    const T *const in = luma_.row(y), *const in_below = luma_.row(below);
    uint16_t *const out = image_.row(y), *const out_below = image_.row(below);
    if (width < step) {
      HWY_ALIGN T copy[hn::MaxLanes(LumaU())] = {};
      for (int x = 0; x < width; ++x) copy[x] = in[x];
      hn::StoreU(shift_(load_luma(copy)), u, out);
      return;
    }
    constexpr int kLine = kCacheLineBytes / static_cast<int>(sizeof(T));
    int x = 0;
    for (; x + kLine <= width; x += kLine) {
      hwy::Prefetch(in_below + x);
      __builtin_prefetch(out_below + x, 1);
      if (sizeof(T) == 1) __builtin_prefetch(out_below + x + kLine / 2, 1);
      for (int k = x; k < x + kLine; k += step) hn::StoreU(shift_(load_luma(in + k)), u, out + k);
    }
    for (; x + step <= width; x += step) hn::StoreU(shift_(load_luma(in + x)), u, out + x);
    if (x < width) hn::StoreU(shift_(load_luma(in + width - step)), u, out + width - step);
  }

  const PlaneView<const T> luma_;
  const CambiPlan& plan_;
  const Image image_;
  const DepthShift shift_;
  int next_ = 0;
};

template <typename T>
bool preprocess_samples(PlaneView<const T> luma, const CambiPlan& plan, Image image) {
  RowPreprocessor<T> rows(luma, plan, image);
  if (!rows.skips_no_excess()) return false;
  while (rows.finished() < image.height) {
    if (!rows.advance()) return false;
  }
  return true;
}

bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image) {
  return luma.is_u8() ? preprocess_samples(luma.u8, plan, image) : preprocess_samples(luma.u16, plan, image);
}

// The spatial mask, row by row.

using MaskB = hn::ScalableTag<uint8_t>;
using MaskHalfB = hn::Half<MaskB>;
using MaskU = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<MaskHalfB> flat_half(const uint16_t* row, const uint16_t* below) {
  const MaskU u;
  const auto own = hn::LoadU(u, row);
  const auto equal = hn::And(hn::Eq(own, hn::LoadU(u, row + 1)), hn::Eq(own, hn::LoadU(u, below)));
  const auto ones = hn::IfThenElseZero(equal, hn::Set(u, 1));
  return hn::DemoteTo(MaskHalfB(), hn::BitCast(hn::RebindToSigned<MaskU>(), ones));
}

// Flat samples of row y, with zeros to the right of the row.
inline void derivative_row(ImageIn image, int y, uint8_t* out) {
  const MaskHalfB b;
  const int step = static_cast<int>(hn::Lanes(MaskU()));
  const int width = image.width;
  const uint16_t* row = image.row(y);
  const uint16_t* below = image.row(y + 1 < image.height ? y + 1 : y);
  for (int x = 0; x < width; x += step) hn::Store(flat_half(row + x, below + x), b, out + x);
  out[width - 1] = row[width - 1] == below[width - 1];
  std::fill_n(out + width, kRowGuardBytes, uint8_t{0});
}

// Adds a row that enters the box and takes away one that leaves it.
inline void move_box(const uint8_t* enters, const uint8_t* leaves, int width, uint8_t* sums) {
  const MaskB b;
  const int step = static_cast<int>(hn::Lanes(b));
  for (int x = 0; x < width; x += step) {
    const auto sum = hn::Add(hn::Load(b, sums + x), hn::Load(b, enters + x));
    hn::Store(hn::Sub(sum, hn::Load(b, leaves + x)), b, sums + x);
  }
}

inline void mask_row(const uint8_t* sums, int threshold, int width, uint8_t* mask) {
  const MaskB b;
  const int step = static_cast<int>(hn::Lanes(b));
  // Sums reach 49, so neither clamp changes which of them are greater; no sum exceeds the upper bound.
  const int at_least = std::clamp(threshold + 1, 0, kMaskBox * kMaskBox + 1);
  const auto least = hn::Set(b, static_cast<uint8_t>(at_least));
  const auto one = hn::Set(b, 1);
  for (int x = 0; x < width; x += step) {
    auto box = hn::Add(hn::LoadU(b, sums + x - 3), hn::LoadU(b, sums + x - 2));
    box = hn::Add(box, hn::Add(hn::LoadU(b, sums + x - 1), hn::Load(b, sums + x)));
    box = hn::Add(box, hn::Add(hn::LoadU(b, sums + x + 1), hn::LoadU(b, sums + x + 2)));
    box = hn::Add(box, hn::LoadU(b, sums + x + 3));
    hn::StoreU(hn::IfThenElseZero(hn::Eq(hn::Max(box, least), box), one), b, mask + x);
  }
}

// Masks an image row by row, as its rows become available.
class RowMasker {
 public:
  RowMasker(ImageIn image, int threshold, Scratch& scratch, Mask mask)
      : image_(image),
        threshold_(threshold),
        flat_(scratch.flat_rows.view()),
        sums_(scratch.column_sums.row(0)),
        mask_(mask) {
    HWY_DASSERT(same_size(image, mask) && image.width <= flat_.width);
    // The ring starts as zeros: rows above the picture. So do the guards of the sums: columns beside it.
    for (int i = 0; i < kRing; ++i) std::fill_n(flat_.row(i), image.width + 64, uint8_t{0});
    std::fill_n(sums_ - kRowGuardBytes, static_cast<size_t>(image.width) + 2 * kRowGuardBytes, uint8_t{0});
  }

  // Rows of the image whose flat samples are known, so that the image may change there.
  int released() const { return std::min(entering_, image_.height); }

  // Makes all rows that depend on the image's first `finished` rows only.
  void advance(int finished) {
    while (entering_ < image_.height + kReach && (entering_ + 1 < finished || finished == image_.height)) {
      move();
      const int y = entering_ - 1 - kReach;
      if (y >= 0) mask_row(sums_, threshold_, image_.width, mask_.row(y));
    }
  }

 private:
  static constexpr int kReach = kMaskBox / 2;
  static constexpr int kRing = kMaskBox + 1;  // the box's rows and the one that has just left it

  // One more row enters the box.
  void move() {
    uint8_t* const enters = flat_.row(entering_ % kRing);
    const uint8_t* const leaves = flat_.row((entering_ + 1) % kRing);
    if (entering_ < image_.height) {
      derivative_row(image_, entering_, enters);
    } else {
      std::fill_n(enters, image_.width, uint8_t{0});
    }
    move_box(enters, leaves, image_.width, sums_);
    ++entering_;
  }

  const ImageIn image_;
  const int threshold_;
  const Mask flat_;
  uint8_t* const sums_;
  const Mask mask_;
  int entering_ = 0;  // the row that enters the box next
};

void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask) {
  RowMasker(image, threshold, scratch, mask).advance(image.height);
}

// The mode filter, row by row.

using FilterU = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<FilterU> mode3(hn::VFromD<FilterU> a, hn::VFromD<FilterU> b, hn::VFromD<FilterU> c) {
  const auto least = hn::Min(a, hn::Min(b, c));
  const auto b_or_least = hn::IfThenElse(hn::Eq(b, c), b, least);
  return hn::IfThenElse(hn::Or(hn::Eq(a, b), hn::Eq(a, c)), a, b_or_least);
}

// The first and the last column are put right after the vectors have passed over them.
inline void filter_row(const uint16_t* in, int width, uint16_t* out) {
  const FilterU u;
  const int step = static_cast<int>(hn::Lanes(u));
  for (int x = 0; x < width; x += step) {
    hn::Store(mode3(hn::LoadU(u, in + x - 1), hn::LoadU(u, in + x), hn::LoadU(u, in + x + 1)), u, out + x);
  }
  out[0] = in[0];
  out[width - 1] = in[width - 1];
}

// Filters an image in place, row by row, as its rows become available.
class RowModeFilter {
 public:
  RowModeFilter(Image image, Scratch& scratch) : image_(image), rows_(scratch.rows.view()) {
    HWY_DASSERT(image.width <= rows_.width);
  }

  // Filters all rows that depend on the first `finished` rows only, of those before `end`.
  void advance(int finished, int end) {
    if (image_.height < 3) return;
    while (next_ + 1 < std::min(image_.height, finished) && next_ < end) {
      for (; filtered_ < next_ + 2; ++filtered_)
        filter_row(image_.row(filtered_), image_.width, row(filtered_));
      filter_columns(next_++);
    }
  }

 private:
  uint16_t* row(int y) const { return rows_.row(y % 3); }

  void filter_columns(int y) const {
    const FilterU u;
    const int step = static_cast<int>(hn::Lanes(u));
    const uint16_t *const above = row(y - 1), *const own = row(y), *const below = row(y + 1);
    uint16_t* const out = image_.row(y);
    for (int x = 0; x < image_.width; x += step) {
      hn::StoreU(mode3(hn::Load(u, above + x), hn::Load(u, own + x), hn::Load(u, below + x)), u, out + x);
    }
  }

  const Image image_;
  const PlaneView<uint16_t> rows_;  // three rows, filtered along themselves
  int filtered_ = 0;                // how many of the image's rows were
  int next_ = 1;                    // the row to be filtered next; the first and the last stay
};

void mode_filter(Image image, Scratch& scratch) {
  RowModeFilter(image, scratch).advance(image.height, image.height);
}

// All stages at once, row after row: each finds in cache what the one before has just written.
template <typename T>
bool prepare_samples(PlaneView<const T> luma, const CambiPlan& plan, Scratch& scratch, Image image,
                     Mask mask) {
  RowPreprocessor<T> preprocessor(luma, plan, image);
  RowMasker masker(image, plan.mask_threshold, scratch, mask);
  RowModeFilter filter(image, scratch);
  if (!preprocessor.skips_no_excess()) return false;
  while (preprocessor.finished() < image.height) {
    if (!preprocessor.advance()) return false;
    masker.advance(preprocessor.finished());
    if (!plan.halve_first) filter.advance(preprocessor.finished(), masker.released());
  }
  return true;
}

bool prepare(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask) {
  return luma.is_u8() ? prepare_samples(luma.u8, plan, scratch, image, mask)
                      : prepare_samples(luma.u16, plan, scratch, image, mask);
}

}  // namespace vq::cambi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::cambi, decimate_image, decimate_mask, preprocess, spatial_mask, mode_filter, prepare)
#endif  // HWY_ONCE
