#include "feature/fitting/fitting.h"

#include <bit>
#include <cmath>

#include "core/error.h"

namespace vq {

namespace fitting {
namespace {

// One for each value that a sample's memory can hold. A sample above the largest of its depth becomes one
// above the largest of the new depth, so that scoring finds and reports it.
Levels empty_levels(int bits) { return Levels(bits > 8 ? size_t{1} << 16 : size_t{1} << 8, UINT16_MAX); }

Levels shifted_levels(int bits, int shift) {
  Levels levels = empty_levels(bits);
  for (size_t v = 0; v < levels.size(); ++v)
    levels[v] = static_cast<uint16_t>(std::min<size_t>(v << shift, UINT16_MAX));
  return levels;
}

Levels limited_levels(int from_bits, int to_bits, bool is_chroma) {
  Levels levels = empty_levels(from_bits);
  const int most = (1 << from_bits) - 1, middle = is_chroma ? 1 << (from_bits - 1) : 0;
  const double level = std::ldexp(1.0, to_bits - 8);
  for (int v = 0; v <= most; ++v) {
    const double share = static_cast<double>(v - middle) / most;
    levels[static_cast<size_t>(v)] =
        static_cast<uint16_t>(std::lround(level * (is_chroma ? 128 + 224 * share : 16 + 219 * share)));
  }
  return levels;
}

template <typename From, typename T>
void map_plane(PlaneView<From> from, const Levels& levels, PlaneView<T> to) {
  for (int y = 0; y < to.height; ++y) {
    const auto* const in = from.row(y);
    T* const out = to.row(y);
    for (int x = 0; x < to.width; ++x) out[x] = static_cast<T>(levels[in[x]]);
  }
}

int64_t fixed_point(double value) { return std::llround(std::ldexp(value, kFractionBits)); }

template <typename T>
PlaneView<const T> view_of(const SampleView& plane) {
  if constexpr (sizeof(T) == 1) {
    return plane.u8;
  } else {
    return plane.u16;
  }
}

std::array<Mixture, kMaxPlanes> mixtures(Matrix matrix, const VideoFormat& rgb) {
  const auto [kr, kb] = luma_shares(matrix).value_or(*luma_shares(Matrix::kBt709));
  const double level = std::ldexp(1.0, rgb.bit_depth - 8), most = std::ldexp(1.0, rgb.bit_depth) - 1;
  const bool is_limited = rgb.range == Range::kLimited;
  const double black = is_limited ? 16 * level : 0, white = is_limited ? 235 * level : most;
  const auto mixture = [&](double red, double green, double blue, double offset) {
    const double scale = level / (white - black);
    const double constant = offset * level - black * scale * (red + green + blue);
    return Mixture{fixed_point(red * scale), fixed_point(green * scale), fixed_point(blue * scale),
                   fixed_point(constant)};
  };
  const double kg = 1 - kr - kb, cb = 112 / (1 - kb), cr = 112 / (1 - kr);
  return {mixture(219 * kr, 219 * kg, 219 * kb, 16), mixture(-cb * kr, -cb * kg, cb * (1 - kb), 128),
          mixture(cr * (1 - kr), -cr * kg, -cr * kb, 128)};
}

constexpr Weights kBetween = {0, 1, 1}, kAround = {1, 2, 1};
int sum_of(const Weights& weights) { return weights[0] + weights[1] + weights[2]; }

ChromaTaps taps_of(ChromaShifts halvings, ChromaLocation location) {
  ChromaTaps taps{.halvings = halvings};
  const auto [column, row] = first_chroma(location, {1, 1});
  if (halvings.x > 0) taps.across = column == 1 ? kBetween : kAround;
  if (halvings.y > 0) taps.down = row == 1 ? kBetween : kAround;
  if (halvings.y > 0) taps.first_row = row / 2;
  return taps;
}

// Sums of a plane's samples around the place of each sample of coarser chroma, row by row.
template <typename T>
class SumRows {
 public:
  SumRows(PlaneView<const T> plane, const ChromaTaps& taps)
      : plane_(plane), taps_(taps), columns_(static_cast<size_t>(plane.width) + 2) {}

