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

// Decodes the segments of a stream in parallel and delivers their pictures in order. Each decoder has a
// thread and takes one segment at a time. It stops for good at the first sign of damage: an error or an error
// line, a flag, a packet without a picture, or a picture out of order.
class SegmentDecoders {
 public:
  SegmentDecoders(const FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan);
  ~SegmentDecoders();  // stops running decoders
  SegmentDecoders& operator=(SegmentDecoders&&) = delete;

  void limit_pictures(int64_t pictures);
  // The next packet; a decoder releases it with its segment. Throws std::bad_alloc.
  void push(SplitPacket packet);
  void end();  // no packet follows

  // The next picture, if available. Throws errors of a decoder.
  std::optional<Picture> take();
  // Whether no picture comes before another packet, or the end, is pushed.
  bool is_hungry();
  // As the first decoder has them.
  const std::string& name() const { return decoders_.empty() ? codec_ : decoders_.front()->name(); }
  const HardwarePictures* hardware() const {
    return decoders_.empty() ? nullptr : decoders_.front()->hardware();
  }
  // Whether fewer segments wait for the decoders of a device than keep them busy while the reader is away.
  bool wants_segments();
  // Whether all pictures were taken. Needs: end().
  bool is_done();
  bool is_suspect();
  // Waits until one of the above may have changed: take() returns or throws, is_hungry(), is_done(),
  // is_suspect(), or wants_segments() while `more` can be read.
  void wait(bool more);

 private:
  struct Segment {
    int64_t first = 0;  // packet
    int device = 0;     // that decodes it
    std::deque<SplitPacket> packets;
    bool is_closed = false;  // all its packets were pushed
    std::deque<Picture> pictures;
    bool is_decoded = false;
    bool lacks_packets = false;  // its pictures come once its decoder gets packets of a later segment
  };
  // Pending pictures, by display time.
  using Outstanding = std::map<int64_t, int64_t>;
  // The packets of a segment that a decoder was given.
  struct Part {
    std::shared_ptr<Segment> segment;
    int64_t last_sent = 0;
    std::optional<int64_t> borrowed = {};
    Outstanding outstanding = {};
    bool is_sent = false;  // all of it
  };
  struct Work {
    FfmpegDecoder& decoder;
    std::deque<Part> parts = {};  // those with pending pictures, and the one being sent
  };

  // The decoders of one device.
  struct Lane {
    int decoders = 0;
    int idle = 0;       // decoders without a segment
    int unclaimed = 0;  // segments
  };

  void begin_segment(int64_t packet);
  std::optional<int> lacking_decoder();
  void add_decoders();
  void add_decoder(int device);
  void run(FfmpegDecoder& decoder, int device, int number);
  enum class Claim { kWhenThereIsOne, kAtOnce };
  std::shared_ptr<Segment> claim(int device, Claim when);
  std::shared_ptr<Segment> claim_now(int device);
  bool decode(Work& work, std::shared_ptr<Segment> segment);
  bool drain(Work& work);
  std::optional<SplitPacket> next_packet(const Work& work);
  bool send(Work& work, const SplitPacket* packet);
  void end_parts(Work& work);
  bool receive_all(Work& work);
  bool keep(Work& work, Picture picture);
  bool wait_for_room(const Segment& segment);
  bool makes_room() const;
  bool lacks_segments() const;
  void wake_all();
  bool has_room(const Segment& segment) const;
  bool fail();
  bool has_news(bool more) const;
  static bool needs_packets(const Segment& first);

  const FfmpegDemuxer& demuxer_;
  const SourceOptions& options_;
  const std::string codec_;
  DecoderPlan plan_;
  std::mutex mutex_;
  // For decoders that wait for segments or packets, for those that wait for room, and for the caller of
  // take().
  std::condition_variable work_changed_, room_changed_, news_;
  std::deque<std::shared_ptr<Segment>> segments_;   // the first is being delivered
  std::deque<std::shared_ptr<Segment>> unclaimed_;  // the last ones of these
  int64_t pictures_ = 0;                            // of all segments
  std::vector<Lane> lanes_;                         // of the devices; one if software decodes
  int64_t length_ = 1;                              // of the last whole segment
  bool has_given_ = false;                          // a picture
  bool is_ended_ = false, is_stopped_ = false, is_suspect_ = false;
  std::exception_ptr error_;
  std::vector<std::unique_ptr<FfmpegDecoder>> decoders_;
  std::vector<std::jthread> threads_;  // joined before other members are destroyed
};

// The pictures of a stream whose packets are split among decoders. Anything unusual makes the stream suspect,
// and it delivers nothing more.
class SplitPictures : public PictureStream {
 public:
  SplitPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan);

  std::optional<Picture> next() override;
  bool is_suspect() const override { return is_suspect_; }
  std::string decoder_name() const override { return decoders_.name(); }
  const HardwarePictures* hardware() const override { return decoders_.hardware(); }
  void limit_pictures(int64_t pictures) override { decoders_.limit_pictures(pictures); }

  // Limit for waiting packets, per decoder.
  static constexpr int64_t kPacketBytes = int64_t{16} << 20;

 protected:
  // Before the first packet. False if it is not there.
  virtual bool begin() { return true; }
  virtual void read_packet() = 0;
  // Those of the stream that are not decoded before it.
  virtual int64_t pictures_before(const Picture&) const { return 0; }
  // Whether enough packets behind the picture were read.
  virtual bool is_read_beyond(const Picture&) const { return true; }
  virtual void deliver(Picture picture) = 0;
  // Everything was decoded: is it all there is?
  virtual void finish() = 0;

  void suspect_if(bool is_unusual) { is_suspect_ = is_suspect_ || is_unusual; }
  // The next packet of the stream, with its number, and the end of what the decoders get.
  void split(AvPtr<AVPacket> packet, int64_t number);
  void end_splitting();

  const DecoderPlan plan_;
  StreamSplitter splitter_;
  SegmentDecoders decoders_;
  int64_t packets_ = 0, pictures_ = 0;  // that were read, and that the decoders gave
  int64_t bytes_ = 0;                   // of packets that the verdict has not heard of
  std::vector<Picture> last_;           // after the last packet
  std::optional<int64_t> last_time_;    // of a picture
  bool is_all_read_ = false;

 private:
  bool has_room() const { return !is_all_read_ && bytes_ < kPacketBytes * plan_.decoders; }
  bool may_read();
  void pass_on();

  std::optional<Picture> taken_;
  bool has_begun_ = false, is_finished_ = false, is_suspect_ = false;
};

