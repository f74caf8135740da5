// What is known of a video before it is read, for `cambi info`: as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/probe_facts.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

struct VideoDescription {
  VideoInfo info;
  ProbeFacts probe;
};

// A file that was to be described, and why it was not.
struct DescribedFile {
  std::string path;
  std::optional<VideoDescription> video;
  std::string error;  // where there is none
};

// A line for each fact, in this program's words and beside them ffprobe's where those differ.
std::string info_text(const VideoDescription& video);

// The document that docs/info.schema.json describes.
std::string info_json(const std::vector<DescribedFile>& files);

}  // namespace vq::cli
