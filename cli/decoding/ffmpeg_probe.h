// Properties of an opened container and stream.
#pragma once

#include "cli/decoding/probe_facts.h"

extern "C" {
#include <libavformat/avformat.h>
}

namespace vq::cli {

// The opened video and its first picture.
struct OpenVideo {
  const AVFormatContext& container;
  const AVStream& stream;
  const AVFrame& first;
};

ProbeFacts probe_facts(const OpenVideo& video, const VideoInfo& info);

}  // namespace vq::cli
