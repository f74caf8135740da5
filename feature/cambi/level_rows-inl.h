// The rows of levels that a strip's windows hold, and what changes when the windows slide down by one row.
// Included once for each SIMD target.
#if defined(VQ_CAMBI_LEVEL_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_LEVEL_ROWS_INL_H
#undef VQ_CAMBI_LEVEL_ROWS_INL_H
#else
#define VQ_CAMBI_LEVEL_ROWS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "core/platform.h"
#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
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

  // The pieces of one row that begin and end in a word of columns, where `changed` columns are to be added or
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

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
