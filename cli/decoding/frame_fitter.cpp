#include "cli/decoding/frame_fitter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/decoding/ffmpeg_functions.h"
#include "core/error.h"
#include "core/frame_memory.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace vq::cli {
namespace {

struct ScalerDeleter {
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};
using Scaler = std::unique_ptr<SwsContext, ScalerDeleter>;

// Samples of a picture, with the rows that features may look beyond.
template <typename T>
using Planes = std::array<Plane<T>, kMaxPlanes>;

// What becomes of each sample.
using Levels = std::vector<uint16_t>;

// Planes with these samples in FFmpeg's words; AV_PIX_FMT_NONE where it has none.
AVPixelFormat pixel_format(Chroma chroma, int bits, int planes) {
  std::string name;
  if (planes == 1) {
    name = "gray";
  } else if (chroma == Chroma::k420) {
    name = "yuv420p";
  } else if (chroma == Chroma::k422) {
    name = "yuv422p";
  } else if (chroma == Chroma::k444) {
    name = "yuv444p";
  } else {
    return AV_PIX_FMT_NONE;
  }
  if (bits > 8) name += std::to_string(bits) + "le";
  return av_get_pix_fmt(name.c_str());
}

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

// What each of R, G and B adds to a sample of luma or chroma, and what the sample is without them.
constexpr int kFractionBits = 24;
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
    const auto fixed = [](double value) { return std::llround(std::ldexp(value, kFractionBits)); };
    return Mixture{fixed(red * scale), fixed(green * scale), fixed(blue * scale), fixed(constant)};
  };
  const double kg = 1 - kr - kb, cb = 112 / (1 - kb), cr = 112 / (1 - kr);
  return {mixture(219 * kr, 219 * kg, 219 * kb, 16), mixture(-cb * kr, -cb * kg, cb * (1 - kb), 128),
          mixture(cr * (1 - kr), -cr * kg, -cr * kb, 128)};
}

// Weights of three neighbouring samples, of which the middle one is at twice (or once) the chroma's place.
using Weights = std::array<int64_t, 3>;
constexpr Weights kAlone = {0, 1, 0}, kBetween = {0, 1, 1}, kAround = {1, 2, 1};
int64_t sum_of(const Weights& weights) {
  return weights[0] + weights[1] + weights[2];
}

struct ChromaTaps {
  Weights across = kAlone, down = kAlone;
  int first_row = 0;  // of the middle weight, within the rows of one chroma sample
};

ChromaTaps taps_of(Chroma chroma, ChromaLocation location) {
  const auto [x, y] = chroma_shifts(chroma);
  ChromaTaps taps;
  const bool is_centred = location == ChromaLocation::kCenter || location == ChromaLocation::kTop ||
                          location == ChromaLocation::kBottom;
  const bool is_top = location == ChromaLocation::kTopLeft || location == ChromaLocation::kTop;
  const bool is_bottom = location == ChromaLocation::kBottomLeft || location == ChromaLocation::kBottom;
  if (x > 0) taps.across = is_centred ? kBetween : kAround;
  if (y > 0) taps.down = is_top || is_bottom ? kAround : kBetween;
  if (y > 0 && is_bottom) taps.first_row = 1;
  return taps;
}

// RGB to limited Y'CbCr, in integers: each sample is the nearest to what the definition says.
template <typename T>
class RgbConverter {
 public:
  RgbConverter(const VideoFormat& from, const YcbcrForm& to)
      : size_{from.width, from.height},
        chroma_(to.chroma),
        taps_(taps_of(to.chroma, to.location)),
        mixtures_(mixtures(to.matrix, from)) {}

  // Planes of the frame are G, B and R.
  void convert(const Frame& frame, size_t plane, PlaneView<T> to) const {
    const std::array<PlaneView<const T>, 3> rgb = {view(frame, 2), view(frame, 0), view(frame, 1)};
    const auto [shift_x, shift_y] = plane > 0 ? chroma_shifts(chroma_) : ChromaShifts();
    const bool is_direct = shift_x == 0 && shift_y == 0;
    for (int y = 0; y < to.height; ++y) {
      T* const out = to.row(y);
      if (is_direct) {
        const T *const r = rgb[0].row(y), *const g = rgb[1].row(y), *const b = rgb[2].row(y);
        for (int x = 0; x < to.width; ++x) out[x] = mixed({r[x], g[x], b[x]}, plane, 1);
      } else {
        for (int x = 0; x < to.width; ++x)
          out[x] = mean_at(rgb, plane, {x << shift_x, (y << shift_y) + taps_.first_row});
      }
    }
  }

