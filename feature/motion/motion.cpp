#define HWY_TARGET_INCLUDE "feature/motion/motion.cpp"
#include <hwy/foreach_target.h>

#include <cstdlib>

#include "feature/motion/motion.h"
#include "feature/words/sums-inl.h"

#if HWY_ONCE
namespace vq::motion {

// The weighted sum around a place, of what `at` returns for the distances -2..2 from there.
template <typename At>
static int64_t blurred(const At& at) {
  int64_t sum = 0;
  for (int k = -kBlur.radius; k <= kBlur.radius; ++k) sum += int64_t{kBlur.tap(k)} * at(k);
  return sum;
}

static int64_t rounded_shift(int64_t sum, int shift) { return (sum + (int64_t{1} << (shift - 1))) >> shift; }

template <typename T>
static uint64_t scalar_difference(PlaneView<const T> before, PlaneView<const T> now, int bit_depth,
                                  int32_t* row) {
  uint64_t total = 0;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const int64_t sum = blurred([&](int k) {
        const int place = reflected(y + k, now.height);
        return int32_t{before.row(place)[x]} - int32_t{now.row(place)[x]};
      });
      row[x] = static_cast<int32_t>(rounded_shift(sum, bit_depth));
    }
    reflect_ends(row, now.width, kBlur.radius);
    for (int x = 0; x < now.width; ++x) {
      total += static_cast<uint64_t>(std::abs(rounded_shift(blurred([&](int k) { return row[x + k]; }), 16)));
    }
  }
  return total;
}

