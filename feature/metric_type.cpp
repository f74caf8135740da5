#include "feature/metric_type.h"

namespace vq {

[[noreturn]] static void differ(const VideoFormats& formats, std::string_view distorted,
                                std::string_view reference, const std::string& need) {
  throw Error(ErrorKind::kMismatch, "{} is {} and {} is {}; {}", formats.distorted.name, distorted,
              formats.reference->name, reference, need);
}

ComparedVideos compared_videos(std::string_view feature, const VideoFormats& formats) {
  if (!formats.reference)
    throw usage_error("{} compares a video with its reference, and there is none", feature);
  const VideoFormat &distorted = formats.distorted, &reference = *formats.reference;
  if (distorted.size() != reference.size()) {
    differ(formats, size_text(distorted.size()), size_text(reference.size()),
           words("{} needs both at one size.", feature));
  }
  const int depth = std::max(distorted.bit_depth, reference.bit_depth);
  return {.size = distorted.size(),
          .bit_depth = depth,
          .distorted_shift = depth - distorted.bit_depth,
          .reference_shift = depth - reference.bit_depth};
}

void require_same_chroma(std::string_view feature, const VideoFormats& formats, std::string_view else_with) {
  const Chroma distorted = formats.distorted.chroma, reference = formats.reference.value().chroma;
  if (distorted == reference) return;
  differ(formats, to_string(distorted), to_string(reference),
         words("{} needs the same chroma subsampling{}{}.", feature, else_with.empty() ? "" : ", or ",
               else_with));
}

void require_chroma(std::string_view feature, const VideoFormats& formats) {
  for (const VideoFormat* video : {&formats.distorted, &formats.reference.value()}) {
    if (plane_count(video->chroma) > 1) continue;
    throw Error(ErrorKind::kMismatch, "{} is {}; {} needs videos with chroma.", video->name,
                to_string(video->chroma), feature);
  }
}

void require_sides(std::string_view feature, const VideoFormats& formats, int shortest) {
  const VideoFormat& video = formats.distorted;
  if (std::min(video.width, video.height) >= shortest) return;
  throw Error(ErrorKind::kMismatch, "{} is {}; {} needs sides of at least {} samples.", video.name,
              size_text(video.size()), feature, shortest);
}

void resolve_chroma(std::string_view feature, OptionSet& set, const VideoFormats& formats,
                    Resolution& resolution) {
  const auto has_chroma = [](const VideoFormat& video) { return plane_count(video.chroma) > 1; };
  const bool both = has_chroma(formats.distorted) && (!formats.reference || has_chroma(*formats.reference));
  if (both || !set.get_bool("enable_chroma")) return;
  set.resolve("enable_chroma", "false");
  resolution.notes.push_back(words("{} of luma alone (there is video without chroma)", feature));
}

std::optional<Error> luma_excess(const SampleView& plane, int bit_depth) {
  const PlaneView<const uint16_t>& luma = plane.u16;
  const unsigned most = (1U << bit_depth) - 1;
  if (luma.data == nullptr || bit_depth >= 16) return std::nullopt;
  for (int y = 0; y < luma.height; ++y) {
    const uint16_t* const row = luma.row(y);
    uint16_t bits = 0;  // of 16 bits, so that compilers work on whole vectors of samples
    for (int x = 0; x < luma.width; ++x) bits = static_cast<uint16_t>(bits | row[x]);
    if (bits <= most) continue;
    const auto x = std::find_if(row, row + luma.width, [&](uint16_t sample) { return sample > most; }) - row;
    return Error(ErrorKind::kMismatch,
                 "luma sample {} at x={}, y={} exceeds {}, the maximum of {}-bit video.", row[x], x, y, most,
                 bit_depth);
  }
  return std::nullopt;
}

void require_luma_in_range(const Frame& frame, const VideoFormat& video) {
  if (const std::optional<Error> error = luma_excess(frame.luma(), video.bit_depth))
    throw at_frame(*error, video.name, frame.index);
}

void refuse_luma(std::initializer_list<VideoFrame> frames) {
  for (const VideoFrame& each : frames) require_luma_in_range(on_host(each.frame), each.video);
  const VideoFrame& first = *frames.begin();
  throw at_frame(Error(ErrorKind::kBackend,
                       "the device reported a luma sample above its depth's maximum, but there is none"),
                 first.video.name, first.frame.index);
}

}  // namespace vq
