// The verdict on a stream: whether each picture is intact, damaged or lost, the number that it has, and
// whether anything is missing.
#pragma once

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/video_source.h"
#include "core/worker_pool.h"

namespace vq::cli {

// How much of a stream was read.
struct DecodeProgress {
  int64_t packets = 0;
  int64_t pictures = 0;
  double end_seconds = 0;      // end of the last packet of the streams that DeclaredLength::seconds covers
  double own_end_seconds = 0;  // of this stream alone
  double frame_seconds = 1 / kAssumedFrameRate;  // from one picture to the next
  bool is_regular = false;                       // all pictures are that far apart, gaps aside
  int reordered_pictures = 0;  // number of pictures by which read times may lag behind display times
  // Number of pictures missing among the last ones, since the stream ends before their packets. They have
  // numbers, so that pictures displayed after them keep theirs. 0 if the container counts its packets and all
  // were read: then the writer left the pictures out.
  int64_t missing_pictures = 0;
  std::optional<int64_t> bytes = {};  // of the file, once known
};

// Says what is missing at the end of the stream, compared with what its container declares. Empty if nothing
// is missing, or nothing was declared.
std::string shortage(const DeclaredLength& declared, const DecodeProgress& had);
// Says the same, or else that the file ends within a packet of its container. Needs: all was read.
std::string missing_at_end(const FfmpegDemuxer& demuxer, const DecodeProgress& had);
// The length of the stream, provided that nothing is missing; nothing if that length is not above 0.
std::optional<StreamLength> length_of(const FfmpegDemuxer& demuxer, const DecodeProgress& had);

// Detects whether the last picture of a stream is truncated, if neither the container nor the decoder does.
// The data of a picture in H.264, HEVC or VVC mark their own end: a complete picture decodes to the same
// samples whatever follows, a truncated one does not, since the decoder takes what follows for data. FFmpeg's
// decoders append zeros and report nothing. So the end of the stream is decoded again with ones appended: an
// arithmetic decoder with the same result for zeros and ones has the same result for anything.
class LastPicture {
 public:
  // `stop` is asked while the end is decoded again.
  explicit LastPicture(const FfmpegDemuxer& demuxer, StopToken stop = {});

  // Takes the packets of the stream, in order, before they are decoded. Throws std::bad_alloc.
  void add(const AVPacket& packet);
  // Whether `frame`, which began `packets_before_last` packets before the last one, is truncated. Null: it
  // has film grain, which is not reproducible, so the end is decoded again without grain. False also if
  // undecidable: for other codecs, if the container declares the sizes of packets, if the end of the stream
  // is too large to be kept, or if `stop` is requested. Throws std::bad_alloc.
  bool is_cut(const AVFrame* frame, int64_t packets_before_last) const;

 private:
  void forget_before(size_t first);
  enum class End { kAsItIs, kContinued };
  AvPtr<AVFrame> decode_again(int64_t packets_before_last, End end) const;

  const FfmpegDemuxer& demuxer_;
  StopToken stop_;
  const bool applies_;
  // Packets from the last key frame but one: pictures displayed before a key frame may follow it, and
  // reference earlier ones.
  std::deque<AvPtr<AVPacket>> end_;
  size_t last_key_ = 0;     // index of the last key frame
  int64_t keys_ = 0;        // number of key frames since packets were last dropped for their size
  bool from_start_ = true;  // none were dropped
  int64_t end_bytes_ = 0;
};

// The place of pictures in display order as the streams themselves count it, for containers that have no
// times of display. Counts start anew now and then; between two starts they rise in display order.
class PictureCount {
 public:
  explicit PictureCount(const AVCodecParameters& stream);

  // Takes the packets of the stream in order. The count of the packet's picture; nothing if the codec has
  // none (H.264, HEVC, MPEG-1 and MPEG-2 do).
  std::optional<int64_t> of(const AVPacket& packet);

 private:
  bool has_temporal_reference_;
  AvPtr<AVCodecParserContext> parser_;  // none for codecs without a count
  AvPtr<AVCodecContext> context_;
};

// Whether pictures in display order follow one another at the same distance, and how many are missing if not.
// Times are in any unit: of a clock, or counts such as the picture order count of H.264.
class DisplayOrder {
 public:
  // Takes the next picture. If its time is not later than the last one, a new count begins.
  void add(std::optional<int64_t> time);
  // Takes the next picture if others may be missing before it. Returns how many would fit in between, or
  // nothing if that cannot be told.
  std::optional<int64_t> add_after_gap(std::optional<int64_t> time);
  // Sets the usual distance if too few pictures came to tell it. Needs: step > 0.
  void assume_step(int64_t step);
  // Whether every picture had a time and came at the usual distance after the one before, apart from gaps,
  // and there were enough pictures for a distance to be usual.
  bool is_regular() const { return !irregular_ && steps_ >= kEnoughSteps; }
  // The usual distance. Needs: is_regular().
  int64_t step() const { return step_; }

 private:
  bool fits(int64_t distance, int64_t steps) const;

  static constexpr int kEnoughSteps = 3;

