#include "core/fitting.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace vq {

std::string_view to_string(ScaleKernel kernel) {
  return kernel == ScaleKernel::kLanczos ? "lanczos" : "bicubic";
}

bool has_finer_chroma(Chroma fine, Chroma coarse) {
  if (fine == coarse || plane_count(fine) == 1 || plane_count(coarse) == 1) return false;
  const ChromaShifts few = chroma_shifts(coarse), many = chroma_shifts(fine);
  const auto is_once_or_twice = [](int halvings) { return halvings == 0 || halvings == 1; };
  return is_once_or_twice(few.x - many.x) && is_once_or_twice(few.y - many.y);
}

VideoFormat fitted_format(VideoFormat format, const Fitting& fitting) {
  if (format.matrix == Matrix::kRgb && fitting.ycbcr) {
    format.matrix = fitting.ycbcr->matrix;
    format.chroma = fitting.ycbcr->chroma;
    format.chroma_location = fitting.ycbcr->location;
    format.range = Range::kLimited;
  }
  if (fitting.matrix && luma_shares(format.matrix)) format.matrix = *fitting.matrix;
  if (fitting.chroma && format.matrix != Matrix::kRgb &&
      has_finer_chroma(format.chroma, fitting.chroma->chroma)) {
    format.chroma = fitting.chroma->chroma;
    format.chroma_location = fitting.chroma->location;
  }
  if (fitting.size != PlaneSize()) {
    format.width = fitting.size.width;
    format.height = fitting.size.height;
  }
  format.bit_depth = std::max(format.bit_depth, fitting.least_bits);
  if (fitting.limits_range && format.range == Range::kFull) format.range = Range::kLimited;
  return format;
}

bool changes(const Fitting& fitting, const VideoFormat& format) {
  const VideoFormat fitted = fitted_format(format, fitting);
  return fitted.width != format.width || fitted.height != format.height ||
         fitted.bit_depth != format.bit_depth || fitted.range != format.range ||
         fitted.matrix != format.matrix || fitted.chroma != format.chroma;
}

namespace {

// The new value of each sample.
using Levels = std::vector<uint16_t>;

// One for each value that a sample's memory can hold. A sample above the largest of its depth becomes one
// above the largest of the new depth, so that scoring finds and reports it.
Levels empty_levels(int bits) {
  return Levels(bits > 8 ? size_t{1} << 16 : size_t{1} << 8, UINT16_MAX);
}

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

constexpr int kFractionBits = 24;

int64_t fixed_point(double value) {
  return std::llround(std::ldexp(value, kFractionBits));
}

template <typename T>
PlaneView<const T> view_of(const SampleView& plane) {
  if constexpr (sizeof(T) == 1) {
    return plane.u8;
  } else {
    return plane.u16;
  }
}

// The contributions of R, G and B to a sample of luma or chroma, and the sample without them.
struct Mixture {
  int64_t red = 0, green = 0, blue = 0, offset = 0;
};

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

// Weights of three neighbouring samples, of which the middle one is at twice (or once) the chroma's place.
using Weights = std::array<int, 3>;
constexpr Weights kAlone = {0, 1, 0}, kBetween = {0, 1, 1}, kAround = {1, 2, 1};
int sum_of(const Weights& weights) {
  return weights[0] + weights[1] + weights[2];
}

// How chroma is halved along none, one or both of its axes.
struct ChromaTaps {
  ChromaShifts halvings = {};
  Weights across = kAlone, down = kAlone;
  int first_row = 0;  // of the middle weight, within the rows of one chroma sample

