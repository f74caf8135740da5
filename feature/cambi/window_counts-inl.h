// The rows of levels that a strip's windows hold, and how many masked samples of each level the window around
// each column holds, kept up while the windows slide down by one row. Included once for each SIMD target.
#if defined(VQ_CAMBI_WINDOW_COUNTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_WINDOW_COUNTS_INL_H
#undef VQ_CAMBI_WINDOW_COUNTS_INL_H
#else
#define VQ_CAMBI_WINDOW_COUNTS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U16 = hn::ScalableTag<uint16_t>;

// of samples that are not masked, or whose level no contrast uses
inline constexpr uint16_t kNoLevel = 0xFFFF;

// Levels that some contrast uses, its own or its neighbours'.
struct LevelRange {
  int first = 0, last = -1;
};

// One row, from the first column the strip's windows reach. Bit x % 64 of word x / 64 is column x.
struct LevelRow {
  const uint16_t* levels = nullptr;
  const uint64_t* starts = nullptr;   // whether a run of equal levels, or of none, starts there
  const uint64_t* counted = nullptr;  // whether the column has a level
};

// Part of a row that enters or leaves: columns from..to - 1, all of one level.
struct Piece {
  uint16_t from, to;
};
struct Pieces {
  int count = 0;
  Piece list[kMaxReach + 1];
};

// The rows y - half window - 1 to y + half window of a strip.
class LevelRows {
 public:
  LevelRows(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, Strip strip)
      : begin(std::max(strip.x - plan.half_window, 0)),
        reached(std::min(strip.x + strip.width + plan.half_window, image.width) - begin),
        image_(image),
        mask_(mask),
        levels_(levels_in_use(plan)),
        rows_(plan.window + 1),
        words_((reached + 63) / 64),
        level_rows_(scratch.level_rows.view()),
        level_bits_(scratch.level_bits.view()),
        differs_(scratch.level_bits.row(kLevelRows)) {
    std::fill_n(level_rows_.row(blank_row()), reached, kNoLevel);
    std::fill_n(level_bits_.row(blank_row()), level_bits_.width, uint64_t{0});
  }

  // Row y of the picture, or a row without levels if y is outside.
  LevelRow row(int y) const {
    const int i = y < 0 || y >= image_.height ? blank_row() : y % rows_;
    return {level_rows_.row(i), level_bits_.row(i), level_bits_.row(i) + words_};
  }
  int words() const { return words_; }

  // Computes row `in`, and the changes of the windows when it enters and row `out` leaves.
  HWY_NOINLINE void slide(int in, int out, Pieces& enters, Pieces& leaves) const {
    if (in < image_.height) {
      mark(in);
      find_runs(in);
    }
    enters.count = leaves.count = 0;
    const LevelRow a = row(in), b = row(out);
    compare(a, b);
    split(a, b, enters, leaves);
  }

  const int begin, reached;  // the columns in reach of the strip's windows

 private:
  static constexpr int kRowsAhead = 2;

  static LevelRange levels_in_use(const CambiPlan& plan) {
    LevelRange range{kMaxLevel + 1, -1};
    for (int d = 1; d <= plan.num_contrasts; ++d) {
      const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
      if (contrast.first_level > contrast.last_level) continue;
      range.first = std::min(range.first, std::max(contrast.first_level - d, 0));
      range.last = std::max(range.last, std::min(contrast.last_level + d, kMaxLevel));
    }
    return range;
  }

  static int step() { return static_cast<int>(hn::Lanes(U16())); }
  int blank_row() const { return rows_; }
  // Clears the bits behind the last column.
  void trim(uint64_t* bits) const { bits[words_ - 1] &= ~uint64_t{0} >> (words_ * 64 - reached); }

