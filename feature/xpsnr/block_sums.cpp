#define HWY_TARGET_INCLUDE "feature/xpsnr/block_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "feature/xpsnr/xpsnr.h"

#if HWY_ONCE
namespace vq::xpsnr {

static uint16_t sample_at(const Samples& samples, int x, int y) {
  const int sample = samples.view.is_u8() ? samples.view.u8.row(y)[x] : samples.view.u16.row(y)[x];
  return static_cast<uint16_t>(sample << samples.shift);
}

void scalar::block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows&,
                          std::span<uint64_t> out) {
  HWY_DASSERT(out.size() == grid.count());
  const auto& [a, b] = planes;
  for (size_t k = 0; k < out.size(); ++k) {
    const auto columns = static_cast<size_t>(grid.columns);
    const Span across = grid.column(static_cast<int>(k % columns)),
               down = grid.row(static_cast<int>(k / columns));
    out[k] = 0;
    for (int y = down.start; y < down.end; ++y) {
      for (int x = across.start; x < across.end; ++x) {
        const int64_t difference = int64_t{sample_at(a, x, y)} - sample_at(b, x, y);
        out[k] += static_cast<uint64_t>(difference * difference);
      }
    }
  }
}

namespace {

// A picture by coordinates, with its border repeated.
class Picture {
 public:
  explicit Picture(const Samples& samples) : samples_(samples) {}
  Picture(const SampleView& view, int shift) : samples_{view, shift} {}

  int64_t at(int x, int y) const {
    const SampleView& view = samples_.view;
    if (view.empty()) return 0;
    const int column = std::clamp(x, 0, view.width() - 1), row = std::clamp(y, 0, view.height() - 1);
    const int sample = view.is_u8() ? view.u8.row(row)[column] : view.u16.row(row)[column];
    return static_cast<uint16_t>(sample << samples_.shift);
  }
  // The sum of the cell that starts there.
  int64_t cell(int x, int y) const { return at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1); }

 private:
  const Samples samples_;
};

constexpr int kHighPass[3][3] = {{-1, -2, -1}, {-2, 12, -2}, {-1, -2, -1}};
constexpr int kHighPassOfCells[6][6] = {{0, -1, -1, -1, -1, 0},   {-1, -2, -3, -3, -2, -1},
                                        {-1, -3, 12, 12, -3, -1}, {-1, -3, 12, 12, -3, -1},
                                        {-1, -2, -3, -3, -2, -1}, {0, -1, -1, -1, -1, 0}};

template <int size>
int64_t filtered(const int (&taps)[size][size], const Picture& picture, int x, int y) {
  const int reach = (size - 1) / 2;
  int64_t sum = 0;
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < size; ++k) sum += taps[i][k] * picture.at(x - reach + k, y - reach + i);
  }
  return sum;
}

// Sums what `value` returns for every step in both spans.
template <typename Value>
uint64_t sum_over(Span across, Span down, int step, const Value& value) {
  uint64_t sum = 0;
  for (int y = down.start; y < down.end; y += step) {
    for (int x = across.start; x < across.end; x += step) sum += static_cast<uint64_t>(std::abs(value(x, y)));
  }
  return sum;
}

}  // namespace

void scalar::block_activities(const ActivityForm& form, const History& pictures, Rows&,
                              std::span<Activity> out) {
  const Grid& grid = form.grid;
  HWY_DASSERT(out.size() == grid.count());
  const Picture now(pictures.now), last(pictures.before[0], pictures.now.shift),
      older(pictures.before[1], pictures.now.shift);
  const auto of = [&](const Picture& picture, int x, int y) {
    return form.in_cells ? picture.cell(x, y) : picture.at(x, y);
  };
  for (size_t k = 0; k < out.size(); ++k) {
    const auto columns = static_cast<size_t>(grid.columns);
    const Span across = grid.column(static_cast<int>(k % columns)),
               down = grid.row(static_cast<int>(k / columns));
    out[k].spatial = sum_over(
        without_edge(across, grid.plane.width, form.edge()),
        without_edge(down, grid.plane.height, form.edge()), form.step(), [&](int x, int y) {
          return form.in_cells ? filtered(kHighPassOfCells, now, x, y) : filtered(kHighPass, now, x, y);
        });
    out[k].temporal = sum_over(across, down, form.step(), [&](int x, int y) {
      const int64_t change = of(now, x, y) - of(last, x, y);
      return form.is_second_order ? change - of(last, x, y) + of(older, x, y) : change;
    });
  }
}

}  // namespace vq::xpsnr
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::xpsnr::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::ScalableTag<uint32_t>;
using U16 = hn::Repartition<uint16_t, U32>;

