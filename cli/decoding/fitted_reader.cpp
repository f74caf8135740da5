#include "cli/decoding/fitted_reader.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "core/error.h"

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

template <typename T>
void shift_plane(const SampleView& from, int shift, PlaneView<T> to) {
  const auto copy = [&](const auto& view) {
    for (int y = 0; y < to.height; ++y) {
      const auto* const in = view.row(y);
      T* const out = to.row(y);
      for (int x = 0; x < to.width; ++x) out[x] = static_cast<T>(in[x] << shift);
    }
  };
  from.is_u8() ? copy(from.u8) : copy(from.u16);
}

template <typename T>
void put_plane(Frame& frame, size_t i, const Plane<T>& plane) {
  if constexpr (sizeof(T) == 1) {
    frame.planes[i].u8 = plane.view();
  } else {
    frame.planes[i].u16 = plane.view();
  }
}

class FittedReader final : public FrameReader {
 public:
  FittedReader(std::unique_ptr<FrameReader> reader, const FittedFormat& format, int planes)
      : reader_(std::move(reader)), format_(format), info_(reader_->info()) {
    planes_ = std::min(planes, plane_count(info_.format.chroma));
    const VideoFormat& from = reader_->info().format;
    info_.format.width = format.size.width;
    info_.format.height = format.size.height;
    info_.format.bit_depth = format.bit_depth;
    scales_ = from.width != format.size.width || from.height != format.size.height;
    if (scales_) open_scaler(from);
  }

  const VideoInfo& info() const override { return info_; }
  const VideoInfo& source_info() const override { return reader_->source_info(); }
  bool gives_copies() const override { return true; }
  void limit_ahead(int64_t bytes) override { reader_->limit_ahead(bytes); }
  void decode_by(const SourceOptions& options) override { reader_->decode_by(options); }
  void start() override { reader_->start(); }
  int64_t skipped() const override { return reader_->skipped(); }
  std::vector<std::string> take_warnings() override { return reader_->take_warnings(); }
  // Its frames lie in memory of its own.
  void use_store(std::shared_ptr<FrameStore>) override {}
  std::optional<StreamLength> measured_length() override { return reader_->measured_length(); }
  std::string decoders() override { return reader_->decoders(); }
  ReadingTimes times() const override { return reader_->times(); }

  std::optional<Frame> next(const std::function<bool()>& interrupted) override {
    std::optional<Frame> frame = reader_->next(interrupted);
    if (!frame) return frame;
    return format_.bit_depth > 8 ? fit<uint16_t>(on_host(*frame)) : fit<uint8_t>(on_host(*frame));
  }

 private:
  [[noreturn]] void refuse() const {
    const VideoFormat& from = reader_->info().format;
    throw Error(ErrorKind::kMismatch, info_.path + ": pictures of " + std::string(to_string(from.chroma)) + " and " +
                                          std::to_string(from.bit_depth) + " bits cannot be scaled here.");
  }

  void open_scaler(const VideoFormat& from) {
    in_ = pixel_format(from.chroma, from.bit_depth, planes_);
    out_ = pixel_format(from.chroma, format_.bit_depth, planes_);
    if (in_ == AV_PIX_FMT_NONE || out_ == AV_PIX_FMT_NONE || !sws_isSupportedInput(in_) || !sws_isSupportedOutput(out_)) refuse();
    scaler_.reset(sws_alloc_context());
    if (!scaler_) throw std::bad_alloc();
    const int kernel = format_.kernel == ScaleKernel::kLanczos ? SWS_LANCZOS : SWS_BICUBIC;
    const int full = from.range == Range::kFull ? 1 : 0;
    const std::pair<const char*, int64_t> settings[] = {{"srcw", from.width},
                                                        {"srch", from.height},
                                                        {"src_format", in_},
                                                        {"dstw", format_.size.width},
                                                        {"dsth", format_.size.height},
                                                        {"dst_format", out_},
                                                        {"src_range", full},
                                                        {"dst_range", full},
                                                        {"sws_flags", kernel | SWS_ACCURATE_RND | SWS_BITEXACT}};
    for (const auto& [name, value] : settings) {
      if (av_opt_set_int(scaler_.get(), name, value, 0) < 0) refuse();
    }
    if (sws_init_context(scaler_.get(), nullptr, nullptr) < 0) refuse();
  }

  template <typename T>
  Frame fit(const Frame& frame) {
    auto planes = std::make_shared<Planes<T>>();
    for (int i = 0; i < planes_; ++i) {
      const PlaneSize size = plane_size(format_.size, info_.format.chroma, i);
      (*planes)[static_cast<size_t>(i)] = Plane<T>(size.width, size.height);
    }
    scales_ ? scale(frame, *planes) : shift(frame, *planes);
    Frame fitted = frame;
    fitted.planes = {};
    fitted.bit_depth = format_.bit_depth;
    fitted.repeated_planes = 0;
    fitted.place.reset();
    for (int i = 0; i < planes_; ++i) put_plane(fitted, static_cast<size_t>(i), (*planes)[static_cast<size_t>(i)]);
    fitted.owner = std::move(planes);
    return fitted;
  }

  template <typename T>
  void shift(const Frame& frame, Planes<T>& planes) const {
    const int bits = format_.bit_depth - reader_->info().format.bit_depth;
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) shift_plane(frame.planes[i], bits, planes[i].view());
  }

  template <typename T>
  void scale(const Frame& frame, Planes<T>& planes) {
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
    const int height = reader_->info().format.height;
    if (sws_scale(scaler_.get(), from, from_strides, 0, height, to, to_strides) != format_.size.height) {
      throw Error(ErrorKind::kInternal, info_.path + ": libswscale could not scale a picture");
    }
  }

  const std::unique_ptr<FrameReader> reader_;
  const FittedFormat format_;
  VideoInfo info_;
  int planes_ = 1;
  bool scales_ = false;
  AVPixelFormat in_ = AV_PIX_FMT_NONE, out_ = AV_PIX_FMT_NONE;
  Scaler scaler_;
};

}  // namespace

std::string_view to_string(ScaleKernel kernel) {
  return kernel == ScaleKernel::kLanczos ? "lanczos" : "bicubic";
}

std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const FittedFormat& format, int planes) {
  return std::make_unique<FittedReader>(std::move(reader), format, planes);
}

}  // namespace vq::cli