  void mark(int y) const {
    const U16 u;
    const hn::Rebind<uint8_t, U16> b;
    const uint16_t* samples = image_.row(y) + begin;
    const uint8_t* mask = mask_.row(y) + begin;
    uint16_t* levels = level_rows_.row(y % rows_);
    // A strip's rows lie on different pages, at whose ends the hardware prefetcher stops.
    const int ahead = std::min(y + kRowsAhead, image_.height - 1);
    const uint16_t* samples_ahead = image_.row(ahead) + begin;
    const uint8_t* mask_ahead = mask_.row(ahead) + begin;
    const auto none = hn::Set(u, kNoLevel);
    const auto lowest = hn::Set(u, static_cast<uint16_t>(levels_.first));
    const auto span = hn::Set(u, static_cast<uint16_t>(std::max(levels_.last - levels_.first, 0)));
    for (int x = 0; x < reached; x += step()) {
      if (x % (kCacheLineBytes / 2) == 0) hwy::Prefetch(samples_ahead + x);
      if (x % kCacheLineBytes == 0) hwy::Prefetch(mask_ahead + x);
      const auto sample = hn::LoadU(u, samples + x);
      const auto above = hn::Sub(sample, lowest);
      const auto in_range = hn::Eq(hn::Min(above, span), above);
      const auto masked = hn::Ne(hn::PromoteTo(u, hn::LoadU(b, mask + x)), hn::Zero(u));
      hn::Store(hn::IfThenElse(hn::And(in_range, masked), sample, none), u, levels + x);
    }
  }

  void find_runs(int y) const {
    const U16 u;
    const auto none = hn::Set(u, kNoLevel);
    const uint16_t* levels = level_rows_.row(y % rows_);
    uint64_t* starts = level_bits_.row(y % rows_);
    uint64_t* counted = starts + words_;
    uint8_t* bytes = reinterpret_cast<uint8_t*>(starts);
    for (int x = 0; x < reached; x += step()) {
      bytes += hn::StoreMaskBits(u, hn::Ne(hn::Load(u, levels + x), hn::LoadU(u, levels + x - 1)), bytes);
    }
    starts[0] |= 1;
    trim(starts);
    for (int i = 0; i < words_; ++i) {
      const uint16_t* here = levels + 64 * i;
      if (one_level(starts[i])) {
        counted[i] = *here != kNoLevel ? ~uint64_t{0} : 0;
      } else {
        store_bits(counted + i, [&](int x) HWY_ATTR { return hn::Ne(hn::Load(u, here + x), none); });
      }
    }
    trim(counted);
  }

  void compare(const LevelRow& a, const LevelRow& b) const {
    const U16 u;
    for (int i = 0; i < words_; ++i) {
      const uint16_t *one = a.levels + 64 * i, *other = b.levels + 64 * i;
      if (one_level(a.starts[i] | b.starts[i])) {
        differs_[i] = *one != *other ? ~uint64_t{0} : 0;
      } else {
        store_bits(differs_ + i,
                   [&](int x) HWY_ATTR { return hn::Ne(hn::Load(u, one + x), hn::Load(u, other + x)); });
      }
    }
  }

  // Whether a word's columns are all of one level, or all of none, given where runs start in it.
  static HWY_INLINE bool one_level(uint64_t starts) { return starts >> 1 == 0; }

  // The bits of `mask_at` for a word's columns.
  template <typename MaskAt>
  static HWY_INLINE void store_bits(uint64_t* word, const MaskAt& mask_at) {
    uint8_t* bytes = reinterpret_cast<uint8_t*>(word);
    for (int x = 0; x < 64; x += step()) bytes += hn::StoreMaskBits(U16(), mask_at(x), bytes);
  }

  // The pieces of one row that begin and end in a word of columns, if `changed` columns are to be added or
  // taken away.
  struct Edges {
    uint64_t first = 0, behind = 0;  // of pieces
    uint64_t open = 0;               // 1 if a piece continues in the next word

    HWY_INLINE Edges(uint64_t changed, uint64_t starts, uint64_t was_open) {
      const uint64_t before = changed << 1 | was_open;
      first = changed & (starts | ~before);
      behind = before & (starts | ~changed);
      open = changed >> 63;
    }
    HWY_INLINE size_t pieces() const { return hwy::PopCount(first); }
  };

