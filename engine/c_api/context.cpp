#include "engine/c_api/context.h"

#include <cstdlib>

#include "feature/device_feature.h"

namespace vq::c_api {

constexpr int kMostThreads = 1024;

static std::optional<Backend> parse_backend(const char* word) {
  if (word == nullptr || std::string_view(word) == "auto") return std::nullopt;
  if (const std::optional<Backend> backend = backend_named(word)) return backend;
  throw usage_error("there is no backend \"{}\"; it is auto, cpu, scalar, hybrid or vulkan", printable(word));
}

static int parse_threads(int threads) {
  if (threads < 0 || threads > kMostThreads)
    throw usage_error("threads is {}; 0 to {} are allowed", threads, kMostThreads);
  return threads > 0 ? threads : usable_cores();
}

Context::Context(const CambiOptions& options)
    : threads_(parse_threads(options.threads)),
      backend_(parse_backend(options.backend)),
      device_(options.device != nullptr ? options.device : ""),
      log_(options.log),
      log_user_(options.log_user) {
  if (options.cache_folder != nullptr) cache_folder_ = options.cache_folder;
}

void Context::log(CambiLogLevel level, const std::string& text) const {
  if (log_ != nullptr) log_(log_user_, level, text.c_str());
}

WorkerPool& Context::pool() {
  const std::lock_guard lock(mutex_);
  if (!pool_) pool_ = std::make_unique<WorkerPool>(threads_);
  return *pool_;
}

BackendChoice Context::choose(const std::vector<FeatureRequest>& features) {
  const BackendRequest request = {.backend = backend_, .device = device_, .features = infos_of(features)};
  BackendChoice choice = choose_backend(request, devices_for(request));
  if (!is_on_device(choice.backend)) return choice;
  choice.devices = lease_selection({.selector = choice.devices.selector,
                                    .requirement = device_requirement(request.features, choice.backend),
                                    .cache_folder = cache_folder_,
                                    .list = choice.list});
  if (!choice.may_fall_back) (void)choice.devices.opened.get();  // throws what is wrong with them
  return choice;
}

namespace {

template <typename T, size_t n>
T chosen(const std::array<T, n>& values, int index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= n) throw usage_error("there is no {} {}", what, index);
  return values[static_cast<size_t>(index)];
}

constexpr std::array kChromas = {Chroma::k420, Chroma::k400, Chroma::k422, Chroma::k440,
                                 Chroma::k444, Chroma::k411, Chroma::k410};
constexpr std::array kRanges = {Range::kUnspecified, Range::kLimited, Range::kFull};
constexpr std::array kMatrices = {Matrix::kUnspecified, Matrix::kBt601,  Matrix::kBt709, Matrix::kFcc,
                                  Matrix::kSmpte240,    Matrix::kBt2020, Matrix::kOther, Matrix::kRgb};
constexpr std::array kTransfers = {Transfer::kUnspecified, Transfer::kBt1886, Transfer::kPq,
                                   Transfer::kHlg,         Transfer::kOther,  Transfer::kSrgb,
                                   Transfer::kLinear};
constexpr std::array kLocations = {ChromaLocation::kUnspecified, ChromaLocation::kLeft,
                                   ChromaLocation::kCenter,      ChromaLocation::kTopLeft,
                                   ChromaLocation::kTop,         ChromaLocation::kBottomLeft,
                                   ChromaLocation::kBottom};

// Copied planes, without guards, one behind the other.
struct Copy {
  std::unique_ptr<std::byte[]> samples;
};

template <typename T>
void set_view(SampleView& view, const void* data, PlaneSize size, ptrdiff_t stride_bytes) {
  const PlaneView<const T> plane = {static_cast<const T*>(data), size.width, size.height,
                                    stride_bytes / static_cast<ptrdiff_t>(sizeof(T))};
  if constexpr (sizeof(T) == 1) {
    view.u8 = plane;
  } else {
    view.u16 = plane;
  }
}

void set_plane(SampleView& view, const void* data, PlaneSize size, ptrdiff_t stride_bytes, bool is_deep) {
  if (is_deep) {
    set_view<uint16_t>(view, data, size, stride_bytes);
  } else {
    set_view<uint8_t>(view, data, size, stride_bytes);
  }
}

// Words are read as words.
bool is_aligned(const void* data, ptrdiff_t stride_bytes, bool is_deep) {
  return !is_deep || (reinterpret_cast<uintptr_t>(data) % 2 == 0 && stride_bytes % 2 == 0);
}

}  // namespace