// Rows of samples as words, and sums of columns.

// A vector of words or of numbers of 32 bits, from words.
HWY_INLINE hn::VFromD<U16> load(U16 d, const uint16_t* from) { return hn::LoadU(d, from); }
HWY_INLINE hn::VFromD<U32> load(U32 d, const uint16_t* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint16_t, U32>(), from));
}

template <class V>
HWY_INLINE V absolute_difference(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

HWY_INLINE hn::VFromD<U32> lower_half(hn::VFromD<U16> v) {
  return hn::PromoteTo(U32(), hn::LowerHalf(hn::Half<U16>(), v));
}
HWY_INLINE hn::VFromD<U32> upper_half(hn::VFromD<U16> v) {
  return hn::PromoteTo(U32(), hn::UpperHalf(hn::Half<U16>(), v));
}

// Adds a vector to sums of columns.
HWY_INLINE void add(hn::VFromD<U32> v, uint32_t* sums) {
  const U32 d;
  hn::StoreU(hn::Add(hn::LoadU(d, sums), v), d, sums);
}
HWY_INLINE void add(hn::VFromD<U16> v, uint32_t* sums) {
  add(lower_half(v), sums);
  add(upper_half(v), sums + hn::Lanes(U32()));
}

// The first and the second word of each lane.
HWY_INLINE hn::VFromD<U32> evens(hn::VFromD<U32> pairs) { return hn::And(pairs, hn::Set(U32(), 0xFFFF)); }
HWY_INLINE hn::VFromD<U32> odds(hn::VFromD<U32> pairs) { return hn::ShiftRight<16>(pairs); }

HWY_INLINE uint32_t largest_of(hn::VFromD<U16> v) {
  const U32 d;
  const auto pairs = hn::BitCast(d, v);
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(evens(pairs), odds(pairs))));
}

HWY_INLINE hn::VFromD<U16> words(const uint8_t* from) {
  return hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), from));
}
HWY_INLINE hn::VFromD<U16> words(const uint16_t* from) { return hn::LoadU(U16(), from); }

// Stores a row as words, shifted left, and repeats the last. Returns the largest.
template <typename T>
uint32_t to_words(const T* from, int width, int shift, uint16_t* out) {
  const U16 d;
  const int step = static_cast<int>(hn::Lanes(d));
  uint32_t largest = 0;
  if (width < step) {
    for (int x = 0; x < width; ++x) {
      out[x] = static_cast<uint16_t>(from[x] << shift);
      largest = std::max<uint32_t>(largest, out[x]);
    }
  } else {
    auto most = hn::Zero(d);
    const auto store = [&](int x) HWY_ATTR {
      const auto v = hn::ShiftLeftSame(words(from + x), shift);
      most = hn::Max(most, v);
      hn::StoreU(v, d, out + x);
    };
    for (int x = 0; x + step <= width; x += step) store(x);
    store(width - step);
    largest = largest_of(most);
  }
  out[width] = out[width - 1];
  return largest;
}

// The same of one row of a plane.
HWY_INLINE uint32_t to_words(const Samples& samples, int y, uint16_t* out) {
  const SampleView& view = samples.view;
  return view.is_u8() ? to_words(view.u8.row(y), view.u8.width, samples.shift, out)
                      : to_words(view.u16.row(y), view.u16.width, samples.shift, out);
}

HWY_INLINE uint64_t sum_of(const uint32_t* sums, Span span) {
  uint64_t total = 0;
  for (int x = span.start; x < span.end; ++x) total += sums[x];
  return total;
}

