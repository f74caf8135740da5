// What `cambi info` tells of a video in the words of FFmpeg's ffprobe, so that one can search for them and
// compare.
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

// What is unknown or unspecified is left out.
struct ProbeFacts {
  Facts stream;       // index, codec_name, profile, pix_fmt, color_transfer, bit_rate, nb_frames, ...
  Facts stream_tags;  // language, encoder, ...
  std::vector<Facts> side_data;  // each with side_data_type first
  Facts format;                  // format_name, duration, size, bit_rate, ...
  Facts format_tags;
};

// Of a video without a container that FFmpeg would open: y4m and raw video.
ProbeFacts probe_facts(const VideoInfo& info);

// Null where there is none of that name.
const FactValue* find_fact(const Facts& facts, const std::string& name);
// As ffprobe writes it; empty where there is none of that name.
std::string fact_text(const Facts& facts, const std::string& name);

}  // namespace vq::cli
