// The pictures of a video, decoded by hardware or the CPU, with one decoder or several that share the stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_pictures.h"
#include "cli/decoding/parallel/decoder_plan.h"
#include "cli/decoding/parallel/segment_pictures.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"
#include "core/text.h"

namespace vq::cli {

// Starts with the way expected to be fastest. If that fails, or cannot decide whether a picture is damaged, a
// simpler way takes over: it reads the stream again from its start, and skips pictures that were already
// delivered.
class DecodedStream {
 public:
  // `reader` and `warnings`, which receives remarks on failing hardware, outlive this. Throws Error as
  // open_video().
  DecodedStream(const SourceOptions& options, ByteReader& reader, std::vector<std::string>& warnings);

  // As PictureStream::next(). Throws Error{kIncomplete} if `options.stop` is requested, and Error{kBackend}
  // if requested hardware fails.
  std::optional<Picture> next();
  // Lower bound of the next picture's number.
  int64_t next_index() const { return next_index_; }

  // Maximum bytes of pictures decoded ahead; 0 if one decoder has the stream.
  int64_t ahead_bytes() const;
  // Sets a limit below the initial ahead_bytes(). Before or between pictures.
  void limit_ahead(int64_t bytes);
  // Restarts with the decoders of these options. Needs: pictures delivered so far were not used; bytes that
  // can be read again.
  void decode_by(const SourceOptions& options);

  // The objects in use; the next restart replaces them.
  const FfmpegDemuxer& demuxer() const { return *demuxer_; }
  const PictureStream& pictures() const { return *pictures_; }
  const HardwarePictures* hardware() const {
    return several_ != nullptr ? several_->hardware() : one_->decoder().hardware();
  }

  int decoder_count() const { return plan_.decoders; }
  // The decoders of the pictures so far: "hevc (cuda), hevc".
  const std::string& decoders() const { return decoders_; }
  // Why hardware did not start; empty if it did, or was not requested.
  const std::string& refusal() const { return refusal_; }

 private:
  void restart();
  void start_decoding();
  bool starts_again();
  bool is_hardware() const { return one_ != nullptr && one_->is_hardware(); }
  void leave_hardware();
  void settle_ahead(const Picture* last);
  void note_decoder();
  std::string name() const { return shown_path(options_.path); }

  SourceOptions options_;
  ByteReader& reader_;
  std::vector<std::string>& warnings_;
  int threads_;              // of all decoders together
  bool may_share_;           // several decoders may share the stream
  bool may_share_hardware_;  // the same on hardware
  DecoderPlan plan_;         // of these
  std::unique_ptr<FfmpegDemuxer> demuxer_;
  std::unique_ptr<PictureStream> pictures_;  // refers to the demuxer
  FfmpegPictures* one_ = nullptr;            // the same object, if one decoder has the stream
  SegmentPictures* several_ = nullptr;       // the same object, if several share it
  bool several_is_on_hardware_ = false;
  int64_t ahead_ = 0;  // see settle_ahead()
  int64_t next_index_ = 0;
  std::string refusal_, decoders_;
};

}  // namespace vq::cli
