#include "cli/decoding/video_source.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kSecondsDecimals = 6;

}  // namespace

ProbeFacts probe_facts(const VideoInfo& info) {
  ProbeFacts facts;
  facts.stream = {{"index", int64_t{0}},
                  {"codec_name", info.codec},
                  {"width", int64_t{info.format.width}},
                  {"height", int64_t{info.format.height}},
                  {"pix_fmt", info.pixel_format}};
  if (info.format.range != Range::kUnspecified) {
    facts.stream.emplace_back("color_range", info.format.range == Range::kFull ? "pc" : "tv");
  }
  if (info.frame_rate()) {
    facts.stream.emplace_back("r_frame_rate", words("{}/{}", info.frame_rate_num, info.frame_rate_den));
  }
  if (info.duration) facts.stream.emplace_back("duration", *info.duration);
  if (info.frames) facts.stream.emplace_back("nb_frames", *info.frames);
  facts.format.emplace_back("format_name", info.container);
  if (info.duration) facts.format.emplace_back("duration", *info.duration);
  if (info.file_bytes) facts.format.emplace_back("size", *info.file_bytes);
  return facts;
}

std::optional<Frame> VideoSource::read() {
  std::optional<Frame> frame = read_stored();
  if (frame && turned_) frame = turned(*frame, turned_->orientation);
  return frame;
}

void VideoSource::decode_by(const SourceOptions& options) {
  restart(options);
  if (turned_) turned_ = turned_info(info_);
}

ProbeFacts VideoSource::probe() const {
  return probe_facts(info_);
}

void VideoSource::turn_upright() {
  if (info_.orientation != Orientation() && !info_.is_turned) turned_ = turned_info(info_);
}

VideoInfo turned_info(VideoInfo info) {
  const std::optional<Chroma> chroma = turned_chroma(info.format.chroma, info.orientation);
  if (!chroma) {
    throw Error(ErrorKind::kMismatch,
                words("{} is to be turned by its tag ({}), but {} cannot be.", shown_path(info.path),
                      describe(info.orientation), to_string(info.format.chroma)));
  }
  info.format.chroma = *chroma;
  if (info.orientation.transposes) {
    std::swap(info.format.width, info.format.height);
    if (info.sample_aspect > 0) info.sample_aspect = 1 / info.sample_aspect;
  }
  info.is_turned = true;
  info.rotation = 0;
  info.conversions.push_back(words("{} ({})", kTurnedByTag, describe(info.orientation)));
  return info;
}

const FactValue* find_fact(const Facts& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
  return found == facts.end() ? nullptr : &found->second;
}

std::string fact_text(const Facts& facts, const std::string& name) {
  const FactValue* const value = find_fact(facts, name);
  if (value == nullptr) return {};
  if (const auto* number = std::get_if<int64_t>(value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(value)) return fixed_text(*real, kSecondsDecimals);
  return std::get<std::string>(*value);
}

}  // namespace vq::cli