uint64_t scalar::blurred_difference(const Pictures& pictures, Rows& rows) {
  const auto& [before, now, bit_depth] = pictures;
  return now.is_u8() ? scalar_difference(before.u8, now.u8, bit_depth, rows.sums.row(0))
                     : scalar_difference(before.u16, now.u16, bit_depth, rows.sums.row(0));
}

}  // namespace vq::motion
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::motion::HWY_NAMESPACE {
using namespace vq::HWY_NAMESPACE;

// a - b shifted right by 16 with rounding.
HWY_INLINE hn::VFromD<S32> upper_difference(hn::VFromD<U32> a, hn::VFromD<U32> b) {
  const auto low_word = hn::Set(U32(), 0xFFFF), half = hn::Set(U32(), 0x8000);
  const auto low = hn::Sub(hn::Add(hn::And(a, low_word), half), hn::And(b, low_word));
  const auto high = hn::Sub(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(hn::BitCast(S32(), high), hn::ShiftRight<16>(hn::BitCast(S32(), low)));
}

// A vertical sum of 18 bits is a signed word and 65536 times a carry.
struct BandRows {
  Plane<uint16_t>& words;
  uint16_t* word(int i) const { return words.row(2 * i); }
  uint16_t* carry(int i) const { return words.row(2 * i + 1); }
};

// Stores sums of row i of a band, and adds to `carries` the bits of the carries.
HWY_INLINE void store_sums(hn::VFromD<S32> lower, hn::VFromD<S32> upper, const BandRows& rows, int i, int x,
                           hn::VFromD<U16>& carries) {
  hn::VFromD<U16> low, high;
  split(hn::BitCast(U32(), lower), hn::BitCast(U32(), upper), low, high);
  const auto carry = hn::Add(high, hn::ShiftRight<15>(low));
  hn::StoreU(low, U16(), rows.word(i) + x);
  hn::StoreU(carry, U16(), rows.carry(i) + x);
  carries = hn::Or(carries, carry);
}

// The vertical sums around x, rounded, of pictures of up to 15 bits: differences fit words.
template <typename T>
HWY_INLINE void sum_differences(const Columns<T>& before, const Columns<T>& now, int x, int bit_depth,
                                const BandRows& rows, hn::VFromD<U16>& carries) {
  const auto difference = [&](int k) HWY_ATTR {
    const auto i = static_cast<size_t>(k);
    return hn::Sub(load(before[i] + x), load(now[i] + x));
  };
  sum_band<kBlur, 1>(uint32_t{1} << (bit_depth - 1), difference,
                     [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
                       store_sums(hn::ShiftRightSame(hn::BitCast(S32(), lower), bit_depth),
                                  hn::ShiftRightSame(hn::BitCast(S32(), upper), bit_depth), rows, i, x,
                                  carries);
                     });
}

// The same, of pictures of 16 bits: their differences have 17, those of their sums 33.
HWY_INLINE void difference_of_sums(const Columns<uint16_t>& before, const Columns<uint16_t>& now, int x,
                                   const BandRows& rows, hn::VFromD<U16>& carries) {
  const U32 d;
  const size_t lanes = hn::Lanes(d);
  alignas(kRowGuardBytes) uint32_t sums[2 * kBandRows * kRowGuardBytes / sizeof(uint32_t)];
  const auto words_of = [x](const Columns<uint16_t>& columns) {
    return [&columns, x](int k) HWY_ATTR { return biased(load(columns[static_cast<size_t>(k)] + x)); };
  };
  sum_band<kBlur, 1>(kBias, words_of(before),
                     [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
                       hn::Store(lower, d, sums + 2 * static_cast<size_t>(i) * lanes);
                       hn::Store(upper, d, sums + (2 * static_cast<size_t>(i) + 1) * lanes);
                     });
  sum_band<kBlur, 1>(kBias, words_of(now), [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
    const uint32_t* const sum = sums + 2 * static_cast<size_t>(i) * lanes;
    store_sums(upper_difference(hn::Load(d, sum), lower), upper_difference(hn::Load(d, sum + lanes), upper),
               rows, i, x, carries);
  });
}

// The vertical sums of a band. Says whether there are carries.
template <typename T>
bool sum_rows(const Columns<T>& before, const Columns<T>& now, int width, int bit_depth,
              const BandRows& rows) {
  auto carries = hn::Zero(U16());
  for_vectors(width, [&](int x) HWY_ATTR {
    if constexpr (sizeof(T) == 1) {
      sum_differences(before, now, x, bit_depth, rows, carries);
    } else if (bit_depth < 16) {
      sum_differences(before, now, x, bit_depth, rows, carries);
    } else {
      difference_of_sums(before, now, x, rows, carries);
    }
  });
  for (int i = 0; i < 2 * kBandRows; ++i) reflect_ends(rows.words.row(i), width, kBlur.radius);
  return !hn::AllTrue(U16(), hn::Eq(carries, hn::Zero(U16())));
}

// The magnitudes of the horizontal sums. Neither these nor what a row adds up to passes 31 bits.
template <bool kHasCarries>
uint64_t add_row(const uint16_t* words, const uint16_t* carries, int width) {
  static_assert(int64_t{kMaxSide} * 65536 <= INT32_MAX);
  const S32 d;
  const int step = static_cast<int>(hn::Lanes(U16()));
  auto total_magnitude = hn::Zero(d);
  const auto add_vector = [&](int x, const auto& even_part, const auto& odd_part) HWY_ATTR {
    hn::VFromD<U32> even, odd;
    sum_neighbours<kBlur>(words + x, 0x8000, even, odd);
    auto even_sum = hn::ShiftRight<16>(hn::BitCast(S32(), even)),
         odd_sum = hn::ShiftRight<16>(hn::BitCast(S32(), odd));
    if constexpr (kHasCarries) {
      sum_neighbours<kBlur>(carries + x, 0, even, odd);
      even_sum = hn::Add(even_sum, hn::BitCast(S32(), even));
      odd_sum = hn::Add(odd_sum, hn::BitCast(S32(), odd));
    }
    total_magnitude =
        hn::Add(total_magnitude, hn::Add(even_part(hn::Abs(even_sum)), odd_part(hn::Abs(odd_sum))));
  };
  const auto all = [](hn::VFromD<S32> v) HWY_ATTR { return v; };
  int x = 0;
  for (; x + step <= width; x += step) add_vector(x, all, all);
  if (x < width) {
    const auto count = static_cast<size_t>(width - x);
    add_vector(
        x, [&](hn::VFromD<S32> v) HWY_ATTR { return hn::IfThenElseZero(hn::FirstN(d, (count + 1) / 2), v); },
        [&](hn::VFromD<S32> v) HWY_ATTR { return hn::IfThenElseZero(hn::FirstN(d, count / 2), v); });
  }
  return static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(d, total_magnitude)));
}

