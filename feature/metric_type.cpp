#include "feature/metric_type.h"

namespace vq {

static std::string size_text(const VideoFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

[[noreturn]] static void differ(const VideoFormats& formats, const std::string& distorted,
                                const std::string& reference, const std::string& need) {
  throw Error(ErrorKind::kMismatch, formats.distorted.name + " is " + distorted + " and " +
                                        formats.reference->name + " is " + reference + "; " + need);
}

ComparedVideos compared_videos(std::string_view feature, const VideoFormats& formats) {
  const std::string name(feature);
  if (!formats.reference) throw usage_error(name + " compares a video with its reference, and there is none");
  const VideoFormat &distorted = formats.distorted, &reference = *formats.reference;
  if (distorted.width != reference.width || distorted.height != reference.height) {
    differ(formats, size_text(distorted), size_text(reference), name + " needs both at one size.");
  }
  const int depth = std::max(distorted.bit_depth, reference.bit_depth);
  return {.size = {distorted.width, distorted.height},
          .bit_depth = depth,
          .distorted_shift = depth - distorted.bit_depth,
          .reference_shift = depth - reference.bit_depth};
}

void require_same_chroma(std::string_view feature, const VideoFormats& formats, std::string_view else_with) {
  const Chroma distorted = formats.distorted.chroma, reference = formats.reference.value().chroma;
  if (distorted == reference) return;
  const std::string alternative = else_with.empty() ? "" : ", or " + std::string(else_with);
  differ(formats, std::string(to_string(distorted)), std::string(to_string(reference)),
         std::string(feature) + " needs the same chroma subsampling" + alternative + ".");
}

void require_chroma(std::string_view feature, const VideoFormats& formats) {
  for (const VideoFormat* video : {&formats.distorted, &formats.reference.value()}) {
    if (plane_count(video->chroma) > 1) continue;
    throw Error(ErrorKind::kMismatch, video->name + " is " + std::string(to_string(video->chroma)) + "; " +
                                          std::string(feature) + " needs videos with chroma.");
  }
}

void require_sides(std::string_view feature, const VideoFormats& formats, int shortest) {
  const VideoFormat& video = formats.distorted;
  if (std::min(video.width, video.height) >= shortest) return;
  throw Error(ErrorKind::kMismatch, video.name + " is " + size_text(video) + "; " + std::string(feature) +
                                        " needs sides of at least " + std::to_string(shortest) + " samples.");
}

void resolve_chroma(std::string_view feature, OptionSet& set, const VideoFormats& formats,
                    Resolution& resolution) {
  const auto has_chroma = [](const VideoFormat& video) { return plane_count(video.chroma) > 1; };
  const bool both = has_chroma(formats.distorted) && (!formats.reference || has_chroma(*formats.reference));
  if (both || !set.get_bool("enable_chroma")) return;
  set.resolve("enable_chroma", "false");
  resolution.notes.push_back(std::string(feature) + " of luma alone (there is video without chroma)");
}

void require_luma_in_range(const Frame& frame, const VideoFormat& video) {
  const PlaneView<const uint16_t>& luma = frame.luma().u16;
  const unsigned most = (1U << video.bit_depth) - 1;
  if (luma.data == nullptr || video.bit_depth >= 16) return;
  for (int y = 0; y < luma.height; ++y) {
    const uint16_t* const row = luma.row(y);
    uint16_t bits = 0;  // of 16 bits, so that compilers work on whole vectors of samples
    for (int x = 0; x < luma.width; ++x) bits = static_cast<uint16_t>(bits | row[x]);
    if (bits <= most) continue;
    const auto x = std::find_if(row, row + luma.width, [&](uint16_t sample) { return sample > most; }) - row;
    const Error error(ErrorKind::kMismatch, "luma sample " + std::to_string(row[x]) +
                                                " at x=" + std::to_string(x) + ", y=" + std::to_string(y) +
                                                " exceeds " + std::to_string(most) + ", the maximum of " +
                                                std::to_string(video.bit_depth) + "-bit video.");
    throw at_frame(error, video.name, frame.index);
  }
}

void refuse_luma(std::initializer_list<VideoFrame> frames) {
  for (const VideoFrame& each : frames) require_luma_in_range(on_host(each.frame), each.video);
  const VideoFrame& first = *frames.begin();
  throw at_frame(Error(ErrorKind::kBackend,
                       "the device reported a luma sample above its depth's maximum, but there is none"),
                 first.video.name, first.frame.index);
}

}  // namespace vq