  // Sums by all weights. Needs: as many as the coarser plane has columns.
  void fill(int y, std::vector<int32_t>& sums) {
    const auto row = [&](int offset) {
      const int middle = (y << taps_.halvings.y) + taps_.first_row;
      return plane_.row(std::clamp(middle + offset, 0, plane_.height - 1));
    };
    const T *const above = row(-1), *const own = row(0), *const below = row(1);
    const auto [a, b, c] = taps_.down;
    for (int x = 0; x < plane_.width; ++x)
      columns_[static_cast<size_t>(x) + 1] = a * above[x] + b * own[x] + c * below[x];
    columns_.front() = columns_[1];
    columns_.back() = columns_[columns_.size() - 2];
    const auto [left, middle, right] = taps_.across;
    for (size_t x = 0; x < sums.size(); ++x) {
      const int32_t* const at = &columns_[x << taps_.halvings.x];
      sums[x] = left * at[0] + middle * at[1] + right * at[2];
    }
  }

 private:
  const PlaneView<const T> plane_;
  const ChromaTaps taps_;
  std::vector<int32_t> columns_;  // sums down, with the first and the last one repeated
};

template <typename T>
void make_coarser(PlaneView<const T> from, const ChromaTaps& taps, PlaneView<T> to) {
  SumRows<T> rows(from, taps);
  std::vector<int32_t> sums(static_cast<size_t>(to.width));
  const int shift = taps.shift(), half = (1 << shift) / 2;
  for (int y = 0; y < to.height; ++y) {
    rows.fill(y, sums);
    T* const out = to.row(y);
    for (int x = 0; x < to.width; ++x)
      out[x] = static_cast<T>((sums[static_cast<size_t>(x)] + half) >> shift);
  }
}

// R, G and B to limited Y'CbCr.
class RgbMixer {
 public:
  explicit RgbMixer(const RgbMix& mix) : taps_(mix.taps), mixtures_(mix.mixtures) {}

  // Planes of the frame are G, B and R.
  template <typename T>
  void convert(const Frame& frame, size_t plane, PlaneView<T> to) const {
    const std::array<PlaneView<const T>, 3> rgb = {view_of<T>(frame.planes[2]), view_of<T>(frame.planes[0]),
                                                   view_of<T>(frame.planes[1])};
    const Mixture& mixture = mixtures_[plane];
    if (plane == 0 || taps_.shift() == 0) {
      for (int y = 0; y < to.height; ++y)
        mix_row(mixture, RgbRows<T>{rgb[0].row(y), rgb[1].row(y), rgb[2].row(y)}, 0, to, y);
      return;
    }
    std::array<SumRows<T>, 3> rows = {SumRows<T>(rgb[0], taps_), SumRows<T>(rgb[1], taps_),
                                      SumRows<T>(rgb[2], taps_)};
    std::array<std::vector<int32_t>, 3> sums;
    sums.fill(std::vector<int32_t>(static_cast<size_t>(to.width)));
    for (int y = 0; y < to.height; ++y) {
      for (size_t c = 0; c < 3; ++c) rows[c].fill(y, sums[c]);
      mix_row(mixture, RgbRows<int32_t>{sums[0].data(), sums[1].data(), sums[2].data()}, taps_.shift(), to,
              y);
    }
  }

 private:
  template <typename In>
  struct RgbRows {
    const In *red, *green, *blue;
  };

  // Never negative, as limited range lies above zero.
  template <typename In, typename T>
  static void mix_row(const Mixture& m, RgbRows<In> in, int shift, PlaneView<T> to, int y) {
    const int all = kFractionBits + shift;
    const int64_t offset = (m.offset << shift) + (int64_t{1} << (all - 1));
    T* const out = to.row(y);
    for (int x = 0; x < to.width; ++x)
      out[x] =
          static_cast<T>((m.red * in.red[x] + m.green * in.green[x] + m.blue * in.blue[x] + offset) >> all);
  }

  const ChromaTaps taps_;
  const std::array<Mixture, kMaxPlanes> mixtures_;
};

// The four chroma samples around each place of luma along an axis, weighted in 1024ths; see feature/light.
struct Interpolation {
  static constexpr int kTaps = 4, kBits = 10;

  int shift = 0;
  std::array<int, 4> first = {};
  std::array<std::array<int64_t, kTaps>, 4> taps = {};

