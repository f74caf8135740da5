// The pictures of a video, decoded by hardware or the CPU, with one decoder or several that share the stream.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/damage/picture_numbering.h"
#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/parallel/segment_decoders.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/decoding/picture_stream.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"
#include "core/text.h"

namespace vq::cli {

// The pictures of one stream in display order, numbered, each judged: good, damaged or lost.

// Decodes a stream from its start.
// Signs of damage are: an error of the demuxer or decoder, a packet the demuxer flags, a picture the decoder
// flags, an error line of the decoder while it works on a packet, and a truncated picture of the last packet
// (see LastPicture). Which of these signs a decoder gives, and how it conceals missing data, depends on the
// timing of its threads. So with several threads this class only reports that damage is near, and its user
// starts again with one thread, which decides. Up to there the pictures are the same for every number of
// threads.
class FfmpegPictures final : public PictureStream {
 public:
  // `demuxer` outlives this and has not been read from. Throws Error{kInput, kResource} if the decoder does
  // not start.
  FfmpegPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);
  FfmpegPictures(const FfmpegPictures&) = delete;
  FfmpegPictures& operator=(const FfmpegPictures&) = delete;

  std::optional<Picture> next() override;
  // Only with several threads, or on hardware, including if hardware cannot continue.
  bool is_suspect() const override;
  // For messages on hardware. Needs: is_suspect(). The hardware's own failure, or one of the stream.
  bool is_hardware() const { return decoder_.hardware() != nullptr; }
  std::string hardware_failure() const;
  std::string hardware_doubt() const;
  const FfmpegDecoder& decoder() const { return decoder_; }
  std::string decoder_name() const override { return decoder_.name(); }
  const DecodeProgress& progress() const override { return numbering_.progress(); }
  const std::string& last_reason() const override { return reason_; }
  FilmGrain film_grain() const override { return film_grain_; }
  const StreamStart& start() const override { return numbering_.start(); }

 private:
  enum class DamageKind {
    kPicture,  // the picture of a packet, if there is one
    kLost,     // the picture of a packet that the decoder rejected
    kBetween,  // the stream after a packet
  };
  struct Damage {
    DamageKind kind;
    int64_t pts;
    std::string reason;
  };
  enum class Verdict { kLater, kThis, kLostBefore };

  bool saw_damage() const;
  bool has_other_grain() const;
  bool feed();
  void finish();
  void work_on_waiting();
  void work_on(AVPacket* packet);
  void send(AVPacket* packet);
  void receive_all();
  void note_error(int code);
  void add_damage(Damage damage);
  void queue(DecodedPicture decoded);
  void queue_lost(const std::string& reason);
  void queue_unsettled();
  void check_last();
  static Verdict judge(int64_t number, const Damage& damage, const AVFrame& frame);

  FfmpegDemuxer& demuxer_;
  int threads_;
  const bool wants_grain_;
  FilmGrain film_grain_ = FilmGrain::kUnknown;
  FfmpegDecoder decoder_;
  // A packet waits until the next has been read, so that the last is known to be the last.
  AvPtr<AVPacket> packet_, waiting_;
  PictureNumbering numbering_;
  std::deque<DecodedPicture> received_;
  std::deque<Picture> ready_;
  std::multimap<int64_t, Damage> damages_;  // by packet number; unresolved
  std::string reason_;
  int error_code_ = 0;  // of the current packet
  int64_t errors_at_start_ = 0;
  bool saw_error_ = false;
  bool ended_ = false;
  int demux_errors_ = 0;  // consecutive ones
};

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
