#include "cli/decoding/ffmpeg_log.h"

#include <cstdarg>
#include <cstdio>

#include "cli/system/files.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {

// Side data, and bookkeeping of reference pictures that streams joined without re-encoding get wrong.
constexpr std::array<std::string_view, 8> kHarmless = {
    "SEI", "VUI", "ICC", "DOVI", "DV profile", "caption", "mmco: unref short", "first frame is no keyframe"};

// Beginnings of messages from FFmpeg's hwaccels, their callers and calls of CUDA's driver.
constexpr std::array<std::string_view, 6> kHardware = {
    "hwaccel", "hardware accelerator", "Hardware is lacking", " failed -> ", "surface", "Vulkan"};

// Parts of FFmpeg log under contexts of their own, which point to the one they work for.
constexpr int kMaxParents = 4;

// FFmpeg gives out no pointers to the classes of hardware devices and of the pictures that lie there.
constexpr std::string_view kDeviceClass = "AVHWDeviceContext", kFramesClass = "AVHWFramesContext";

static FfmpegLog* log_of(const AVHWDeviceContext* device) {
  return has_log(*device) ? static_cast<FfmpegLog*>(device->user_opaque) : nullptr;
}

static FfmpegLog* owner_of(void* object) {
  for (int i = 0; object != nullptr && i < kMaxParents; ++i) {
    const AVClass* const type = *static_cast<const AVClass**>(object);
    if (type == nullptr) return nullptr;
    if (type == avcodec_get_class()) {
      return static_cast<FfmpegLog*>(static_cast<AVCodecContext*>(object)->opaque);
    }
    if (type == avformat_get_class()) {
      return static_cast<FfmpegLog*>(static_cast<AVFormatContext*>(object)->opaque);
    }
    if (type->class_name == kDeviceClass) return log_of(static_cast<AVHWDeviceContext*>(object));
    if (type->class_name == kFramesClass) return log_of(static_cast<AVHWFramesContext*>(object)->device_ctx);
    if (type->parent_log_context_offset == 0) return nullptr;
    object = *reinterpret_cast<void**>(static_cast<uint8_t*>(object) + type->parent_log_context_offset);
  }
  return nullptr;
}

static void log_line(void* object, int level, const char* format, va_list arguments) {
  // FFmpeg 5.1 says no more of a picture that it left empty.
  if (tells_of_failed_grain(format)) level = AV_LOG_ERROR;
  const bool conceals = level <= AV_LOG_INFO && tells_of_concealment(format);
  if (level > AV_LOG_ERROR && !conceals) return;
  FfmpegLog* const log = owner_of(object);
  if (log == nullptr) return;
  if (conceals) log->add_concealment();
  if (level > AV_LOG_ERROR) return;
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string line(text.data());
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  if (!line.empty()) log->add(std::move(line));
}

bool has_log(const AVHWDeviceContext& device) { return device.type == AV_HWDEVICE_TYPE_CUDA; }

void FfmpegLog::add(std::string line) {
  if (is_harmless(line)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++errors_;
  if (first_.empty()) first_ = std::move(line);
}

int64_t FfmpegLog::errors() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return errors_;
}

void FfmpegLog::add_concealment() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++concealments_;
}

bool FfmpegLog::saw_damage() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return errors_ > 0 || concealments_ > 0;
}

void FfmpegLog::begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  errors_ = concealments_ = 0;
}

std::string FfmpegLog::first() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_;
}

void FfmpegLog::mark() {
  const std::lock_guard<std::mutex> lock(mutex_);
  first_.clear();
}

void install_ffmpeg_log() { av_log_set_callback(&log_line); }

std::string ffmpeg_reason(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

static bool has_any(std::string_view line, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return line.find(part) != line.npos; });
}

bool is_harmless(std::string_view line) { return has_any(line, kHarmless); }

bool tells_of_concealment(std::string_view line) { return line.starts_with("concealing"); }

bool tells_of_failed_grain(std::string_view line) {
  return line.starts_with("Failed synthesizing film grain");
}

bool tells_of_hardware(std::string_view line) { return has_any(line, kHardware); }

bool tells_of_too_many_streams(std::string_view line) {
  return line.find("max_streams") != std::string_view::npos ||
         line.find("stream_count") != std::string_view::npos;
}

bool tells_of_too_large_a_picture(std::string_view line) {
  return line.find("Picture size") != std::string_view::npos;
}

namespace {

// In the order of FfmpegLibrary. Structs are those of the version whose headers were compiled.
#define VQ_LIBRARY(name, version) \
  { "lib" name ".so." AV_STRINGIFY(version), name "-" AV_STRINGIFY(version) ".dll" }
constexpr LibraryName kLibraries[] = {VQ_LIBRARY("avformat", LIBAVFORMAT_VERSION_MAJOR),
                                      VQ_LIBRARY("avcodec", LIBAVCODEC_VERSION_MAJOR),
                                      VQ_LIBRARY("avutil", LIBAVUTIL_VERSION_MAJOR)};
#undef VQ_LIBRARY

}  // namespace

void* ffmpeg_function(FfmpegLibrary library, const char* name) {
  std::string reason;
  void* const function = library_function(kLibraries[static_cast<size_t>(library)], name, reason);
  if (function == nullptr) throw Error(ErrorKind::kResource, "FFmpeg cannot be used: {}", reason);
  return function;
}

}  // namespace vq::cli