// Adds squared differences of words up to `largest` to sums of columns.
void add_squares(const uint16_t* a, const uint16_t* b, int width, uint32_t largest, uint32_t* sums) {
  const U16 d;
  const int step = static_cast<int>(hn::Lanes(d));
  if (largest <= 255) {
    for (int x = 0; x < width; x += step) {
      const auto difference = absolute_difference(load(d, a + x), load(d, b + x));
      add(hn::Mul(difference, difference), sums + x);
    }
    return;
  }
  for (int x = 0; x < width; x += step) {
    const auto difference = absolute_difference(load(d, a + x), load(d, b + x));
    const auto lower = lower_half(difference), upper = upper_half(difference);
    add(hn::Mul(lower, lower), sums + x);
    add(hn::Mul(upper, upper), sums + x + hn::Lanes(U32()));
  }
}

void block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows& rows,
                  std::span<uint64_t> out) {
  HWY_DASSERT(out.size() == grid.count());
  const int width = grid.plane.width;
  uint16_t *const a = rows.now.row(0), *const b = rows.now.row(1);
  uint32_t* const sums = rows.columns.row(0);
  std::fill(out.begin(), out.end(), 0);
  for (int block_row = 0; block_row < grid.rows; ++block_row) {
    const Span down = grid.row(block_row);
    uint64_t* const of_row = out.data() + static_cast<ptrdiff_t>(block_row) * grid.columns;
    uint64_t highest = 0;  // that a sum of a column may have reached
    const auto flush = [&] {
      for (int i = 0; i < grid.columns; ++i) of_row[i] += sum_of(sums, grid.column(i));
      std::fill(sums, sums + width, 0);
      highest = 0;
    };
    std::fill(sums, sums + width, 0);
    for (int y = down.start; y < down.end; ++y) {
      const uint64_t largest = std::max(to_words(planes[0], y, a), to_words(planes[1], y, b));
      if (highest + largest * largest > UINT32_MAX) flush();
      highest += largest * largest;
      add_squares(a, b, width, static_cast<uint32_t>(largest), sums);
    }
    flush();
  }
}

// Adds |f| of a row to sums of columns. In lanes of 16 bits for words below 2^12: 12 of them fit.
template <class D>
void add_spatial(D d, const std::array<const uint16_t*, 3>& rows, int width, uint32_t* sums) {
  const auto& [above, here, below] = rows;
  const int step = static_cast<int>(hn::Lanes(d));
  const auto pair = [&](const uint16_t* row, int x)
                        HWY_ATTR { return hn::Add(load(d, row + x - 1), load(d, row + x + 1)); };
  for (int x = 0; x < width; x += step) {
    const auto centre = load(d, here + x);
    const auto sides = hn::Add(pair(here, x), hn::Add(load(d, above + x), load(d, below + x)));
    const auto diagonals = hn::Add(pair(above, x), pair(below, x));
    const auto times_12 = hn::Add(hn::ShiftLeft<3>(centre), hn::ShiftLeft<2>(centre));
    add(absolute_difference(times_12, hn::Add(hn::Add(sides, sides), diagonals)), sums + x);
  }
}

// Adds |t| of a row. In lanes of 16 bits for words below 2^15.
template <class D>
void add_temporal(D d, const std::array<const uint16_t*, 3>& rows, bool is_second_order, int width,
                  uint32_t* sums) {
  const auto& [now, last, older] = rows;
  const int step = static_cast<int>(hn::Lanes(d));
  if (!is_second_order) {
    for (int x = 0; x < width; x += step)
      add(absolute_difference(load(d, now + x), load(d, last + x)), sums + x);
    return;
  }
  for (int x = 0; x < width; x += step) {
    const auto both = hn::Add(load(d, now + x), load(d, older + x)), middle = load(d, last + x);
    add(absolute_difference(both, hn::Add(middle, middle)), sums + x);
  }
}

// Pairs of neighbouring words, the first of an even column: one pair a lane.
HWY_INLINE hn::VFromD<U32> load_pairs(const uint16_t* from) {
  return hn::BitCast(U32(), hn::LoadU(U16(), from));
}
HWY_INLINE hn::VFromD<U32> times_3(hn::VFromD<U32> v) { return hn::Add(hn::Add(v, v), v); }

