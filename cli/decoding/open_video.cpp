#include "cli/decoding/open_video.h"

#include <utility>

#include "cli/decoding/ffmpeg_source.h"
#include "cli/decoding/sequence.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/uncompressed/planar_source.h"
#include "cli/decoding/upright.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {

namespace {

std::unique_ptr<VideoSource> open_stored(const SourceOptions& options, std::unique_ptr<ByteSource> bytes) {
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
    throw Error(ErrorKind::kInput, words("{} cannot be read: {}", shown_path(options.path), error.what()));
  }
}

}  // namespace

std::unique_ptr<VideoSource> open_video(const SourceOptions& options) {
  if (!options.raw) {
    const std::optional<std::vector<std::string>> files = sequence_files(options.path);
    if (files) return open_sequence(options, *files);
  }
  return open_video(options, open_byte_source(options.path, options.stop));
}

std::unique_ptr<VideoSource> open_video(const SourceOptions& options, std::unique_ptr<ByteSource> bytes) {
  std::unique_ptr<VideoSource> source = open_stored(options, std::move(bytes));
  return options.upright ? upright(std::move(source)) : std::move(source);
}

}  // namespace vq::cli
