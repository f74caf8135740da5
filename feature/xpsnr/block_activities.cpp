#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/xpsnr/block_activities.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "feature/simd_targets.h"
#include "feature/xpsnr/rows-inl.h"
#include "feature/xpsnr/stages.h"

#if HWY_ONCE
namespace vq::xpsnr {
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

HWY_BEFORE_NAMESPACE();
namespace vq::xpsnr {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::block_activities;
#else

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
HWY_INLINE hn::VFromD<U32> times_3(hn::VFromD<U32> v) {
  return hn::Add(hn::Add(v, v), v);
}

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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::xpsnr
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::xpsnr {
HWY_EXPORT(block_activities);

BlockActivities simd::block_activities_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(block_activities), target);
}

}  // namespace vq::xpsnr
#endif  // HWY_ONCE
