#include "cli/decoding/frame_reader.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <vector>

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/open_video.h"
#include "core/error.h"
#include "core/fitting.h"
#include "core/frame.h"
#include "core/text.h"
#include "core/trace.h"

namespace vq::cli {

FrameQueue::FrameQueue(SourceOptions options, FrameQueueLimits limits) : limits_(limits) {
  options.stop =
      StopToken([this, asked = std::move(options.stop)] { return stop_.load() || asked.is_requested(); });
  options.store = store_;
  source_ = options.part ? open_part(options) : open_video(options);
  info_ = source_->info();
}

void FrameQueue::start() {
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { read_ahead(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::kResource,
                words("{}: no thread can be started to read it: {}. Try: a higher limit of processes",
                      shown_path(info_.path), errno_text(error.code().value())));
  }
}

FrameQueue::~FrameQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FrameQueue::decode_by(const SourceOptions& options) {
  source_->decode_by(options);
  info_ = source_->info();
}

void FrameQueue::read_ahead() {
  name_thread("reader of ", info_.path);
  std::exception_ptr error;
  for (const auto step : {&FrameQueue::read_frames, &FrameQueue::collect_warnings}) {
    try {
      (this->*step)();
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    measured_ = source_->measured_length();
    ended_ = true;
  }
  changed_.notify_all();
}

void FrameQueue::collect_warnings() {
  std::vector<std::string> lines = source_->take_warnings();
  const std::string decoders = source_->decoders();
  const std::lock_guard lock(mutex_);
  decoders_ = decoders;
  for (std::string& line : lines) warnings_.push_back(std::move(line));
}

// False if reading is to stop.
bool FrameQueue::wait_for_room() {
  const TraceSpan span("wait for the scorer");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_.load() || frames_.size() < limits_.capacity; });
  return !stop_;
}

void FrameQueue::read_frames() {
  if (limits_.skip + limits_.first > 0) {
    const int64_t skipped = std::min(source_->skip(limits_.skip + limits_.first), limits_.skip);
    const std::lock_guard lock(mutex_);
    skipped_ = skipped;
  }
  for (int64_t next = limits_.first; limits_.end < 0 || next < limits_.end;) {
    if (!wait_for_room()) return;
    std::optional<Frame> frame;
    {
      const TraceSpan span("read", next + limits_.skip);
      frame = source_->read();
    }
    if (!frame) return;
    frame->index -= limits_.skip;
    if (limits_.end >= 0 && frame->index >= limits_.end) return;
    next = frame->index + 1;
    collect_warnings();
    {
      const std::lock_guard lock(mutex_);
      frames_.push_back(std::move(*frame));
    }
    changed_.notify_all();
  }
}

std::optional<Frame> FrameQueue::next(const StopToken& stop) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const TraceSpan span("wait for a frame");
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kPoll, [this] { return ended_ || !frames_.empty(); })) {
    if (stop.is_requested()) return std::nullopt;
  }
  waited_ += std::chrono::duration<double>(Clock::now() - start).count();
  if (frames_.empty()) {
    if (error_ && !stop.is_requested()) std::rethrow_exception(error_);
    is_at_end_ = true;
    return std::nullopt;
  }
  std::optional<Frame> frame = std::move(frames_.front());
  frames_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return frame;
}

std::vector<std::string> FrameQueue::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

std::string FrameQueue::decoders() {
  const std::lock_guard lock(mutex_);
  return decoders_;
}

std::optional<StreamLength> FrameQueue::measured_length() {
  const std::lock_guard lock(mutex_);
  return is_at_end_ ? measured_ : std::nullopt;
}

double FrameQueue::waited() const {
  const std::lock_guard lock(mutex_);
  return waited_;
}

namespace {

struct ScalerDeleter {
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};
using Scaler = std::unique_ptr<SwsContext, ScalerDeleter>;

// Samples of a picture, with the rows that features may look beyond.
template <typename T>
using Planes = std::array<Plane<T>, kMaxPlanes>;

// Planes with these samples in FFmpeg's words; AV_PIX_FMT_NONE if it has none.
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
  if (bits > 8) name += words("{}le", bits);
  return av_get_pix_fmt(name.c_str());
}

template <typename T>
void put_plane(Frame& frame, size_t i, const Plane<T>& plane) {
  if constexpr (sizeof(T) == 1) {
    frame.planes[i].u8 = plane.view();
  } else {
    frame.planes[i].u16 = plane.view();
  }
}