  std::optional<int64_t> last_;
  int64_t step_ = 0;
  int64_t steps_ = 0;  // of that distance
  bool irregular_ = false;
};

// Counts the packets without a picture before the first picture in display order, which a decoder drops
// silently: frames before the first key frame, and those that follow it but are displayed before it.
class StreamStart {
 public:
  // Takes each packet of the stream in decoding order, before its pictures.
  void add_packet(const AVPacket& packet);
  // Takes each picture in display order, with the number of its packet (from 1).
  void add_picture(const AVFrame& picture, int64_t packet);
  void end() { is_settled_ = true; }  // no pictures follow

  bool is_settled() const { return is_settled_; }  // lost() is final
  int64_t lost() const;

 private:
  struct Packet {
    std::optional<int64_t> time;
    bool is_shown;
  };
  bool has_times() const;

  std::vector<Packet> packets_;  // until it is settled
  std::optional<int64_t> first_time_;
  int64_t pictures_ = 0;
  int64_t lowest_packet_ = 0;  // of the pictures so far
  bool is_settled_ = false;
};

// Maximum number of packets by which a picture may be delayed; the limit of H.264 and HEVC.
inline constexpr int64_t kMaxReordering = 16;

// Takes packets, what a decoder says of them, and pictures, in the order in which a single decoder takes and
// returns them.
class StreamVerdict {
 public:
  // `demuxer` outlives this and has not been read from.
  StreamVerdict(FfmpegDemuxer& demuxer, const SourceOptions& options);

  // Takes every packet from the demuxer, of any stream. `reordered` is AVCodecContext::has_b_frames.
  void clock(const AVPacket& packet, int reordered);
  // A packet without data stands for a repeated picture.
  void add_empty() { ++progress_.packets; }
  // Takes the next packet of the stream, before it is decoded.
  void note(const AVPacket& packet);
  // Takes the error of a demuxer that failed to read a packet.
  void note_failed_read(int code);
  // Takes a decoder's answer to `packet`, the latest one; if that is null, to being asked for what it still
  // held. `code` is its error, or 0; `line` the first error that it logged, or empty. Pictures that it gave
  // meanwhile are noted after this.
  void note_answer(const AVPacket* packet, int code, const std::string& line);
  // Takes the next picture in display order.
  void note(Picture picture);
  // To be called when all packets were read. `unadded` of them are still to be noted, with pictures in
  // between.
  void foresee_end(int64_t unadded);
  // To be called when also all packets were passed to clock(), and at most the last is still to be noted.
  void end_packets(int64_t unadded);
  // To be called when no packets and no pictures follow.
  void finish();

  // Returns the next picture that is judged, with its number; nothing if it takes another note() or finish()
  // to judge one.
  std::optional<Picture> take();

  int64_t packets() const { return packets_; }  // number of the latest, from 1
  bool saw_damage() const { return saw_damage_; }
  // The latest cause of damage; empty if there was none.
  const std::string& last_reason() const { return reason_; }
  // Whether the decoder added film grain to the pictures so far.
  FilmGrain film_grain() const { return film_grain_; }
  const DecodeProgress& progress() const { return progress_; }
  // Number of packets at the start that gave no picture and so have no number; nothing until it is known.
  std::optional<int64_t> lost_at_start() const {
    return start_.is_settled() ? std::optional(start_.lost()) : std::nullopt;
  }
  // The next three need finish().

  // See missing_at_end() and length_of().
  std::string missing() const { return missing_at_end(demuxer_, progress_); }
  std::optional<StreamLength> length() const { return length_of(demuxer_, progress_); }
  // Other remarks on the end, each as a text that follows the video's name.
  std::vector<std::string> remarks() const;

 private:
  enum class Harm {
    kPicture,  // the picture of a packet, if there is one
    kLost,     // the picture of a packet that the decoder rejected
    kBetween,  // the stream after a packet
  };
  struct Damage {
    Harm harm;
    int64_t pts;
    std::string reason;
  };
  enum class Ruling { kLater, kThis, kLostBefore };

  static Ruling rule(int64_t packet, const Damage& damage, const Picture& picture);
  void add_damage(Damage damage);
  void number(Picture& picture, bool after_lost);
  int64_t count_missing(const Picture& picture, bool after_lost);
  DecodeProgress with_packets(int64_t more) const;
  void check_last();

  FfmpegDemuxer& demuxer_;
  LastPicture last_picture_;
  PictureCount counts_;
  StreamStart start_;
  std::map<int64_t, int64_t> count_of_packet_;  // of pictures still to come
  DisplayOrder order_, counted_order_;
  std::optional<int64_t> last_;  // number of the last packet, once it is known
  bool may_miss_ = false;        // pictures before the end
  int64_t packets_ = 0;
  int64_t next_index_ = 0;
  DecodeProgress progress_;
  std::deque<Picture> ready_;
  std::multimap<int64_t, Damage> damages_;  // by packet number; unresolved
  FilmGrain film_grain_ = FilmGrain::kUnknown;
  std::string reason_;
  bool saw_damage_ = false;
};

}  // namespace vq::cli
