// Bands as the scalar stages make them, made-up detail of two videos, and the sums that follow from it.
#pragma once

#include <bit>
#include <cmath>

#include "feature/adm/plan.h"
#include "tests/adm/rows.h"

namespace vq::adm::test {

// All rows of a scale.
struct Bands {
  explicit Bands(const ScalePlan& plan) : a(plan.width + kRowSlack, plan.height) {
    for (Plane<int32_t>& band : detail) band = Plane<int32_t>(plan.width + kRowSlack, plan.height);
  }
  BandRow row(int y, const ScalePlan& plan) {
    const bool counts = plan.masking_rows.contains(y);
    return {.a = a.row(y),
            .detail = {detail[0].row(y), detail[1].row(y), detail[2].row(y)},
            .columns = counts ? plan.masking_columns : Span{}};
  }
  Plane<int32_t> a;
  std::array<Plane<int32_t>, kBands> detail;
};

inline Bands fine_bands(const Samples& picture, const ScalePlan& plan) {
  Bands bands(plan);
  Plane<int16_t> filtered(plan.input_width + kRowSlack, 2);
  for (int y = 0; y < plan.height; ++y) {
    scalar::fine_wavelet(picture, y, plan, {filtered.row(0), filtered.row(1)}, bands.row(y, plan));
  }
  return bands;
}

inline Bands coarse_bands(const Plane<int32_t>& input, const ScalePlan& plan) {
  Bands bands(plan);
  Plane<int32_t> filtered(plan.input_width + kRowSlack, 2);
  for (int y = 0; y < plan.height; ++y) {
    std::array<const int32_t*, 4> in = {};
    for (int i = 0; i < 4; ++i)
      in[static_cast<size_t>(i)] = input.row(mirrored(2 * y - 1 + i, plan.input_height));
    scalar::coarse_wavelet(in, plan, {filtered.row(0), filtered.row(1)}, bands.row(y, plan));
  }
  return bands;
}

enum class DetailKind { kNoise, kLargest, kOneDegree, kStronger, kPowersOfTwo, kEqual, kNone };

// Of both videos, at the places that masking looks at.
class SyntheticDetail {
 public:
  SyntheticDetail(const ScalePlan& plan, DetailKind kind, int64_t most, unsigned seed)
      : plan_(plan), kind_(kind), most_(most), random_(seed + 1), planes_{Bands(plan), Bands(plan)} {
    for (int y = plan.masking_rows.first; y < plan.masking_rows.end; ++y) {
      for (int x = plan.masking_columns.first; x < plan.masking_columns.end; ++x) make(y, x);
    }
  }

  // visit(is_distorted, band, row, column, coefficient)
  template <typename Visit>
  void for_each(const Visit& visit) {
    for (const bool is_distorted : {false, true}) {
      for (size_t band = 0; band < kBands; ++band) {
        for (int y = plan_.masking_rows.first; y < plan_.masking_rows.end; ++y) {
          for (int x = plan_.masking_columns.first; x < plan_.masking_columns.end; ++x) {
            visit(is_distorted, band, y, x, at(is_distorted, band, y, x));
          }
        }
      }
    }
  }

  // By the scalar stages.
  ScaleSums scalar_sums(const ScalePlan& plan, bool skip_aim) {
    Rows<int32_t> parts(plan.width, 2 * kPartRows * plan.height);
    const auto part = [&](int i, int y) { return part_of(parts, (2 * y + i) * kPartRows); };
    ScaleSums sums;
    for (int y = plan.masking_rows.first; y < plan.masking_rows.end; ++y) {
      const PartRow restored = part(0, y), added = part(1, y);
      scalar::decouple(row(false, y), row(true, y), plan, restored, added);
      for (const PartRow& one : {restored, added})
        (plan.is_finest ? scalar::fine_weigh : scalar::coarse_weigh)(plan, one);
    }
    const auto masked = [&](int signal, int masker, int y) {
      const PartRow of = part(signal, y);
      return scalar::masked_cubes({of.signal[0], of.signal[1], of.signal[2]},
                                  {.above = part(masker, mirrored(y - 1, plan.height)).side,
                                   .here = part(masker, y).side,
                                   .below = part(masker, mirrored(y + 1, plan.height)).side,
                                   .centre = part(masker, y).centre},
                                  plan);
    };
    for (int y = plan.rows.first; y < plan.rows.end; ++y) {
      add_reference_row(plan, scalar::reference_cubes(row(false, y), plan), sums.reference);
      add_masked_row(plan, masked(0, 1, y), sums.restored);
      if (!skip_aim) add_masked_row(plan, masked(1, 0, y), sums.added);
    }
    return sums;
  }