// All of a stream, read once from its start. For an intact one the result is that of FfmpegPictures, to the
// last bit.
class SegmentPictures final : public SplitPictures {
 public:
  // Needs: plan_decoders() found that the stream can be split.
  SegmentPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan);

 private:
  bool is_read_beyond(const Picture& picture) const override;
  void read_packet() override;
  void end_reading(int code);
  void advance_to(int64_t packet);
  void clock_next();
  void add_waiting();
  void deliver(Picture picture) override;
  void note(Picture picture);
  bool is_as_before(const AVFrame& frame);
  void finish() override;

  std::deque<AvPtr<AVPacket>> unclocked_;  // of all streams
  AvPtr<AVPacket> waiting_;  // clocked and not added: the last packet must be known to be the last
  bool is_clocked_ = false;
  AvPtr<AVFrame> first_;  // without its samples
};

// A part of a stream, from its first packet on, by one decoder or several.
class PartPictures final : public SplitPictures {
 public:
  PartPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, const StreamPart& part,
               DecoderPlan plan);

 private:
  bool begin() override;
  void read_packet() override;
  int64_t pictures_before(const Picture& picture) const override;
  bool next_packet(AvPtr<AVPacket>& packet);
  void push(AvPtr<AVPacket> packet);
  void end_reading();
  void note_packets(int64_t last);
  void deliver(Picture picture) override;
  void finish() override;

  bool may_leave_out(const AVPacket& packet) const;
  bool is_wanted(int64_t time) const { return !part_.wanted_time || time >= *part_.wanted_time; }

  const SourceOptions& options_;
  const StreamPart part_;
  std::deque<AvPtr<AVPacket>> unnoted_;  // that the verdict has not heard of
  int64_t left_out_ = 0;                 // see StreamPart
  int64_t wanted_ = 0;                   // packets, left out or not, whose pictures belong to the part
};

// The pictures of a stream by one decoder, from its start. Which signs of damage a decoder gives, and how it
// conceals missing data, depends on the timing of its threads. So with several threads this class only
// reports that damage is near, and its user starts again with one thread, which decides. Up to there the
// pictures are the same for every number of threads.
class FfmpegPictures final : public PictureStream {
 public:
  // Throws Error{kInput, kResource} if the decoder does not start.
  FfmpegPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);

  std::optional<Picture> next() override;
  // Only with several threads, or on hardware, including if hardware cannot continue.
  bool is_suspect() const override;
  std::string decoder_name() const override { return decoder_.name(); }
  const HardwarePictures* hardware() const override { return decoder_.hardware(); }
  HardwareEnd hardware_end() const override;
  const std::string& refusal() const { return decoder_.refusal(); }

 private:
  bool has_other_grain() const;
  std::string hardware_failure() const;
  bool feed();
  void finish();
  void work_on_waiting();
  void work_on(AVPacket* packet);
  void send(AVPacket* packet);
  void receive_all();
  void note_error(int code);

  int threads_;
  const bool wants_grain_;
  FfmpegDecoder decoder_;
  // A packet waits until the next has been read, so that the last is known to be the last.
  AvPtr<AVPacket> packet_, waiting_;
  std::vector<Picture> received_;  // for the current packet
  int error_code_ = 0;             // the same
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
  // Sets a limit below the initial ahead_bytes().
  void limit_ahead(int64_t bytes);
  // Restarts with the decoders of these options. Needs: pictures delivered so far were not used; bytes that
  // can be read again.
  void decode_by(const SourceOptions& options);
  // Goes on with a part alone, with the decoders and threads of these options, if a decoder was found. Needs:
  // as decode_by().
  void start_part(const StreamPart& part, const SourceOptions& options);
  // Goes on with a later part, in the way of the last one unless that was given up. Needs: start_part().
  void go_to(const StreamPart& part);
  // Whether only the part is read; otherwise the whole stream is, since the part is suspect.
  bool is_part() const { return part_.has_value(); }
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
  void start_reading_part();
  void make_part_pictures();
  void note_decoder();
  std::string name() const { return shown_path(options_.path); }

  SourceOptions options_;
  ByteReader& reader_;
  std::vector<std::string>& warnings_;
  int threads_;              // of all decoders together
  bool may_share_;           // several decoders may share the stream
  bool may_share_hardware_;  // the same on hardware
  DecoderPlan plan_;         // of these
  std::optional<StreamPart> part_;
  std::unique_ptr<FfmpegDemuxer> demuxer_;
  std::unique_ptr<PictureStream> pictures_;  // refers to the demuxer
  int64_t ahead_ = 0;                        // see settle_ahead()
  int64_t next_index_ = 0;
  std::string refusal_, decoders_;
};

}  // namespace vq::cli
