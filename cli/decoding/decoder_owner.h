// Receiver of decoder callbacks.
#pragma once

#include "cli/decoding/ffmpeg_log.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vq::cli {

class HardwarePictures;
class PictureMemory;

// Reached by FFmpeg's callbacks through the decoder's context, and by the log. Outlives the context.
struct DecoderOwner : FfmpegLog {
  HardwarePictures* hardware = nullptr;  // null: decodes in software
  PictureMemory* memory = nullptr;       // never null once the decoder is open
};

inline void set_owner(AVCodecContext& decoder, DecoderOwner& owner) {
  decoder.opaque = static_cast<FfmpegLog*>(&owner);  // as the log expects it
}

// Needs: set_owner().
inline DecoderOwner& owner_of(const AVCodecContext& decoder) {
  return *static_cast<DecoderOwner*>(static_cast<FfmpegLog*>(decoder.opaque));
}

}  // namespace vq::cli
