// A decoder for the stream of a demuxer.
#pragma once

#include <string>

#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

// Opened, on so many threads; its messages go to `log`, which outlives it. Frames carry the numbers of their packets: see
// set_number(). Throws Error{kInput, kResource} that names the video.
AvPtr<AVCodecContext> open_decoder(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads, FfmpegLog& log);

}  // namespace vq::cli
