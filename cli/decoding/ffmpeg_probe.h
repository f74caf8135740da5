// The facts of a container and a stream that FFmpeg has open.
#pragma once

#include "cli/decoding/probe_facts.h"

extern "C" {
#include <libavformat/avformat.h>
}

namespace vq::cli {

// What was opened, and the first picture of it.
struct OpenVideo {
  const AVFormatContext& container;
  const AVStream& stream;
  const AVFrame& first;
};

ProbeFacts probe_facts(const OpenVideo& video, const VideoInfo& info);

}  // namespace vq::cli
