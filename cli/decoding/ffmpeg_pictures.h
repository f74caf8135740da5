// The pictures of one stream in display order, numbered, each judged: good, damaged or lost.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "cli/decoding/damage/picture_numbering.h"
#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/picture_stream.h"

namespace vq::cli {

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

}  // namespace vq::cli