  // `offset`: twice the place of chroma sample 0 among those of luma.
  Interpolation(int axis_shift, int offset) : shift(axis_shift) {
    for (int phase = 0; phase < 1 << shift; ++phase) {
      const int eighths = (8 * phase - 4 * offset) >> shift, k = eighths & 7;
      const auto i = static_cast<size_t>(phase);
      first[i] = (eighths >> 3) - 1;
      const int64_t k2 = k * k, k3 = k2 * k;
      taps[i] = {-64 * k + 16 * k2 - k3, 1024 - 40 * k2 + 3 * k3, 64 * k + 32 * k2 - 3 * k3, k3 - 8 * k2};
    }
  }
};

MatrixMix matrix_mix(const VideoFormat& from, Matrix to) {
  const LumaShares a = *luma_shares(from.matrix), b = *luma_shares(to);
  const double green = 1 - a.red - a.blue, new_green = 1 - b.red - b.blue;
  const double blue_of_cb = 2 * (1 - a.blue), red_of_cr = 2 * (1 - a.red);
  const double luma_of_cb = (b.blue - new_green * a.blue / green) * blue_of_cb,
               luma_of_cr = (b.red - new_green * a.red / green) * red_of_cr;
  const double span = from.range == Range::kFull ? 1 : 219.0 / 224;
  MatrixMix mix{.shifts = chroma_shifts(from.chroma), .bit_depth = from.bit_depth};
  mix.shares = {{{fixed_point(luma_of_cb * span), fixed_point(luma_of_cr * span)},
                 {fixed_point((blue_of_cb - luma_of_cb) / (2 * (1 - b.blue))),
                  fixed_point(-luma_of_cr / (2 * (1 - b.blue)))},
                 {fixed_point(-luma_of_cb / (2 * (1 - b.red))),
                  fixed_point((red_of_cr - luma_of_cr) / (2 * (1 - b.red)))}}};
  std::tie(mix.offset_x, mix.offset_y) = first_chroma(from.chroma_location, mix.shifts);
  return mix;
}

// Y'CbCr of one matrix to that of another.
class MatrixMixer {
 public:
  explicit MatrixMixer(const MatrixMix& mix)
      : most_((1 << mix.bit_depth) - 1),
        middle_(1 << (mix.bit_depth - 1)),
        shares_(mix.shares),
        across_(mix.shifts.x, mix.offset_x),
        down_(mix.shifts.y, mix.offset_y) {}

  template <typename T>
  void convert(const Frame& frame, size_t plane, PlaneView<T> to) const {
    const PlaneView<const T> cb = view_of<T>(frame.planes[1]), cr = view_of<T>(frame.planes[2]);
    if (plane == 0) return convert_luma(view_of<T>(frame.planes[0]), mixed<T>(cb, cr, 0), cb.width, to);
    const int64_t half = int64_t{1} << (kFractionBits - 1);
    const std::vector<int64_t> values = mixed<T>(cb, cr, plane);
    for (int y = 0; y < to.height; ++y) {
      const int64_t* const in = &values[static_cast<size_t>(y) * static_cast<size_t>(cb.width)];
      T* const out = to.row(y);
      for (int x = 0; x < to.width; ++x) out[x] = clipped<T>(middle_ + ((in[x] + half) >> kFractionBits));
    }
  }

 private:
  template <typename T>
  T clipped(int64_t value) const {
    return static_cast<T>(std::clamp<int64_t>(value, 0, most_));
  }

  // The contributions of Cb and Cr to the samples of a plane, at their own positions.
  template <typename T>
  std::vector<int64_t> mixed(PlaneView<const T> cb, PlaneView<const T> cr, size_t plane) const {
    const auto [of_cb, of_cr] = shares_[plane];
    std::vector<int64_t> values;
    values.reserve(static_cast<size_t>(cb.width) * static_cast<size_t>(cb.height));
    for (int y = 0; y < cb.height; ++y) {
      const T *const b = cb.row(y), *const r = cr.row(y);
      for (int x = 0; x < cb.width; ++x)
        values.push_back(of_cb * (b[x] - middle_) + of_cr * (r[x] - middle_));
    }
    return values;
  }