VideoFormat format_of(const CambiPicture& picture, const char* name) {
  VideoFormat format{.name = name,
                     .width = picture.width,
                     .height = picture.height,
                     .bit_depth = picture.bit_depth,
                     .chroma = chosen(kChromas, picture.chroma, "chroma format"),
                     .range = chosen(kRanges, picture.range, "range"),
                     .transfer = chosen(kTransfers, picture.transfer, "transfer"),
                     .matrix = chosen(kMatrices, picture.matrix, "matrix"),
                     .chroma_location = chosen(kLocations, picture.chroma_location, "chroma location")};
  if (picture.width < 1 || picture.height < 1 || picture.width > kMaxSide || picture.height > kMaxSide) {
    throw Error(ErrorKind::kMismatch, "{} has {}x{} samples; sides are 1 to {}", name, picture.width,
                picture.height, kMaxSide);
  }
  if (format.matrix == Matrix::kRgb && format.chroma != Chroma::k444)
    throw Error(ErrorKind::kMismatch, "{} is RGB, whose planes have one size: 4:4:4", name);
  if (picture.bit_depth < 8 || picture.bit_depth > 16)
    throw Error(ErrorKind::kMismatch, "{} has {} bits a sample; 8 to 16 are taken", name, picture.bit_depth);
  return format;
}

Frame frame_of(const CambiPicture& picture, const VideoFormat& format, int planes,
               std::shared_ptr<const PictureOwner> owner) {
  const bool is_deep = format.bit_depth > 8;
  const int count = std::min(planes, plane_count(format.chroma));
  const PlaneSize luma = {format.width, format.height};
  const int64_t sample_bytes = is_deep ? 2 : 1;
  Frame frame;
  frame.bit_depth = format.bit_depth;
  if (picture.has_seconds != 0) frame.timestamp = picture.seconds;
  std::shared_ptr<Copy> copy;
  int64_t place = 0;
  if (picture.release == nullptr) {
    copy = std::make_shared<Copy>();
    copy->samples = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<size_t>(sample_count(luma, format.chroma, count) * sample_bytes));
  }
  for (int i = 0; i < count; ++i) {
    const auto p = static_cast<size_t>(i);
    const PlaneSize size = plane_size(luma, format.chroma, i);
    const ptrdiff_t row_bytes = static_cast<ptrdiff_t>(size.width * sample_bytes),
                    stride = picture.strides[p];
    const auto* const data = static_cast<const std::byte*>(picture.planes[p]);
    if (data == nullptr) throw usage_error("{}: plane {} is null", format.name, i);
    if (std::abs(stride) < row_bytes || !is_aligned(data, stride, is_deep)) {
      throw usage_error("{}: plane {} has rows of {} bytes and a stride of {}", format.name, i, row_bytes,
                        stride);
    }
    if (!copy) {
      set_plane(frame.planes[p], data, size, stride, is_deep);
      continue;
    }
    std::byte* const to = copy->samples.get() + place;
    for (int y = 0; y < size.height; ++y)
      std::memcpy(to + y * row_bytes, data + y * stride, static_cast<size_t>(row_bytes));
    set_plane(frame.planes[p], to, size, row_bytes, is_deep);
    place += row_bytes * size.height;
  }
  frame.owner =
      copy ? std::shared_ptr<const void>(std::move(copy)) : std::shared_ptr<const void>(std::move(owner));
  return frame;
}

namespace {

// An array, so that threads that end after the library was unloaded have nothing to destroy.
constexpr size_t kMostErrorBytes = 1024;
thread_local char last_text[kMostErrorBytes] = "";

void remember(const char* text) noexcept {
  size_t bytes = std::min(std::strlen(text), kMostErrorBytes - 1);
  // A character of UTF-8 is kept whole or left out.
  while (bytes > 0 && text[bytes] != '\0' && (text[bytes] & 0xC0) == 0x80) --bytes;
  std::memcpy(last_text, text, bytes);
  last_text[bytes] = '\0';
}

CambiStatus status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return CAMBI_EUSAGE;
    case ErrorKind::kInput:
    case ErrorKind::kMismatch:
    case ErrorKind::kIncomplete:
    case ErrorKind::kThreshold:
      return CAMBI_EFORMAT;
    case ErrorKind::kBackend:
      return CAMBI_EDEVICE;
    case ErrorKind::kOutput:
      return CAMBI_EOUTPUT;
    case ErrorKind::kResource:
      return CAMBI_ENOMEM;
    case ErrorKind::kInternal:
      break;
  }
  return CAMBI_EINTERNAL;
}

}  // namespace

CambiStatus status_of_exception() noexcept {
  try {
    throw;
  } catch (const NotFound& error) {
    remember(error.what());
    return CAMBI_ENOTFOUND;
  } catch (const Stopped& error) {
    remember(error.what());
    return CAMBI_ESTOPPED;
  } catch (const Error& error) {
    remember(error.what());
    return status_of(error.kind());
  } catch (const std::bad_alloc&) {
    remember("not enough memory");
    return CAMBI_ENOMEM;
  } catch (const std::exception& error) {
    remember(error.what());
  } catch (...) {
    remember("an unknown exception");
  }
  return CAMBI_EINTERNAL;
}

const char* last_error() noexcept { return last_text; }

}  // namespace vq::c_api