  // Collects pieces from the edges of successive words.
  class Collector {
   public:
    explicit Collector(Pieces& pieces) : pieces_(pieces) {}
    HWY_INLINE void add(const Edges& edges, int column) {
      for (uint64_t bits = edges.first; bits != 0; bits &= bits - 1) {
        pieces_.list[firsts_++].from = at(column, bits);
      }
      for (uint64_t bits = edges.behind; bits != 0; bits &= bits - 1) {
        pieces_.list[ends_++].to = at(column, bits);
      }
      open = edges.open;
    }
    void finish(int width) {
      if (open != 0) pieces_.list[ends_++].to = static_cast<uint16_t>(width);
      pieces_.count = ends_;
    }
    uint64_t open = 0;

   private:
    static HWY_INLINE uint16_t at(int column, uint64_t bits) {
      return static_cast<uint16_t>(column + static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits)));
    }
    Pieces& pieces_;
    int firsts_ = 0, ends_ = 0;
  };

  // Samples that are equal in both rows need no change. But if leaving them out would produce more pieces
  // than there are runs, as between rows of noise, both rows are processed in full.
  void split(const LevelRow& in, const LevelRow& out, Pieces& enters, Pieces& leaves) const {
    Collector entering(enters), leaving(leaves);
    for (int i = 0; i < words_; ++i) {
      const uint64_t in_counted = in.counted[i], out_counted = out.counted[i], differs = differs_[i];
      if (((in_counted | out_counted) & differs) == 0 && (entering.open | leaving.open) == 0) continue;
      const Edges in_differing(in_counted & differs, in.starts[i], entering.open);
      const Edges out_differing(out_counted & differs, out.starts[i], leaving.open);
      const Edges in_all(in_counted, in.starts[i], entering.open);
      const Edges out_all(out_counted, out.starts[i], leaving.open);
      const bool all = in_all.pieces() + out_all.pieces() < in_differing.pieces() + out_differing.pieces();
      entering.add(all ? in_all : in_differing, 64 * i);
      leaving.add(all ? out_all : out_differing, 64 * i);
    }
    entering.finish(reached);
    leaving.finish(reached);
  }

  const ImageIn image_;
  const MaskIn mask_;
  const LevelRange levels_;
  const int rows_, words_;
  const PlaneView<uint16_t> level_rows_;
  const PlaneView<uint64_t> level_bits_;
  uint64_t* const differs_;
};

// One strip's window counts. A run that enters or leaves the window changes the counts of its level by a
// trapezoid: rising over one window's width, level at min(run, window), falling.
class WindowCounts {
 public:
  // `left`: number of columns before the strip that its windows cover, if the picture has them.
  WindowCounts(const CambiPlan& plan, Scratch& scratch, Strip strip, int left)
      : edge_(scratch.edge.row(0) + kEdgeOrigin),
        table_(scratch.window_counts.get()),
        stride_(window_counts_stride(strip.width)),
        samples_(scratch.level_counts.data()),
        level_contrasts_(scratch.level_contrasts.data()),
        contrasts_(scratch.contrasts_in_use.data()),
        num_contrasts_(plan.num_contrasts),
        reach_(plan.half_window),
        width_(strip.width),
        left_(left) {
    uint16_t* edge = scratch.edge.row(0);
    for (int x = 0; x < scratch.edge.width(); ++x) {
      edge[x] = static_cast<uint16_t>(std::clamp(x - kEdgeOrigin + 1, 0, plan.window));
    }
    std::fill(scratch.level_counts.begin(), scratch.level_counts.end(), kStale);
    std::fill(scratch.contrasts_in_use.begin(), scratch.contrasts_in_use.end(), 0U);
  }

  // Counts of a level in -num_contrasts..kMaxLevel + num_contrasts, for the strip's columns; valid for every
  // level that occurred so far and for those a contrast away.
  const uint16_t* row(int level) const { return table_ + stride_ * (level + num_contrasts_); }
  // How many columns of counts lie between neighbouring levels.
  ptrdiff_t stride() const { return stride_; }
  // [level] bit d - 1: contrast d counts, and a level d away occurs in the window's rows.
  const uint32_t* contrasts() const { return contrasts_; }