// The sums of the first words, and of the second, of pairs in two rows: of words below 2^15 a pair is added
// at once.
template <bool are_small>
HWY_INLINE hn::VFromD<U32> sum_evens(const uint16_t* a, const uint16_t* b) {
  const U16 d;
  if constexpr (are_small) return evens(hn::BitCast(U32(), hn::Add(hn::LoadU(d, a), hn::LoadU(d, b))));
  return hn::Add(evens(load_pairs(a)), evens(load_pairs(b)));
}
template <bool are_small>
HWY_INLINE hn::VFromD<U32> sum_odds(const uint16_t* a, const uint16_t* b) {
  const U16 d;
  if constexpr (are_small) return odds(hn::BitCast(U32(), hn::Add(hn::LoadU(d, a), hn::LoadU(d, b))));
  return hn::Add(odds(load_pairs(a)), odds(load_pairs(b)));
}

// Adds |f| of a row of cells to sums of columns of cells. The rows are those from y-2 to y+3: outer, middle
// and inner ones, each twice.
template <bool are_small>
void add_spatial_cells(const std::array<const uint16_t*, 6>& rows, int width, uint32_t* sums) {
  const int step = 2 * static_cast<int>(hn::Lanes(U32()));
  const auto even = [&](size_t i, int x)
                        HWY_ATTR { return sum_evens<are_small>(rows[i] + x, rows[5 - i] + x); };
  const auto odd = [&](size_t i, int x)
                       HWY_ATTR { return sum_odds<are_small>(rows[i] + x, rows[5 - i] + x); };
  const auto cell = [&](size_t i, int x) HWY_ATTR { return hn::Add(even(i, x), odd(i, x)); };
  constexpr size_t kOuter = 0, kMiddle = 1, kInner = 2;
  for (int x = 0; x < width; x += step) {
    const int left = x - 2, right = x + 2;
    const auto ends = hn::Add(hn::Add(even(kMiddle, left), odd(kMiddle, right)),
                              hn::Add(even(kInner, left), odd(kInner, right)));
    const auto once =
        hn::Add(hn::Add(cell(kOuter, x), ends), hn::Add(odd(kOuter, left), even(kOuter, right)));
    const auto twice = hn::Add(odd(kMiddle, left), even(kMiddle, right));
    const auto thrice = hn::Add(cell(kMiddle, x), hn::Add(odd(kInner, left), even(kInner, right)));
    const auto around = hn::Add(once, hn::Add(hn::Add(twice, twice), times_3(thrice)));
    const auto centre = hn::ShiftLeft<2>(times_3(cell(kInner, x)));
    add(absolute_difference(centre, around), sums + x / 2);
  }
}

// The rows of a picture's cells.
using CellRows = std::array<const uint16_t*, 2>;

void add_temporal_cells(const std::array<CellRows, 3>& rows, bool is_second_order, int width,
                        uint32_t* sums) {
  const int step = 2 * static_cast<int>(hn::Lanes(U32()));
  const auto cells = [](const CellRows& of, int x) HWY_ATTR {
    return hn::Add(sum_evens<false>(of[0] + x, of[1] + x), sum_odds<false>(of[0] + x, of[1] + x));
  };
  for (int x = 0; x < width; x += step) {
    const auto now = cells(rows[0], x), last = cells(rows[1], x);
    const auto change = is_second_order
                            ? absolute_difference(hn::Add(now, cells(rows[2], x)), hn::Add(last, last))
                            : absolute_difference(now, last);
    add(change, sums + x / 2);
  }
}

constexpr uint32_t kTwelveFit = 1U << 12, kTwoFit = 1U << 15;

// Goes down the rows of the pictures and adds to the sums of columns.
class Walk {
 public:
  Walk(const ActivityForm& form, const History& pictures, Rows& rows)
      : form_(form), pictures_(pictures), rows_(rows), height_(form.grid.plane.height) {
    std::fill(zeros(), zeros() + form.grid.plane.width + 1, uint16_t{0});
  }

  void clear() {
    for (int i = 0; i < 2; ++i)
      std::fill(rows_.columns.row(i), rows_.columns.row(i) + form_.grid.plane.width, 0U);
  }

