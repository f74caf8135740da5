// Properties of a video for `cambi info` with the names of FFmpeg's ffprobe, for searching and comparing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/decoding/video_source.h"

namespace vq::cli {

using FactValue = std::variant<int64_t, double, std::string>;
using Facts = std::vector<std::pair<std::string, FactValue>>;

// Unknown and unspecified properties are left out.
struct ProbeFacts {
  Facts stream;       // index, codec_name, profile, pix_fmt, color_transfer, bit_rate, nb_frames, ...
  Facts stream_tags;  // language, encoder, ...
  std::vector<Facts> side_data;  // each with side_data_type first
  Facts format;                  // format_name, duration, size, bit_rate, ...
  Facts format_tags;
};

// For a video without a container that FFmpeg would open: y4m and raw video.
ProbeFacts probe_facts(const VideoInfo& info);

// Null if there is none of that name.
const FactValue* find_fact(const Facts& facts, const std::string& name);
// As ffprobe prints it; empty if there is none of that name.
std::string fact_text(const Facts& facts, const std::string& name);

}  // namespace vq::cli
