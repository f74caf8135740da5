#include "cli/run/run_facts.h"

namespace vq::cli {

InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames) {
  InputFacts input;
  input.role = role;
  input.path = info.path;
  input.container = info.container;
  input.codec = info.codec;
  input.pixel_format = info.pixel_format;
  input.width = info.format.width;
  input.height = info.format.height;
  input.bit_depth = info.format.bit_depth;
  input.chroma = to_string(info.format.chroma);
  input.range = to_string(info.format.range);
  input.transfer = to_string(info.format.transfer);
  input.matrix = to_string(info.format.matrix);
  input.frame_rate = info.frame_rate();
  input.frames = frames;
  return input;
}

std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
    const FeatureRequest& request) {
  std::pair<std::string, std::vector<std::pair<std::string, std::string>>> facts;
  facts.first = request.info->name;
  for (const OptionSpec& spec : request.info->options) {
    facts.second.emplace_back(spec.name, request.options.text(spec.name));
  }
  return facts;
}

}  // namespace vq::cli