template <typename T>
bool are_same(PlaneView<const T> a, PlaneView<const T> b) {
  return (a.data == b.data && a.stride == b.stride) || same_samples(a, b);
}

template <typename T>
uint64_t difference(PlaneView<const T> before, PlaneView<const T> now, int bit_depth, Rows& rows) {
  if (are_same(before, now)) return 0;
  uint64_t total_magnitude = 0;
  const BandRows band = {rows.words};
  for (int y = 0; y < now.height; y += kBandRows) {
    const bool has_carries = sum_rows(columns_at(before, y, kBlur.radius), columns_at(now, y, kBlur.radius),
                                      now.width, bit_depth, band);
    for (int i = 0; i < std::min(kBandRows, now.height - y); ++i) {
      total_magnitude += has_carries ? add_row<true>(band.word(i), band.carry(i), now.width)
                                     : add_row<false>(band.word(i), band.carry(i), now.width);
    }
  }
  return total_magnitude;
}

uint64_t blurred_difference(const Pictures& pictures, Rows& rows) {
  const auto& [before, now, bit_depth] = pictures;
  if (now.width() < static_cast<int>(hn::Lanes(U16()))) return scalar::blurred_difference(pictures, rows);
  return now.is_u8() ? difference(before.u8, now.u8, bit_depth, rows)
                     : difference(before.u16, now.u16, bit_depth, rows);
}

}  // namespace vq::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::motion, blurred_difference)

namespace vq::motion {
namespace {

struct Workspace : Rows {
  explicit Workspace(const MotionPlan& plan) : Rows(plan.video.width) {}
};

class MotionHost final : public WorkspaceHost<MotionPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto& [options, video] = plan_;
    const auto gap = static_cast<size_t>(options.gap());
    if (options.force_zero) return {.values = {0}};
    if (frames.references_before.size() < gap) return {.values = {0}};
    const Pictures pictures = {.before = frames.references_before[gap - 1].luma(),
                               .now = frames.reference.value().luma(),
                               .bit_depth = video.bit_depth};
    const auto rows = workspaces_.take();
    return {.values = {pair_score(options, stages_.blurred_difference(pictures, *rows),
                                  {video.width, video.height})}};
  }
};

// No motion is better than another: it is up to the reference.
constexpr MetricInfo difference_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "motion",
          .explanation =
              "The mean difference between the reference's blurred luma and that of the frame before, in "
              "levels of 8-bit video.",
          .is_detail = true};
}
constexpr MetricInfo late_metric(std::string_view name, std::string_view title,
                                 std::string_view explanation) {
  return {.name = name, .title = title, .subject = "motion", .explanation = explanation, .is_late = true};
}
constexpr MetricInfo kMetrics[] = {
    difference_of("VMAF_integer_feature_motion_sad_score", "frame difference"),
    with_full_name(difference_of("integer_motion", "motion"), "VMAF_integer_feature_motion_score"),
    with_full_name(
        late_metric("integer_motion2", "motion2",
                    "How much the reference changes around the frame: the smaller one of the changes into it "
                    "and out of it, so that flashes and cuts do not count."),
        "VMAF_integer_feature_motion2_score"),
    with_full_name(
        late_metric(
            "integer_motion3", "motion3",
            "How much the reference changes around the frame, limited and smoothed as the options say."),
        "VMAF_integer_feature_motion3_score")};

double processed(const MotionOptions& options, double motion) {
  const double blended =
      motion * options.blend_factor + (1 - options.blend_factor) * std::min(options.blend_offset, motion);
  return std::min(blended, options.max_value);
}