  // Base-2 logarithm of the sum of all weights.
  int shift() const { return std::countr_zero(static_cast<unsigned>(sum_of(across) * sum_of(down))); }
};

ChromaTaps taps_of(ChromaShifts halvings, ChromaLocation location) {
  ChromaTaps taps{.halvings = halvings};
  const bool is_centred = location == ChromaLocation::kCenter || location == ChromaLocation::kTop ||
                          location == ChromaLocation::kBottom;
  const bool is_top = location == ChromaLocation::kTopLeft || location == ChromaLocation::kTop;
  const bool is_bottom = location == ChromaLocation::kBottomLeft || location == ChromaLocation::kBottom;
  if (halvings.x > 0) taps.across = is_centred ? kBetween : kAround;
  if (halvings.y > 0) taps.down = is_top || is_bottom ? kAround : kBetween;
  if (halvings.y > 0 && is_bottom) taps.first_row = 1;
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
  RgbMixer(const VideoFormat& from, const YcbcrForm& to)
      : taps_(taps_of(chroma_shifts(to.chroma), to.location)), mixtures_(mixtures(to.matrix, from)) {}

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

// Y'CbCr of one matrix to that of another.
class MatrixMixer {
 public:
  MatrixMixer(const VideoFormat& from, Matrix to)
      : most_((1 << from.bit_depth) - 1), middle_(1 << (from.bit_depth - 1)) {
    const LumaShares a = *luma_shares(from.matrix), b = *luma_shares(to);
    const double green = 1 - a.red - a.blue, new_green = 1 - b.red - b.blue;
    const double blue_of_cb = 2 * (1 - a.blue), red_of_cr = 2 * (1 - a.red);
    const double luma_of_cb = (b.blue - new_green * a.blue / green) * blue_of_cb,
                 luma_of_cr = (b.red - new_green * a.red / green) * red_of_cr;
    const double span = from.range == Range::kFull ? 1 : 219.0 / 224;
    shares_ = {{{fixed_point(luma_of_cb * span), fixed_point(luma_of_cr * span)},
                {fixed_point((blue_of_cb - luma_of_cb) / (2 * (1 - b.blue))),
                 fixed_point(-luma_of_cr / (2 * (1 - b.blue)))},
                {fixed_point(-luma_of_cb / (2 * (1 - b.red))),
                 fixed_point((red_of_cr - luma_of_cr) / (2 * (1 - b.red)))}}};
    const auto [x, y] = chroma_shifts(from.chroma);
    const ChromaLocation location = from.chroma_location;
    const bool is_centred = location == ChromaLocation::kCenter || location == ChromaLocation::kTop ||
                            location == ChromaLocation::kBottom;
    const bool is_top = location == ChromaLocation::kTopLeft || location == ChromaLocation::kTop;
    const bool is_bottom = location == ChromaLocation::kBottomLeft || location == ChromaLocation::kBottom;
    const int last_row = (1 << y) - 1;
    across_ = Interpolation(x, is_centred ? (1 << x) - 1 : 0);
    down_ = Interpolation(y, is_top ? 0 : is_bottom ? 2 * last_row : last_row);
  }

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
  std::array<std::array<int64_t, 2>, kMaxPlanes> shares_ = {};  // of Cb and Cr
  Interpolation across_{0, 0}, down_{0, 0};
};

// Planes that a frame owns, and what it has its other planes of.
template <typename T>
struct FittedPlanes {
  std::array<Plane<T>, kMaxPlanes> planes;
  std::shared_ptr<const void> source;
};

class SampleFitter final : public FrameFitter {
 public:
  SampleFitter(const VideoFormat& from, const Fitting& fitting, int planes) : from_(from) {
    mixed_ = fitted_format(from, {.ycbcr = fitting.ycbcr, .matrix = fitting.matrix});
    coarse_ = fitted_format(mixed_, {.chroma = fitting.chroma});
    to_ = fitted_format(from, fitting);
    planes_ = std::min(planes, plane_count(to_.chroma));
    if (to_.width != from.width || to_.height != from.height) {
      throw Error(ErrorKind::kMismatch,
                  from.name + " has to be scaled before it is compared, which is not done here.");
    }
    if (mixed_.matrix != from.matrix) {
      from.matrix == Matrix::kRgb ? void(rgb_.emplace(from, *fitting.ycbcr))
                                  : void(matrix_.emplace(from, mixed_.matrix));
    }
    if (coarse_.chroma != mixed_.chroma) {
      const ChromaShifts fine = chroma_shifts(mixed_.chroma), coarse = chroma_shifts(coarse_.chroma);
      taps_ = taps_of({coarse.x - fine.x, coarse.y - fine.y}, coarse_.chroma_location);
    }
    const int bits = from.bit_depth;
    for (const bool is_chroma : {false, true}) {
      if (to_.range != mixed_.range) {
        levels_[is_chroma] = limited_levels(bits, to_.bit_depth, is_chroma);
      } else if (to_.bit_depth != bits) {
        levels_[is_chroma] = shifted_levels(bits, to_.bit_depth - bits);
      }
    }
  }

  Frame fit(const Frame& frame) const override {
    Frame fitted = on_host(frame);
    if (from_.bit_depth > 8) {
      fitted = converted<uint16_t>(fitted);
    } else {
      fitted = converted<uint8_t>(fitted);
    }
    if (levels_[0].empty()) return fitted;
    return to_.bit_depth > 8 ? mapped<uint16_t>(fitted) : mapped<uint8_t>(fitted);
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

  // The colours of `coarse_`. Planes that are not converted stay where they are.
  template <typename T>
  Frame converted(const Frame& frame) const {
    if (!rgb_ && !matrix_ && (!taps_ || planes_ == 1)) return frame;
    if ((rgb_ || matrix_) && frame.planes[2].empty())
      throw Error(ErrorKind::kInternal, from_.name + ": its colours are needed and were not read");
    const auto made = std::make_shared<FittedPlanes<T>>();
    made->source = frame.owner;
    Frame result = frame;
    // Luma is made of all three planes, so it may differ though its own did not.
    if ((rgb_ || matrix_) && frame.repeated_planes < kMaxPlanes) result.repeated_planes = 0;
    result.place.reset();
    result.owner = made;
    for (size_t i = 0; i < kMaxPlanes; ++i) {
      Plane<T>& plane = made->planes[i];
      if (i >= static_cast<size_t>(planes_)) {
        result.planes[i] = {};
        continue;
      }
      if (rgb_ || matrix_) {
        plane = new_plane<T>(mixed_, i);
        rgb_ ? rgb_->convert(frame, i, plane.view()) : matrix_->convert(frame, i, plane.view());
        put<T>(result, i, plane.view());
      }
      if (taps_ && i > 0) {
        Plane<T> coarse = new_plane<T>(coarse_, i);
        make_coarser(view_of<T>(result.planes[i]), *taps_, coarse.view());
        plane = std::move(coarse);
        put<T>(result, i, plane.view());
      }
    }
    return result;
  }

  // Samples of the depth and range that were requested.
  template <typename T>
  Frame mapped(const Frame& frame) const {
    const auto made = std::make_shared<FittedPlanes<T>>();
    Frame result = frame;
    result.bit_depth = to_.bit_depth;
    result.place.reset();
    result.owner = made;
    result.planes = {};
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) {
      Plane<T>& plane = made->planes[i];
      plane = Plane<T>(frame.planes[i].width(), frame.planes[i].height());
      const Levels& levels = levels_[i > 0];
      if (frame.planes[i].is_u8()) {
        map_plane(frame.planes[i].u8, levels, plane.view());
      } else {
        map_plane(frame.planes[i].u16, levels, plane.view());
      }
      put<T>(result, i, plane.view());
    }
    return result;
  }

  const VideoFormat from_;
  VideoFormat mixed_, coarse_, to_;  // with another matrix, then with coarser chroma, then all
  int planes_ = 1;
  std::optional<RgbMixer> rgb_;
  std::optional<MatrixMixer> matrix_;
  std::optional<ChromaTaps> taps_;
  std::array<Levels, 2> levels_;  // of luma and of chroma; empty if samples stay as they are
};

}  // namespace

std::unique_ptr<FrameFitter> make_sample_fitter(const VideoFormat& from, const Fitting& fitting, int planes) {
  return std::make_unique<SampleFitter>(from, fitting, planes);
}

}  // namespace vq
