#include "cli/decoding/damage/container_declarations.h"

#include <algorithm>

#include "cli/decoding/damage/container_header.h"

namespace vq::cli {
namespace {

// What writers leave where they could not go back to fill in the length: of ivf, of AVI and of RealMedia.
constexpr int64_t kUnfilledCount = 0xffffffff;
constexpr int64_t kUnfilledAviFrames = int64_t{1} << 30;
constexpr double kUnfilledRmSeconds = 3600;

bool is_format(const AVFormatContext& container, std::string_view name) {
  return container.iformat->name == name;
}

std::optional<double> positive_seconds(int64_t ticks, AVRational base) {
  if (ticks == AV_NOPTS_VALUE || ticks <= 0 || ticks == kUnfilledCount || base.den <= 0) return std::nullopt;
  return std::min(static_cast<double>(ticks) * av_q2d(base), kMaxSeconds);
}

// Containers that keep a length for every stream; elsewhere it is that of the longest.
bool has_stream_lengths(const AVFormatContext& container) {
  return is_mov(container) || is_format(container, "avi") || is_format(container, "mxf");
}

StreamDeclaration declaration_of(const AVFormatContext& container, const AVStream& stream) {
  const AVCodecParameters& codec = *stream.codecpar;
  StreamDeclaration declaration = {codec.width,     codec.height,     codec.color_range,
                                   codec.color_trc, stream.nb_frames, stream.duration};
  if (declaration.frames == kUnfilledCount) declaration.frames = 0;
  if (is_format(container, "avi")) {
    if (declaration.frames == kUnfilledAviFrames) declaration.frames = 0;
    // A tick is a frame. The duration of a file that is shorter than its header says was made to fit.
    declaration.duration = declaration.frames;
  }
  return declaration;
}

// The index has the samples of an mp4 as they will be read: edit lists leave some out, repeat some, and have
// some read for reference only and not shown.
void apply_index(AVStream& stream, DeclaredLength& declared) {
  const int entries = avformat_index_get_entries_count(&stream);
  if (entries <= 0) return;
  declared.packets = entries;
  declared.pictures = entries;
  declared.packets_decide = true;
  for (int i = 0; i < entries; ++i) {
    if (avformat_index_get_entry(&stream, i)->flags & AVINDEX_DISCARD_FRAME) --*declared.pictures;
  }
}

}  // namespace

bool is_mov(const AVFormatContext& container) {
  return std::string_view(container.iformat->name).starts_with("mov,");
}

ContainerDeclarations::ContainerDeclarations(const AVFormatContext& container, std::string_view start)
    : duration_(container.duration), bytes_(declared_bytes(start)) {
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    streams_.push_back(declaration_of(container, *container.streams[i]));
  }
  if (is_format(container, "asf")) header_seconds_ = asf_seconds(start);
}

void ContainerDeclarations::add_probed(const AVFormatContext& container) {
  const bool is_read = container.duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
  if (is_read && is_format(container, "flv")) duration_ = container.duration;
}

const StreamDeclaration* ContainerDeclarations::of(const AVStream& stream) const {
  const auto index = static_cast<size_t>(stream.index);
  return index < streams_.size() ? &streams_[index] : nullptr;
}

DeclaredLength ContainerDeclarations::length(const AVFormatContext& container, const AVStream& stream) const {
  DeclaredLength declared;
  declared.bytes = bytes_;
  declared.seconds = positive_seconds(duration_, AVRational{1, AV_TIME_BASE});
  declared.seconds_of_all_streams = container.nb_streams > 1;
  const StreamDeclaration* const declaration = of(stream);
  if (declaration == nullptr) return declared;
  const auto seconds = positive_seconds(declaration->duration, stream.time_base);
  if (seconds) declared.seconds = seconds;
  if (seconds && has_stream_lengths(container)) declared.seconds_of_all_streams = false;
  if (header_seconds_) declared.seconds = std::min(*header_seconds_, kMaxSeconds);
  if (is_format(container, "rm") && declared.seconds == kUnfilledRmSeconds) declared.seconds.reset();
  if (declaration->frames <= 0) return declared;
  declared.packets = declared.pictures = declaration->frames;
  // Elsewhere what counts as one is not always sure.
  const bool is_sure = is_mov(container) || is_format(container, "avi") || is_format(container, "ivf");
  declared.packet_slack = is_sure ? 0 : 1;
  if (is_mov(container)) apply_index(*container.streams[stream.index], declared);
  return declared;
}

}  // namespace vq::cli
