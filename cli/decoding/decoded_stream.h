// The pictures of a video, decoded by hardware or the CPU, with one decoder or several that share the stream.
#pragma once

#include "cli/decoding/damage/stream_verdict.h"
#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"
#include "core/text.h"

namespace vq::cli {

// The pictures of a stream in display order, judged, for any kind of decoder. Here and below demuxer and
// options outlive what is made of them, and nothing was read yet.
class PictureStream {
 public:
  PictureStream(FfmpegDemuxer& demuxer, const SourceOptions& options)
      : demuxer_(demuxer), verdict_(demuxer, options) {}
  virtual ~PictureStream() = default;
  PictureStream& operator=(PictureStream&&) = delete;

  // The next picture; nothing at the end, and if reading failed (see FfmpegDemuxer::read_failure()).
  virtual std::optional<Picture> next() = 0;
  // Recent or coming pictures of next() may be damaged, and this stream cannot decide: decoding must start
  // again in a simpler way. Pictures returned before are the same there.
  virtual bool is_suspect() const = 0;
  virtual std::string decoder_name() const = 0;
  // Null for software decoders, or if none has started.
  virtual const HardwarePictures* hardware() const = 0;
  // Why hardware should not go on: its own failure, if it has failed, or else what software must check.
  struct HardwareEnd {
    bool has_failed = false;
    std::string reason = {};
  };
  virtual HardwareEnd hardware_end() const { return {}; }
  // Upper bound on decoded pictures in memory, if several decoders share the stream; the segment being read
  // may exceed it by one.
  virtual void limit_pictures(int64_t) {}
  const StreamVerdict& verdict() const { return verdict_; }

 protected:
  FfmpegDemuxer& demuxer_;
  StreamVerdict verdict_;
};

// Limit for waiting packets of several decoders, each.
inline constexpr int64_t kPacketBytes = int64_t{16} << 20;

// All of a stream, read once from its start by decoders that share it. Anything unusual makes the stream
// suspect, and it delivers nothing more. For an intact one the result is that of one decoder, to the last
// bit. Needs: plan_decoders() found that the stream can be split.
std::unique_ptr<PictureStream> segment_pictures(FfmpegDemuxer& demuxer, const SourceOptions& options,
                                                DecoderPlan plan);
// Parts of a stream, which ascend, each from its first packet on, by one decoder or several. The parts
// outlive this.
std::unique_ptr<PictureStream> part_pictures(FfmpegDemuxer& demuxer, const SourceOptions& options,
                                             std::span<const StreamPart> parts, DecoderPlan plan);

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
  // Sets a limit below the initial ahead_bytes().
  void limit_ahead(int64_t bytes);
  // Restarts with the decoders of these options. Needs: pictures delivered so far were not used; bytes that
  // can be read again.
  void decode_by(const SourceOptions& options);
  // Goes on with SourceOptions::parts alone, with the decoders and threads of these options, if a decoder was
  // found. Needs: as decode_by().
  void start_parts(const SourceOptions& options);
  // Goes on with the next part, in the way of the last one unless that was given up. Needs: start_parts().
  void go_on();
  // Whether only the part is read; otherwise the whole stream is, since the part is suspect.
  bool is_part() const { return is_part_; }
  // Gives up the way in which the part is read: hardware leaves it to software, which leaves it to a reader
  // of the whole stream. Needs: is_part().
  void leave_part();

  // The objects in use; the next restart replaces them.
  const FfmpegDemuxer& demuxer() const { return *demuxer_; }
  const StreamVerdict& verdict() const { return pictures_->verdict(); }
  const HardwarePictures* hardware() const { return pictures_->hardware(); }

  int decoder_count() const { return plan_.decoders; }
  // The decoders of the pictures so far: "hevc (cuda), hevc".
  const std::string& decoders() const { return decoders_; }
  // Why hardware did not start; empty if it did, or was not requested.
  const std::string& refusal() const { return refusal_; }

 private:
  void restart();
  void start_decoding();
  bool starts_again();
  bool is_shared() const { return plan_.decoders > 1; }
  void leave_hardware();
  void settle_ahead(const Picture* last);
  void start_reading_parts();
  void note_decoder();
  std::string name() const { return shown_path(options_.path); }

  SourceOptions options_;
  ByteReader& reader_;
  std::vector<std::string>& warnings_;
  int threads_;              // of all decoders together
  bool may_share_;           // several decoders may share the stream
  bool may_share_hardware_;  // the same on hardware
  DecoderPlan plan_;         // of these
  bool is_part_ = false;
  size_t part_ = 0;        // number of the one being read
  bool is_alone_ = false;  // parts are read one by one, since one of several was suspect
  std::unique_ptr<FfmpegDemuxer> demuxer_;
  std::unique_ptr<PictureStream> pictures_;  // refers to the demuxer
  int64_t ahead_ = 0;                        // see settle_ahead()
  int64_t next_index_ = 0;
  std::string refusal_, decoders_;
};

}  // namespace vq::cli