 private:
  struct Place {
    int x, y;
  };

  static PlaneView<const T> view(const Frame& frame, size_t plane) {
    if constexpr (sizeof(T) == 1) {
      return frame.planes[plane].u8;
    } else {
      return frame.planes[plane].u16;
    }
  }

  // Of sums of samples whose weights add up to `weight`.
  T mixed(const std::array<int64_t, 3>& sums, size_t plane, int64_t weight) const {
    const Mixture& m = mixtures_[plane];
    const int64_t unit = weight << kFractionBits;
    const int64_t value = m.red * sums[0] + m.green * sums[1] + m.blue * sums[2] + m.offset * weight;
    return static_cast<T>((value + unit / 2) / unit);  // never negative: limited range lies above zero
  }

  T mean_at(const std::array<PlaneView<const T>, 3>& rgb, size_t plane, Place middle) const {
    std::array<int64_t, 3> sums = {};
    for (int j = 0; j < 3; ++j) {
      const int y = std::clamp(middle.y + j - 1, 0, size_.height - 1);
      for (int i = 0; i < 3; ++i) {
        const int64_t weight = taps_.across[static_cast<size_t>(i)] * taps_.down[static_cast<size_t>(j)];
        const int x = std::clamp(middle.x + i - 1, 0, size_.width - 1);
        for (size_t c = 0; weight > 0 && c < 3; ++c) sums[c] += weight * rgb[c].row(y)[x];
      }
    }
    return mixed(sums, plane, sum_of(taps_.across) * sum_of(taps_.down));
  }

  const PlaneSize size_;
  const Chroma chroma_;
  const ChromaTaps taps_;
  const std::array<Mixture, kMaxPlanes> mixtures_;
};

template <typename T>
void put_plane(Frame& frame, size_t i, const Plane<T>& plane) {
  if constexpr (sizeof(T) == 1) {
    frame.planes[i].u8 = plane.view();
  } else {
    frame.planes[i].u16 = plane.view();
  }
}

class Fitter final : public FrameFitter {
 public:
  Fitter(const VideoFormat& from, const Fitting& fitting, int planes)
      : stored_(from),
        from_(fitted_format(from, {.ycbcr = fitting.ycbcr})),
        to_(fitted_format(from, fitting)),
        ycbcr_(from_.matrix != from.matrix ? fitting.ycbcr : std::nullopt),
        kernel_(fitting.kernel),
        planes_(std::min(planes, plane_count(from_.chroma))),
        scales_(from.width != to_.width || from.height != to_.height) {
    const bool limits = from_.range != to_.range;
    const int bits = scales_ ? to_.bit_depth : from_.bit_depth;  // where the tables begin
    for (const bool is_chroma : {false, true}) {
      if (limits) {
        levels_[is_chroma] = limited_levels(bits, to_.bit_depth, is_chroma);
      } else if (!scales_) {
        levels_[is_chroma] = shifted_levels(bits, to_.bit_depth - bits);
      }
    }
    if (scales_) give_back(open_scaler());
  }