  void add_spatial_at(int y) {
    const int width = form_.grid.plane.width;
    uint32_t* const sums = rows_.columns.row(0);
    if (form_.in_cells) {
      std::array<const uint16_t*, 6> rows;
      uint32_t largest = 0;
      for (int i = 0; i < 6; ++i) rows[static_cast<size_t>(i)] = row(y - 2 + i, largest);
      largest < kTwoFit ? add_spatial_cells<true>(rows, width, sums)
                        : add_spatial_cells<false>(rows, width, sums);
      return;
    }
    std::array<const uint16_t*, 3> rows;
    uint32_t largest = 0;
    for (int i = 0; i < 3; ++i) rows[static_cast<size_t>(i)] = row(y - 1 + i, largest);
    largest < kTwelveFit ? add_spatial(U16(), rows, width, sums) : add_spatial(U32(), rows, width, sums);
  }

  void add_temporal_at(int y) {
    const int width = form_.grid.plane.width;
    uint32_t* const sums = rows_.columns.row(1);
    uint32_t largest = 0;
    if (form_.in_cells) {
      std::array<CellRows, 3> rows = {};
      for (int i = 0; i < 2; ++i) {
        const auto k = static_cast<size_t>(i);
        rows[0][k] = row(y + i, largest);
        rows[1][k] = before(0, y + i, largest);
        if (form_.is_second_order) rows[2][k] = before(1, y + i, largest);
      }
      add_temporal_cells(rows, form_.is_second_order, width, sums);
      return;
    }
    std::array<const uint16_t*, 3> rows = {row(y, largest), before(0, y, largest), nullptr};
    if (form_.is_second_order) rows[2] = before(1, y, largest);
    if (largest < kTwoFit || !form_.is_second_order) {
      add_temporal(U16(), rows, form_.is_second_order, width, sums);
    } else {
      add_temporal(U32(), rows, form_.is_second_order, width, sums);
    }
  }

 private:
  uint16_t* zeros() { return rows_.before.row(4); }

  // A row of the reference, the border repeated. Those before the last that was asked for are at hand, as far
  // as the ring goes.
  const uint16_t* row(int y, uint32_t& largest) {
    const int wanted = std::clamp(y, 0, height_ - 1);
    for (; next_ <= wanted; ++next_) {
      const int place = next_ % Rows::kRing;
      largest_[static_cast<size_t>(place)] = to_words(pictures_.now, next_, rows_.now.row(place));
    }
    const int place = wanted % Rows::kRing;
    largest = std::max(largest, largest_[static_cast<size_t>(place)]);
    return rows_.now.row(place);
  }

  // A row of a frame before.
  const uint16_t* before(size_t which, int y, uint32_t& largest) {
    const SampleView& view = pictures_.before[which];
    if (view.empty()) return zeros();
    uint16_t* const out = rows_.before.row(2 * static_cast<int>(which) + y % 2);
    largest = std::max(largest, to_words({view, pictures_.now.shift}, std::min(y, height_ - 1), out));
    return out;
  }

  const ActivityForm& form_;
  const History& pictures_;
  Rows& rows_;
  const int height_;
  int next_ = 0;  // row of the reference
  std::array<uint32_t, Rows::kRing> largest_ = {};
};

void block_activities(const ActivityForm& form, const History& pictures, Rows& rows,
                      std::span<Activity> out) {
  const Grid& grid = form.grid;
  HWY_DASSERT(out.size() == grid.count());
  const auto sum = [&](const uint32_t* sums, Span span) {
    if (!form.in_cells) return sum_of(sums, span);
    return sum_of(sums, {span.start / 2, (span.end + 1) / 2});
  };
  Walk walk(form, pictures, rows);
  for (int block_row = 0; block_row < grid.rows; ++block_row) {
    const Span down = grid.row(block_row), inner = without_edge(down, grid.plane.height, form.edge());
    walk.clear();
    for (int y = down.start; y < down.end; y += form.step()) {
      if (inner.start <= y && y < inner.end) walk.add_spatial_at(y);
      walk.add_temporal_at(y);
    }
    for (int i = 0; i < grid.columns; ++i) {
      const Span across = grid.column(i);
      out[static_cast<size_t>(block_row * grid.columns + i)] = {
          .spatial = sum(rows.columns.row(0), without_edge(across, grid.plane.width, form.edge())),
          .temporal = sum(rows.columns.row(1), across)};
    }
  }
}

}  // namespace vq::xpsnr::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::xpsnr, block_errors, block_activities)
#endif  // HWY_ONCE