  void enter(const LevelRow& row, const Pieces& pieces) const { change<true>(row.levels, pieces); }
  void leave(const LevelRow& row, const Pieces& pieces) const { change<false>(row.levels, pieces); }

 private:
  static constexpr int32_t kStale = -1;  // in samples_: the level's row holds what was left there

  template <bool kEnters>
  void change(const uint16_t* levels, const Pieces& pieces) const {
    // Vector stores may change anything the compiler does not hold in registers, members included; not a
    // copy.
    const WindowCounts copy = *this;
    for (int i = 0; i < pieces.count; ++i) {
      const int from = pieces.list[i].from, length = pieces.list[i].to - from;
      const int level = levels[from];
      int32_t& samples = copy.samples_[level + copy.num_contrasts_];
      if (kEnters && samples <= 0) copy.appear(level);
      samples += kEnters ? length : -length;
      if (!kEnters && samples == 0) copy.disappear(level);
      copy.add_trapezoid<kEnters>(copy.table_ + copy.stride_ * (level + copy.num_contrasts_),
                                  from - copy.left_, length);
    }
  }

  // Makes the level's row of counts, and the rows it will be compared with, valid.
  HWY_NOINLINE void appear(int level) const {
    for (int i = level; i <= level + 2 * num_contrasts_; ++i) {
      if (samples_[i] != kStale) continue;
      std::fill_n(table_ + stride_ * i, stride_, uint16_t{0});
      samples_[i] = 0;
    }
    for (int d = 1; d <= num_contrasts_; ++d) {
      const uint32_t bit = 1U << (d - 1);
      if (level >= d) contrasts_[level - d] |= level_contrasts_[level - d] & bit;
      if (level + d <= kMaxLevel) contrasts_[level + d] |= level_contrasts_[level + d] & bit;
    }
  }

  HWY_NOINLINE void disappear(int level) const {
    const auto occurs = [&](int other) {
      return other >= 0 && other <= kMaxLevel && samples_[other + num_contrasts_] > 0;
    };
    for (int d = 1; d <= num_contrasts_; ++d) {
      const uint32_t bit = 1U << (d - 1);
      if (level >= d && !occurs(level - 2 * d)) contrasts_[level - d] &= ~bit;
      if (level + d <= kMaxLevel && !occurs(level + 2 * d)) contrasts_[level + d] &= ~bit;
    }
  }

  // A run of `length` samples from column `start` of the strip, which may be outside it. Its trapezoid is the
  // difference of the rising edges of two half-lines, one from the run's first sample and one after its last.
  // Two vectors per iteration: if the second is past the end, it adds zeros.
  template <bool kEnters>
  HWY_INLINE void add_trapezoid(uint16_t* counts, int start, int length) const {
    const int first = start - reach_;
    const int end = std::min(start + length + reach_, width_);
    const uint16_t* const rising = edge_ - first;
    const uint16_t* const falling = rising - length;
    for (int x = std::max(first, 0) & -step(); x < end; x += 2 * step()) {
      add<kEnters>(rising + x, falling + x, counts + x);
      add<kEnters>(rising + x + step(), falling + x + step(), counts + x + step());
    }
  }

  template <bool kEnters>
  static HWY_INLINE void add(const uint16_t* rising, const uint16_t* falling, uint16_t* counts) {
    const U16 u;
    const auto amount = hn::Sub(hn::LoadU(u, rising), hn::LoadU(u, falling));
    const auto old = hn::Load(u, counts);
    hn::Store(kEnters ? hn::Add(old, amount) : hn::Sub(old, amount), u, counts);
  }

  static HWY_INLINE int step() { return static_cast<int>(hn::Lanes(U16())); }

  const uint16_t* const edge_;  // [x]: samples of a half-line from 0 on in the window that ends at x
  uint16_t* const table_;
  const ptrdiff_t stride_;
  int32_t* const samples_;  // [level + num_contrasts_] masked samples of it in the window's rows, or kStale
  const uint32_t* const level_contrasts_;
  uint32_t* const contrasts_;
  const int num_contrasts_, reach_, width_, left_;
};

}  // namespace vq::cambi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