  // `added` in rows of `width`. A sample above the largest of its depth stays, for scoring to report.
  template <typename T>
  void convert_luma(PlaneView<const T> luma, const std::vector<int64_t>& added, int width,
                    PlaneView<T> to) const {
    constexpr int kBits = kFractionBits + 2 * Interpolation::kBits;
    const int height = static_cast<int>(added.size()) / width;
    std::vector<int64_t> blended(static_cast<size_t>(width));
    for (int y = 0; y < to.height; ++y) {
      blend_rows(added, height, y, blended);
      const T* const in = luma.row(y);
      T* const out = to.row(y);
      for (int x = 0; x < to.width; ++x) {
        const auto phase = static_cast<size_t>(x & ((1 << across_.shift) - 1));
        const int first = (x >> across_.shift) + across_.first[phase];
        int64_t sum = int64_t{1} << (kBits - 1);
        for (int i = 0; i < Interpolation::kTaps; ++i)
          sum += across_.taps[phase][static_cast<size_t>(i)] *
                 blended[static_cast<size_t>(std::clamp(first + i, 0, width - 1))];
        out[x] = in[x] > most_ ? in[x] : clipped<T>(in[x] + (sum >> kBits));
      }
    }
  }

  void blend_rows(const std::vector<int64_t>& added, int height, int y, std::vector<int64_t>& out) const {
    const auto phase = static_cast<size_t>(y & ((1 << down_.shift) - 1));
    const int first = (y >> down_.shift) + down_.first[phase];
    const auto& taps = down_.taps[phase];
    std::array<const int64_t*, Interpolation::kTaps> rows;
    for (int i = 0; i < Interpolation::kTaps; ++i)
      rows[static_cast<size_t>(i)] =
          &added[static_cast<size_t>(std::clamp(first + i, 0, height - 1)) * out.size()];
    for (size_t x = 0; x < out.size(); ++x)
      out[x] = taps[0] * rows[0][x] + taps[1] * rows[1][x] + taps[2] * rows[2][x] + taps[3] * rows[3][x];
  }

  const int64_t most_, middle_;
  const std::array<std::array<int64_t, 2>, kMaxPlanes> shares_;
  const Interpolation across_, down_;
};

// Planes that a frame owns, and what it has its other planes of.
template <typename T>
struct FittedPlanes {
  std::array<Plane<T>, kMaxPlanes> planes;
  std::shared_ptr<const void> source;
};

class Fitter final : public FrameFitter {
 public:
  Fitter(const VideoFormat& from, const Fitting& fitting, int planes, const Execution& execution)
      : steps_(from, fitting, planes), stages_(Stages::of(execution)) {
    if (steps_.rgb) rgb_.emplace(*steps_.rgb);
    if (steps_.matrix) matrix_.emplace(*steps_.matrix);
  }

  Frame fit(const Frame& frame) const override {
    Frame fitted = on_host(frame);
    fitted = steps_.from.bit_depth > 8 ? recoloured<uint16_t>(fitted) : recoloured<uint8_t>(fitted);
    const bool is_deep = steps_.to.bit_depth > 8;
    if (steps_.scaling) fitted = is_deep ? scaled<uint16_t>(fitted) : scaled<uint8_t>(fitted);
    if (!steps_.levels[0].empty()) fitted = is_deep ? mapped<uint16_t>(fitted) : mapped<uint8_t>(fitted);
    return fitted;
  }

 private:
  template <typename T>
  static void put(Frame& frame, size_t plane, PlaneView<const T> view) {
    frame.planes[plane] = {};
    if constexpr (sizeof(T) == 1) {
      frame.planes[plane].u8 = view;
    } else {
      frame.planes[plane].u16 = view;
    }
  }

  template <typename T>
  static Plane<T> new_plane(const VideoFormat& format, size_t plane) {
    const PlaneSize size = plane_size(format, static_cast<int>(plane));
    return Plane<T>(size.width, size.height);
  }

  // The colours of `coarse`. Planes that are not converted stay where they are.
  template <typename T>
  Frame recoloured(const Frame& frame) const {
    const bool is_mixed = rgb_ || matrix_;
    if (!is_mixed && (!steps_.taps || steps_.planes == 1)) return frame;
    if (is_mixed && frame.planes[2].empty())
      throw Error(ErrorKind::kInternal, steps_.from.name + ": its colours are needed and were not read");
    const auto made = std::make_shared<FittedPlanes<T>>();
    made->source = frame.owner;
    Frame result = frame;
    // Luma is made of all three planes, so it may differ though its own did not.
    if (is_mixed && frame.repeated_planes < kMaxPlanes) result.repeated_planes = 0;
    result.place.reset();
    result.owner = made;
    for (size_t i = 0; i < kMaxPlanes; ++i) {
      Plane<T>& plane = made->planes[i];
      if (i >= static_cast<size_t>(steps_.planes)) {
        result.planes[i] = {};
        continue;
      }
      if (is_mixed) {
        plane = new_plane<T>(steps_.mixed, i);
        rgb_ ? rgb_->convert(frame, i, plane.view()) : matrix_->convert(frame, i, plane.view());
        put<T>(result, i, plane.view());
      }
      if (steps_.taps && i > 0) {
        Plane<T> coarse = new_plane<T>(steps_.coarse, i);
        make_coarser(view_of<T>(result.planes[i]), *steps_.taps, coarse.view());
        plane = std::move(coarse);
        put<T>(result, i, plane.view());
      }
    }
    return result;
  }

