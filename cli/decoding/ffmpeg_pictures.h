// The pictures of one stream in display order, numbered, each with its verdict: good, damaged or lost.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/decoding/declared_length.h"
#include "cli/decoding/display_order.h"
#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/last_picture.h"
#include "cli/decoding/picture_count.h"
#include "cli/decoding/stream_start.h"

namespace vq::cli {

struct Picture {
  AvPtr<AVFrame> frame;  // none where the picture was lost
  std::shared_ptr<const FramePlace> place = {};  // see DecodedPicture
  int64_t index = 0;     // lost pictures are counted
  bool damaged = false;
  std::string reason;  // of the damage
  int64_t packet = 0;  // number of the one it began with, from 1
};

// Decodes a stream from its start.
//
// Damage is told by: an error of the demuxer or decoder, a packet the demuxer flags, a picture the decoder
// flags, an error line of the decoder while it works on a packet, and the picture of the last packet where
// that was cut (see LastPicture). Which of these a decoder gives, and
// what it puts in place of what is missing, depends on how threads run into each other. So with several
// threads this class only says that damage is near, and its user starts again with one thread, which decides.
// Up to there the pictures are the same for every number of threads.
class FfmpegPictures {
 public:
  // `demuxer` outlives this and has not been read from. Throws Error{kInput, kResource} where the decoder
  // does not start.
  FfmpegPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);
  FfmpegPictures(const FfmpegPictures&) = delete;
  FfmpegPictures& operator=(const FfmpegPictures&) = delete;

  // The next picture; nothing at the end, also where reading failed (see FfmpegDemuxer::read_failure()).
  std::optional<Picture> next();
  // Only with several threads, or on hardware: pictures that next() returned last, or will return, may be damaged, or hardware
  // cannot go on.
  bool is_suspect() const;
  // What is to be said of hardware; needs: is_suspect(). Of its own, if it fails; otherwise of the stream.
  bool is_hardware() const { return decoder_.hardware() != nullptr; }
  std::string hardware_failure() const;
  std::string hardware_doubt() const;
  const FfmpegDecoder& decoder() const { return decoder_; }
  const DecodeProgress& progress() const { return progress_; }
  // The latest cause of damage; empty where there was none.
  const std::string& last_reason() const { return reason_; }
  // Pictures that are missing between the last ones, since the stream ends before they come. They have
  // numbers, so that those that did come, and are shown later, keep theirs. None where the container counts
  // its packets, and all were read: then the pictures were left out by whoever wrote it.
  int64_t missing_at_end() const { return progress_.missing_pictures; }
  // Of the pictures so far.
  FilmGrain film_grain() const { return film_grain_; }
  // What has no picture, nor a number, at the start.
  const StreamStart& start() const { return start_; }

 private:
  enum class DamageKind {
    kPicture,  // the picture of a packet, should it come
    kLost,     // the picture of a packet that the decoder refused
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
  int64_t count_missing(const AVFrame& frame, bool after_lost);
  std::optional<int64_t> take_count(int64_t packet);
  void check_last();
  DecodeProgress read_so_far() const;
  void assume_declared_rate();
  bool is_all_read() const;
  void clock(const AVPacket& packet);
  static Verdict judge(int64_t number, const Damage& damage, const AVFrame& frame);

  FfmpegDemuxer& demuxer_;
  int threads_;
  const bool wants_grain_;
  FilmGrain film_grain_ = FilmGrain::kUnknown;
  FfmpegDecoder decoder_;
  // A packet waits until the next has been read, so that the last is known as such.
  AvPtr<AVPacket> packet_, waiting_;
  LastPicture last_picture_;
  PictureCount counts_;
  StreamStart start_;
  std::map<int64_t, int64_t> count_of_packet_;  // of those whose pictures are to come
  DisplayOrder order_, counted_order_;
  std::deque<DecodedPicture> received_;
  std::deque<Picture> ready_;
  std::multimap<int64_t, Damage> damages_;  // by packet number; not yet settled
  std::string reason_;
  int error_code_ = 0;  // of the packet in work
  int64_t errors_at_start_ = 0;
  bool saw_error_ = false;
  bool ended_ = false;
  bool at_end_ = false;    // the packet in work is the last, or nothing
  bool may_miss_ = false;  // pictures before the end
  int64_t number_ = 0;     // of the packet in work, from 1
  int64_t next_index_ = 0;
  int demux_errors_ = 0;  // in a row
  DecodeProgress progress_;
};

}  // namespace vq::cli