class ScalingFitter final : public FrameFitter {
 public:
  ScalingFitter(const VideoFormat& from, const Fitting& fitting, int planes) : kernel_(fitting.kernel) {
    const Fitting colours{.ycbcr = fitting.ycbcr, .matrix = fitting.matrix, .chroma = fitting.chroma};
    const Fitting sizes{.size = fitting.size, .least_bits = fitting.least_bits};
    const Fitting range{.limits_range = fitting.limits_range};
    if (changes(colours, from)) before_ = make_sample_fitter(from, colours, planes);
    from_ = fitted_format(from, colours);
    to_ = fitted_format(from_, sizes);
    planes_ = std::min(planes, plane_count(from_.chroma));
    if (changes(range, to_)) behind_ = make_sample_fitter(to_, range, planes);
    give_back(open_scaler());
  }

  Frame fit(const Frame& frame) const override {
    const Frame in = before_ ? before_->fit(frame) : on_host(frame);
    const Frame scaled = to_.bit_depth > 8 ? scale<uint16_t>(in) : scale<uint8_t>(in);
    return behind_ ? behind_->fit(scaled) : scaled;
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::kMismatch, words("{}: pictures of {} and {} bits cannot be scaled here.",
                                            from_.name, to_string(from_.chroma), from_.bit_depth));
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

  // The same picture and times in another size.
  template <typename T>
  Frame scale(const Frame& frame) const {
    auto planes = std::make_shared<Planes<T>>();
    for (int i = 0; i < planes_; ++i) {
      const PlaneSize size = plane_size({to_.width, to_.height}, to_.chroma, i);
      (*planes)[static_cast<size_t>(i)] = Plane<T>(size.width, size.height);
    }
    scale(frame, *planes);
    Frame scaled = frame;
    scaled.planes = {};
    scaled.bit_depth = to_.bit_depth;
    scaled.place.reset();
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) put_plane(scaled, i, (*planes)[i]);
    scaled.owner = std::move(planes);
    return scaled;
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
      throw Error(ErrorKind::kInternal, words("{}: libswscale could not scale a picture", from_.name));
  }

  const ScaleKernel kernel_;
  VideoFormat from_, to_;  // of the pictures that are scaled, before and behind that
  int planes_ = 1;
  std::unique_ptr<FrameFitter> before_, behind_;  // null if nothing is left to do
  mutable std::mutex mutex_;
  mutable std::vector<Scaler> scalers_;  // at rest
};

class CroppedReader final : public ReaderOver {
 public:
  CroppedReader(std::unique_ptr<FrameReader> reader, const Rectangle& rectangle)
      : ReaderOver(std::move(reader)), rectangle_(rectangle) {
    info_.format.width = rectangle.width;
    info_.format.height = rectangle.height;
  }

  std::optional<Frame> next(const StopToken& stop) override {
    std::optional<Frame> frame = reader_->next(stop);
    if (frame) crop_frame(*frame, info_.format.chroma, rectangle_);
    return frame;
  }

 private:
  const Rectangle rectangle_;
};

}  // namespace

std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes) {
  const VideoFormat fitted = fitted_format(from, fitting);
  if (fitted.width == from.width && fitted.height == from.height)
    return make_sample_fitter(from, fitting, planes);
  return std::make_unique<ScalingFitter>(from, fitting, planes);
}

namespace {

class FittedReader final : public ReaderOver {
 public:
  FittedReader(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes)
      : ReaderOver(std::move(reader)), fitter_(make_frame_fitter(info_.named_format(), fitting, planes)) {
    info_.format = fitted_format(std::move(info_.format), fitting);
  }

  bool gives_copies() const override { return true; }
  void use_store(std::shared_ptr<FrameStore>) override {}

  std::optional<Frame> next(const StopToken& stop) override {
    std::optional<Frame> frame = reader_->next(stop);
    if (!frame) return frame;
    Frame fitted = fitter_->fit(*frame);
    fitted.repeated_planes = 0;
    return fitted;
  }

 private:
  const std::unique_ptr<FrameFitter> fitter_;
};

}  // namespace

std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes) {
  return std::make_unique<FittedReader>(std::move(reader), fitting, planes);
}

void crop_frame(Frame& frame, Chroma chroma, const Rectangle& r) {
  frame = on_host(frame);
  for (int plane = 0; plane < kMaxPlanes; ++plane) {
    SampleView& samples = frame.planes[static_cast<size_t>(plane)];
    if (samples.empty()) continue;
    const ChromaShifts shifts = plane == 0 ? ChromaShifts() : chroma_shifts(chroma);
    const PlaneSize size = plane_size({r.width, r.height}, chroma, plane);
    const auto cut = [&](auto& view) {
      view = {view.row(r.y >> shifts.y) + (r.x >> shifts.x), size.width, size.height, view.stride};
    };
    if (samples.is_u8()) {
      cut(samples.u8);
    } else {
      cut(samples.u16);
    }
  }
}

std::unique_ptr<FrameReader> cropped(std::unique_ptr<FrameReader> reader, const Rectangle& rectangle) {
  return std::make_unique<CroppedReader>(std::move(reader), rectangle);
}

}  // namespace vq::cli
