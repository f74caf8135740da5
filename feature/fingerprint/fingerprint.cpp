#define HWY_TARGET_INCLUDE "feature/fingerprint/fingerprint.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdio>

#include "feature/fingerprint/fingerprint.h"
#include "shaders/fingerprint/shared.h"

#if HWY_ONCE
namespace vq::fingerprint {

constexpr LaneSums kFactors = {gpu::kFactor0, gpu::kFactor1, gpu::kFactor2, gpu::kFactor3};
constexpr LaneSums kOffsets = {gpu::kOffset0, gpu::kOffset1, gpu::kOffset2, gpu::kOffset3};

static_assert(kMaxSide * 2 / 4 <= 1 << gpu::kColumnBits && kMaxSide <= 1 << gpu::kRowBits);

// The x-th word of a row.
template <typename T>
static uint32_t word_of(const T* row, int width, int x) {
  constexpr int kSamples = 4 / sizeof(T), kBits = 8 * sizeof(T);
  uint32_t word = 0;
  for (int k = 0; k < kSamples && x * kSamples + k < width; ++k) {
    word |= static_cast<uint32_t>(row[x * kSamples + k]) << (kBits * k);
  }
  return word;
}

template <typename T>
static LaneSums sums_of(PlaneView<const T> view, int plane) {
  constexpr int kSamples = 4 / sizeof(T);
  LaneSums sums{};
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x * kSamples < view.width; ++x) {
      sums = sums + mixed_word(word_of(view.row(y), view.width, x), {x, y, plane});
    }
  }
  return sums;
}

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

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::fingerprint::HWY_NAMESPACE {
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

HWY_INLINE uint32_t total(V sums) { return hn::GetLane(hn::SumOfLanes(U32(), sums)); }

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

}  // namespace vq::fingerprint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::fingerprint, plane_sums)

namespace vq::fingerprint {
namespace {

// The format is told by words of a plane that no picture has.
constexpr int kFormatPlane = kMaxPlanes;

LaneSums format_sums(const FingerprintPlan& plan) {
  const auto word = [](int number, int x, int y) {
    return mixed_word(static_cast<uint32_t>(number), {x, y, kFormatPlane});
  };
  LaneSums sums = word(plan.bit_depth, 0, 0) + word(plan.planes, 1, 0);
  for (int i = 0; i < plan.planes; ++i) {
    const PlaneSize size = plan.sizes[static_cast<size_t>(i)];
    sums = sums + word(size.width, 0, i + 1) + word(size.height, 1, i + 1);
  }
  return sums;
}

// Every lane gets something of every other. Each step can be undone, so that no two sums become one hash.
void stir(LaneSums& lanes) {
  lanes[0] += lanes[1] + lanes[2] + lanes[3];
  for (size_t i = 1; i < kLanes; ++i) lanes[i] += lanes[0];
}

class RepeatCount final : public FrameSequence {
 public:
  std::vector<FrameValues> next(const FrameResult& result) override {
    const std::string& hash = result.texts.front();
    run_ = hash == last_ ? run_ + 1 : 0;
    last_ = hash;
    return {{run_ > 0 ? 1.0 : 0.0, static_cast<double>(run_)}};
  }

 private:
  std::string last_;  // empty, which no hash is, before the first frame
  int64_t run_ = 0;
};

}  // namespace

FingerprintPlan Fingerprint::make_plan(const Options& options, const VideoFormats& formats) {
  const VideoFormat& video = formats.distorted;
  FingerprintPlan plan;
  plan.planes = std::min(planes(options), plane_count(video.chroma));
  for (int i = 0; i < plan.planes; ++i)
    plan.sizes[static_cast<size_t>(i)] = plane_size({video.width, video.height}, video.chroma, i);
  plan.bit_depth = video.bit_depth;
  return plan;
}

LaneSums fingerprint(const FingerprintPlan& plan, std::span<const LaneSums> planes) {
  LaneSums lanes = format_sums(plan);
  for (const LaneSums& sums : planes) lanes = lanes + sums;
  stir(lanes);
  for (uint32_t& lane : lanes) lane = mixed(lane);
  stir(lanes);
  return lanes;
}

std::string fingerprint_text(const LaneSums& hash) {
  std::string text;
  for (const uint32_t lane : hash) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(lane));
    text += digits;
  }
  return text;
}

FrameResult frame_result(const FingerprintPlan& plan, std::span<const LaneSums> planes) {
  return {.values = {0, 0}, .texts = {fingerprint_text(fingerprint(plan, planes))}};
}

std::unique_ptr<FrameSequence> Fingerprint::make_sequence(const Options&) {
  return std::make_unique<RepeatCount>();
}

namespace {

class FingerprintHost final : public PlannedHost<FingerprintPlan, Stages> {
 public:
  using PlannedHost::PlannedHost;

  FrameResult score(const FramePair& frames) override {
    std::vector<LaneSums> planes;
    for (int i = 0; i < plan_.planes; ++i) {
      planes.push_back(stages_.plane_sums(frames.distorted.planes[static_cast<size_t>(i)], i));
    }
    return frame_result(plan_, planes);
  }
};

constexpr MetricInfo repeats_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "repeated frames",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .decimals = 0};
}
constexpr MetricInfo with_note(MetricInfo info, double from, std::string_view meaning) {
  info.noteworthy = from;
  info.noteworthy_meaning = meaning;
  return info;
}
// How long a run of repeats is worth telling depends on the frame rate and the material, so no length is.
constexpr MetricInfo kMetrics[] = {
    with_note(repeats_of("fingerprint_repeated", "repeated frame",
                         "1 where the samples are those of the frame before, else 0."),
              1, "visible as stutter"),
    repeats_of("fingerprint_repeat_run", "repeats in a row",
               "How many frames up to this one repeat the one before.")};

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Fingerprint, FingerprintHost>(
      {.name = "fingerprint",
       .summary = "128-bit hash of each frame's samples, and which frames repeat the one before",
       .metrics = kMetrics,
       .text_names = [](const OptionSet& set) { return std::vector{set.metric_name("fingerprint")}; }});
  return kInfo;
}

}  // namespace vq::fingerprint
#endif  // HWY_ONCE
