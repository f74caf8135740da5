#include "cli/decoding/open_video.h"

#include <utility>

#include "cli/decoding/byte_source.h"
#include "cli/decoding/ffmpeg_source.h"
#include "cli/decoding/planar_source.h"
#include "core/error.h"
#include "core/text/message_text.h"

namespace vq::cli {

std::unique_ptr<VideoSource> open_video(const SourceOptions& options) {
  return open_video(options, open_byte_source(options.path, options.stop));
}

std::unique_ptr<VideoSource> open_video(const SourceOptions& options, std::unique_ptr<ByteSource> bytes) {
  try {
    ByteReader reader(std::move(bytes));
    if (options.raw) return open_raw(options, std::move(reader));
    if (is_y4m(reader)) return open_y4m(options, std::move(reader));
    const std::string_view first = reader.peek(1);
    if (first.empty()) throw Error(ErrorKind::kInput, shown_path(options.path) + " is empty");
    if (first == "{") {  // no container begins so
      throw Error(ErrorKind::kInput,
                  shown_path(options.path) +
                      " is JSON, such as a report, and no video. Try: cambi report or cambi diff, which "
                      "take reports from pipes");
    }
    return open_ffmpeg(options, std::move(reader));
  } catch (const ReadError& error) {
    throw Error(ErrorKind::kInput, shown_path(options.path) + " cannot be read: " + error.what());
  }
}

}  // namespace vq::cli