 private:
  int32_t& at(bool is_distorted, size_t band, int y, int x) {
    return planes_[is_distorted ? 1 : 0].detail[band].row(y)[x];
  }
  DetailRow row(bool is_distorted, int y) {
    auto& bands = planes_[is_distorted ? 1 : 0].detail;
    return {bands[0].row(y), bands[1].row(y), bands[2].row(y)};
  }

  int32_t noise() {
    const int64_t limit = random_() % 3 == 0 ? most_ : most_ >> (random_() % 20);
    const int64_t wide = (static_cast<int64_t>(random_()) << 20) ^ static_cast<int64_t>(random_());
    return static_cast<int32_t>(wide % (2 * limit + 1) - limit);
  }

  void make(int y, int x) {
    PerBand<int32_t> reference, distorted;
    for (size_t i = 0; i < kBands; ++i) {
      reference[i] = kind_ == DetailKind::kNone ? 0 : noise();
      // Often much like the reference's.
      distorted[i] =
          random_() % 2 == 0
              ? noise()
              : static_cast<int32_t>(reference[i] / 8 * (static_cast<int>(random_() % 15) - 6) / 8 * 8);
      if (kind_ == DetailKind::kLargest) {
        reference[i] = static_cast<int32_t>(random_() % 2 == 0 ? most_ : -most_);
        distorted[i] = static_cast<int32_t>(random_() % 4 == 0   ? -most_
                                            : random_() % 4 == 0 ? most_ / 2
                                                                 : most_);
      }
      if (kind_ == DetailKind::kEqual) distorted[i] = reference[i];
    }
    if (kind_ == DetailKind::kOneDegree) set_one_degree(reference, distorted);
    if (kind_ == DetailKind::kStronger) set_stronger(reference, distorted);
    if (kind_ == DetailKind::kPowersOfTwo) set_powers(reference, distorted);
    for (size_t i = 0; i < kBands; ++i) {
      at(false, i, y, x) = reference[i];
      at(true, i, y, x) = distorted[i];
    }
  }

  // Up to 120 times as strong as the reference's, in its direction.
  void set_stronger(PerBand<int32_t>& reference, PerBand<int32_t>& distorted) {
    const auto factor = static_cast<int32_t>(random_() % 121);
    for (size_t i = 0; i < kBands; ++i) {
      reference[i] /= 128;
      distorted[i] = reference[i] * factor;
    }
  }

  void set_powers(PerBand<int32_t>& reference, PerBand<int32_t>& distorted) {
    const int count = std::bit_width(static_cast<uint64_t>(most_));
    for (size_t i = 0; i < kBands; ++i) {
      for (int32_t* const one : {&reference[i], &distorted[i]}) {
        *one = (random_() % 2 == 0 ? 1 : -1) *
               static_cast<int32_t>(1U << random_() % static_cast<unsigned>(count));
      }
    }
  }

  // One of the two vectors between which is_aligned() changes, where there are such.
  void set_one_degree(const PerBand<int32_t>& reference, PerBand<int32_t>& distorted) {
    const double share = static_cast<double>(random_() % 1000) / 1001;
    distorted[0] = static_cast<int32_t>(reference[0] * share);
    const auto aligned = [&](int64_t v) {
      return is_aligned(reference, {distorted[0], static_cast<int32_t>(v), 0});
    };
    auto inside = static_cast<int64_t>(reference[1] * share);
    int64_t outside = random_() % 2 == 0 ? most_ : -most_;
    if (!aligned(inside) || aligned(outside)) return;
    while (std::abs(outside - inside) > 1) {
      const int64_t middle = (inside + outside) / 2;
      (aligned(middle) ? inside : outside) = middle;
    }
    distorted[1] = static_cast<int32_t>(random_() % 2 == 0 ? inside : outside);
  }

  const ScalePlan& plan_;
  const DetailKind kind_;
  const int64_t most_;
  std::minstd_rand random_;
  std::array<Bands, 2> planes_;
};

}  // namespace vq::adm::test