class MotionSequence final : public FrameSequence {
 public:
  explicit MotionSequence(const MotionOptions& options) : options_(options), gap_(options.gap()) {}

  std::vector<FrameValues> next(const FrameResult& result) override {
    scores_.push_back(result.values.front());
    ++taken_;
    if (taken_ <= gap_) return {};
    std::vector<FrameValues> values;
    if (taken_ == gap_ + 1) values = first_frames(processed(options_, scores_.back()));
    // The frame before the one just taken has what it needs: the next score.
    if (taken_ - 1 > gap_) values.push_back(values_before_last());
    while (static_cast<int>(scores_.size()) > gap_ + 1) scores_.pop_front();
    return values;
  }

  std::vector<FrameValues> finish() override {
    if (taken_ == 0) return {};
    if (taken_ <= gap_) return first_frames(0);
    return {complete(scores_.back(), scores_.back())};
  }

  std::vector<std::optional<double>> at_once(const FrameResult& result, int64_t frame) const override {
    const double score = result.values.front();
    const bool is_alone = frame < gap_ || options_.force_zero;
    const auto motion2 = is_alone ? std::optional(0.0) : std::nullopt;
    const auto motion3 = options_.force_zero ? std::optional(0.0) : std::nullopt;
    if (options_.debug) return {score, score, motion2, motion3};
    return {score, motion2, motion3};
  }

 private:
  // Values of frames that are compared with none.
  std::vector<FrameValues> first_frames(double motion3) {
    before_ = motion3;
    return std::vector<FrameValues>(static_cast<size_t>(std::min<int64_t>(gap_, taken_)),
                                    values_of(0, 0, motion3));
  }

  FrameValues values_before_last() {
    const size_t last = scores_.size() - 1;
    const int64_t frame = taken_ - 2, back = frame - (gap_ - 1);
    const double after = scores_[last];
    // The score of frame `back`, if that was compared with another.
    const double motion2 = back >= gap_ ? std::min(scores_[last - static_cast<size_t>(gap_)], after) : after;
    return complete(scores_[last - 1], motion2);
  }

  FrameValues complete(double score, double motion2) {
    const double motion3 = processed(options_, motion2);
    const double shown = options_.moving_average ? (motion3 + before_) / 2.0 : motion3;
    before_ = motion3;
    return values_of(score, motion2, shown);
  }

  FrameValues values_of(double score, double motion2, double motion3) const {
    if (options_.debug) return {score, score, motion2, motion3};
    return {score, motion2, motion3};
  }

  const MotionOptions options_;
  const int gap_;
  std::deque<double> scores_;  // of the last frames taken
  int64_t taken_ = 0;
  double before_ = 0;  // motion3 of the last complete frame, not averaged
};

}  // namespace

MotionPlan Motion::make_plan(const Options& options, const VideoFormats& formats) {
  compared_videos("motion", formats);
  return {.options = options, .video = *formats.reference};
}

std::vector<std::string> Motion::names(const Options& options) {
  std::vector<std::string> names = {"VMAF_integer_feature_motion_sad_score"};
  if (options.debug) names.emplace_back("integer_motion");
  names.insert(names.end(), {"integer_motion2", "integer_motion3"});
  return names;
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Motion, MotionHost>({
      .name = "motion",
      .summary = "how much the reference changes from frame to frame",
      .publication =
          {.citation =
               "Z. Li, A. Aaron, I. Katsavounidis, A. Moorthy, M. Manohara: Toward a practical perceptual "
               "video quality metric. Netflix Technology Blog, 2016",
           .doi = {}},
      .metrics = kMetrics,
  });
  return kInfo;
}

double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size) {
  const auto samples = static_cast<double>(int64_t{size.width} * size.height);
  return std::min(static_cast<double>(difference) / 256.0 / samples * options.fps_weight, options.max_value);
}

std::unique_ptr<FrameSequence> Motion::make_sequence(const Options& options) {
  return std::make_unique<MotionSequence>(options);
}

}  // namespace vq::motion
#endif  // HWY_ONCE