  Frame fit(const Frame& frame) const override {
    Frame in = on_host(frame);
    if (ycbcr_) in = from_.bit_depth > 8 ? to_ycbcr<uint16_t>(in) : to_ycbcr<uint8_t>(in);
    if (ycbcr_ && !scales_ && from_.bit_depth == to_.bit_depth) return in;
    return to_.bit_depth > 8 ? fit<uint16_t>(in) : fit<uint8_t>(in);
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::kMismatch, from_.name + ": pictures of " + std::string(to_string(from_.chroma)) +
                                          " and " + std::to_string(from_.bit_depth) +
                                          " bits cannot be scaled here.");
  }

  Scaler open_scaler() const {
    const AVPixelFormat in = pixel_format(from_.chroma, from_.bit_depth, planes_);
    const AVPixelFormat out = pixel_format(from_.chroma, to_.bit_depth, planes_);
    if (in == AV_PIX_FMT_NONE || out == AV_PIX_FMT_NONE || !sws_isSupportedInput(in) ||
        !sws_isSupportedOutput(out))
      refuse();
    Scaler scaler(sws_alloc_context());
    if (!scaler) throw std::bad_alloc();
    const int kernel = kernel_ == ScaleKernel::kLanczos ? SWS_LANCZOS : SWS_BICUBIC;
    const int full = from_.range == Range::kFull ? 1 : 0;
    const std::pair<const char*, int64_t> settings[] = {
        {"srcw", from_.width},
        {"srch", from_.height},
        {"src_format", in},
        {"dstw", to_.width},
        {"dsth", to_.height},
        {"dst_format", out},
        {"src_range", full},
        {"dst_range", full},
        {"sws_flags", kernel | SWS_ACCURATE_RND | SWS_BITEXACT}};
    for (const auto& [name, value] : settings) {
      if (av_opt_set_int(scaler.get(), name, value, 0) < 0) refuse();
    }
    if (sws_init_context(scaler.get(), nullptr, nullptr) < 0) refuse();
    return scaler;
  }

  // A scaler works on one frame at a time, so there come to be as many as frames are fitted at once.
  Scaler take_scaler() const {
    {
      const std::scoped_lock lock(mutex_);
      if (!scalers_.empty()) {
        Scaler scaler = std::move(scalers_.back());
        scalers_.pop_back();
        return scaler;
      }
    }
    return open_scaler();
  }

  void give_back(Scaler scaler) const {
    const std::scoped_lock lock(mutex_);
    scalers_.push_back(std::move(scaler));
  }

  template <typename T>
  std::shared_ptr<Planes<T>> new_planes(const VideoFormat& format) const {
    auto planes = std::make_shared<Planes<T>>();
    for (int i = 0; i < planes_; ++i) {
      const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
      (*planes)[static_cast<size_t>(i)] = Plane<T>(size.width, size.height);
    }
    return planes;
  }

  // The same picture and times with these planes.
  template <typename T>
  Frame with_planes(const Frame& frame, const VideoFormat& format, std::shared_ptr<Planes<T>> planes) const {
    Frame fitted = frame;
    fitted.planes = {};
    fitted.bit_depth = format.bit_depth;
    fitted.place.reset();
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) put_plane(fitted, i, (*planes)[i]);
    fitted.owner = std::move(planes);
    return fitted;
  }

  template <typename T>
  Frame to_ycbcr(const Frame& frame) const {
    const RgbConverter<T> converter(stored_, *ycbcr_);
    auto planes = new_planes<T>(from_);
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i)
      converter.convert(frame, i, (*planes)[i].view());
    return with_planes(frame, from_, std::move(planes));
  }

  template <typename T>
  Frame fit(const Frame& frame) const {
    auto planes = new_planes<T>(to_);
    if (scales_) scale(frame, *planes);
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) {
      const Levels& levels = levels_[i > 0];
      const PlaneView<T> out = (*planes)[i].view();
      if (levels.empty()) continue;
      if (scales_) {
        map_plane(out, levels, out);
      } else if (frame.planes[i].is_u8()) {
        map_plane(frame.planes[i].u8, levels, out);
      } else {
        map_plane(frame.planes[i].u16, levels, out);
      }
    }
    return with_planes(frame, to_, std::move(planes));
  }

  template <typename T>
  void scale(const Frame& frame, Planes<T>& planes) const {
    const uint8_t* from[kMaxPlanes] = {};
    uint8_t* to[kMaxPlanes] = {};
    int from_strides[kMaxPlanes] = {}, to_strides[kMaxPlanes] = {};
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) {
      const SampleView& view = frame.planes[i];
      from[i] = view.is_u8() ? view.u8.data : reinterpret_cast<const uint8_t*>(view.u16.data);
      from_strides[i] = static_cast<int>(view.is_u8() ? view.u8.stride : 2 * view.u16.stride);
      to[i] = reinterpret_cast<uint8_t*>(planes[i].view().data);
      to_strides[i] = static_cast<int>(planes[i].view().stride * static_cast<ptrdiff_t>(sizeof(T)));
    }
    Scaler scaler = take_scaler();
    const int rows = sws_scale(scaler.get(), from, from_strides, 0, from_.height, to, to_strides);
    give_back(std::move(scaler));
    if (rows != to_.height)
      throw Error(ErrorKind::kInternal, from_.name + ": libswscale could not scale a picture");
  }

  const VideoFormat stored_, from_, to_;  // from_: of RGB, the Y'CbCr that it becomes first
  const std::optional<YcbcrForm> ycbcr_;  // where it is RGB
  const ScaleKernel kernel_;
  const int planes_;
  const bool scales_;
  std::array<Levels, 2>
      levels_;  // of luma and of chroma, behind scaling; empty where samples stay as they are
  mutable std::mutex mutex_;
  mutable std::vector<Scaler> scalers_;  // at rest
};

}  // namespace

std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes) {
  return std::make_unique<Fitter>(from, fitting, planes);
}

}  // namespace vq::cli