  // What `make` makes of each plane of a frame, in planes of the fitted video.
  template <typename T, typename Make>
  Frame with_planes(const Frame& frame, const Make& make) const {
    const auto made = std::make_shared<FittedPlanes<T>>();
    Frame result = frame;
    result.bit_depth = steps_.to.bit_depth;
    result.place.reset();
    result.owner = made;
    result.planes = {};
    for (size_t i = 0; i < static_cast<size_t>(steps_.planes); ++i) {
      made->planes[i] = new_plane<T>(steps_.to, i);
      make(frame.planes[i], i, made->planes[i].view());
      put<T>(result, i, made->planes[i].view());
    }
    return result;
  }

  template <typename T>
  Frame scaled(const Frame& frame) const {
    return with_planes<T>(frame, [&](const SampleView& from, size_t i, PlaneView<T> to) {
      const PlaneScaling& scaling = steps_.scaling->plane(static_cast<int>(i));
      ScalingRows rows(scaling);
      ScaledPlane out;
      if constexpr (sizeof(T) == 1) {
        out.u8 = to;
      } else {
        out.u16 = to;
      }
      stages_.scale_plane(from, scaling, rows, out);
    });
  }

  template <typename T>
  Frame mapped(const Frame& frame) const {
    return with_planes<T>(frame, [&](const SampleView& from, size_t i, PlaneView<T> to) {
      const Levels& levels = steps_.levels[i > 0];
      from.is_u8() ? map_plane(from.u8, levels, to) : map_plane(from.u16, levels, to);
    });
  }

  const Steps steps_;
  const Stages stages_;
  std::optional<RgbMixer> rgb_;
  std::optional<MatrixMixer> matrix_;
};

}  // namespace

int ChromaTaps::shift() const {
  return std::countr_zero(static_cast<unsigned>(sum_of(across) * sum_of(down)));
}

int source_planes(const VideoFormat& from, const Fitting& fitting, int planes) {
  return fitted_format(from, fitting).matrix != from.matrix ? kMaxPlanes : planes;
}

Steps::Steps(const VideoFormat& video, const Fitting& fitting, int planes_read)
    : from(video),
      mixed(fitted_format(from, {.ycbcr = fitting.ycbcr, .matrix = fitting.matrix})),
      coarse(fitted_format(mixed, {.chroma = fitting.chroma})),
      to(fitted_format(from, fitting)),
      planes(std::min(planes_read, plane_count(to.chroma))) {
  if (mixed.matrix != from.matrix) {
    if (from.matrix == Matrix::kRgb) {
      rgb = RgbMix{.mixtures = mixtures(mixed.matrix, from),
                   .taps = taps_of(chroma_shifts(mixed.chroma), mixed.chroma_location)};
    } else {
      matrix = matrix_mix(from, mixed.matrix);
    }
  }
  if (coarse.chroma != mixed.chroma) {
    const ChromaShifts fine = chroma_shifts(mixed.chroma), few = chroma_shifts(coarse.chroma);
    taps = taps_of({few.x - fine.x, few.y - fine.y}, coarse.chroma_location);
  }
  int bits = from.bit_depth;
  if (to.size() != from.size()) {
    scaling.emplace(coarse, to, fitting.kernel);
    bits = to.bit_depth;
  }
  for (const bool is_chroma : {false, true}) {
    if (to.range != mixed.range) {
      levels[is_chroma] = limited_levels(bits, to.bit_depth, is_chroma);
    } else if (to.bit_depth != bits) {
      levels[is_chroma] = shifted_levels(bits, to.bit_depth - bits);
    }
  }
}

}  // namespace fitting

std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes,
                                               const Execution& execution) {
  return std::make_unique<fitting::Fitter>(from, fitting, planes, execution);
}

}  // namespace vq
