#include "cli/decoding/video_source.h"

#include <algorithm>

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

ProbeFacts VideoSource::probe() const {
  return probe_facts(info());
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
