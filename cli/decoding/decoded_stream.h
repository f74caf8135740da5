// The pictures of a video, whatever decodes them: hardware or the CPU, one decoder or several that share the
// stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/byte_source.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_pictures.h"
#include "cli/decoding/parallel/decoder_plan.h"
#include "cli/decoding/parallel/segment_pictures.h"
#include "cli/decoding/video_source.h"
#include "core/text.h"

namespace vq::cli {

// Begins with what promises to be fastest. Where that fails, or cannot tell whether a picture is damaged, a
// plainer way takes over: it reads the stream again from its start, and pictures that were delivered are not
// delivered again.
class DecodedStream {
 public:
  // `reader` and `warnings`, which gets what is to be said of hardware that fails on the way, outlive this.
  // Throws Error as open_video().
  DecodedStream(const SourceOptions& options, ByteReader& reader, std::vector<std::string>& warnings);

  // As PictureStream::next(). Throws Error{kIncomplete} if `options.stop` is requested, and Error{kBackend}
  // where hardware is wanted that fails.
  std::optional<Picture> next();
  // The number that the next picture has at least.
  int64_t next_index() const { return next_index_; }

  // What of pictures decoded ahead may be in memory; 0 where one decoder has the stream.
  int64_t ahead_bytes() const;
  // Before or between pictures, to less than what ahead_bytes() said at first.
  void limit_ahead(int64_t bytes);
  // Begins anew with the decoders of these options. Needs: nobody has use for the pictures that came; bytes
  // that can be read again.
  void decode_by(const SourceOptions& options);

  // All of what is at work now: the next restart replaces them.
  const FfmpegDemuxer& demuxer() const { return *demuxer_; }
  const PictureStream& pictures() const { return *pictures_; }
  const HardwarePictures* hardware() const {
    return several_ != nullptr ? several_->hardware() : one_->decoder().hardware();
  }

  int decoder_count() const { return plan_.decoders; }
  // That had a part in the pictures so far, in words: "hevc (cuda), hevc".
  const std::string& decoders() const { return decoders_; }
  // Why hardware did not even begin; empty where it did, or was not wanted.
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
  FfmpegPictures* one_ = nullptr;            // the same, where one decoder has the stream
  SegmentPictures* several_ = nullptr;       // the same, where several share it
  bool several_is_on_hardware_ = false;
  int64_t ahead_ = 0;  // see settle_ahead()
  int64_t next_index_ = 0;
  std::string refusal_, decoders_;
};

}  // namespace vq::cli
