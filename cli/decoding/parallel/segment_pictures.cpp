#include "cli/decoding/decoded_stream.h"

#include <system_error>

#include "cli/decoding/stream_facts.h"
#include "core/error.h"
#include "core/trace.h"

namespace vq::cli {
namespace {

// For each decoder. Those who take the pictures may be busy for a second, as long as devices open, and read
// nothing meanwhile; a decoder that has nothing to do must be drained and, if it is hardware, made anew.
constexpr int kSegmentsAhead = 4;

// Decodes the segments of a stream in parallel and delivers their pictures in order. Each decoder has a
// thread and takes one segment at a time. It stops for good at the first sign of damage: an error or an error
// line, a flag, a packet without a picture, or a picture out of order.
class SegmentDecoders {
 public:
  SegmentDecoders(const FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan)
      : demuxer_(demuxer),
        options_(options),
        codec_(demuxer.codec().name),
        plan_(plan),
        lanes_(static_cast<size_t>(plan.devices)),
        length_(plan.first_segment) {
    if (plan.devices > 1) options.hardware.turns->expect(plan.first_segment);
  }

  // Stops running decoders.
  ~SegmentDecoders() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    wake_all();
  }
  SegmentDecoders& operator=(SegmentDecoders&&) = delete;

  void limit_pictures(int64_t pictures) {
    const std::lock_guard lock(mutex_);
    plan_.pictures = pictures;
    room_changed_.notify_all();
  }

  // The next packet; a decoder releases it with its segment. Throws std::bad_alloc.
  void push(SplitPacket packet) {
    {
      const std::lock_guard lock(mutex_);
      if (packet.role == SplitPacket::Role::kFirst) begin_segment(packet.number);
      segments_.back()->packets.push_back(std::move(packet));
    }
    work_changed_.notify_all();
    add_decoders();
  }

  // The next packet's picture has this number in the stream.
  void begin_part(int64_t picture, int64_t packet) { shift_ = picture - packet; }

  // No packet follows.
  void end() {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    if (!segments_.empty()) segments_.back()->is_closed = true;
    work_changed_.notify_all();
  }

  // The next picture, if available. Throws errors of a decoder.
  std::optional<Picture> take() {
    std::optional<Picture> picture;
    bool made_room = false;
    {
      const std::lock_guard lock(mutex_);
      if (error_) std::rethrow_exception(error_);
      while (!segments_.empty() && segments_.front()->is_decoded && segments_.front()->pictures.empty()) {
        segments_.pop_front();
        made_room = true;
      }
      if (!segments_.empty()) picture = take_first(segments_.front()->pictures);
      if (picture) {
        has_given_ = true;
        --pictures_;
        made_room = made_room || makes_room();
      }
    }
    // Also if there is no picture: it is another's turn.
    if (made_room) room_changed_.notify_all();
    if (picture && threads_.size() < static_cast<size_t>(plan_.decoders)) add_decoders();
    return picture;
  }

  // Whether no picture comes before another packet, or the end, is pushed.
  bool is_hungry() {
    const std::lock_guard lock(mutex_);
    return segments_.empty() || needs_packets(*segments_.front());
  }

  // As the first decoder has them.
  const std::string& name() const { return decoders_.empty() ? codec_ : decoders_.front()->name(); }
  const HardwarePictures* hardware() const {
    return decoders_.empty() ? nullptr : decoders_.front()->hardware();
  }
  // Whether fewer segments wait for the decoders of a device than keep them busy while the reader is away.
  bool wants_segments() {
    const std::lock_guard lock(mutex_);
    return lacks_segments();
  }

  // Whether all pictures were taken. Needs: end().
  bool is_done() {
    const std::lock_guard lock(mutex_);
    return is_ended_ && segments_.empty();
  }

  bool is_suspect() {
    const std::lock_guard lock(mutex_);
    return is_suspect_;
  }

  // Waits until one of the above may have changed: take() returns or throws, is_hungry(), is_done(),
  // is_suspect(), or wants_segments() while `more` can be read.
  void wait(bool more) {
    const TraceSpan span("wait for the decoders");
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] {
      if (is_suspect_ || error_ || segments_.empty() || (more && lacks_segments())) return true;
      const Segment& first = *segments_.front();
      return !first.pictures.empty() || first.is_decoded || needs_packets(first);
    });
  }

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

  void begin_segment(int64_t packet) {
    if (!segments_.empty()) {
      segments_.back()->is_closed = true;
      length_ = packet - segments_.back()->first;
    }
    auto segment = std::make_shared<Segment>();
    segment->first = packet;
    if (plan_.devices > 1) segment->device = options_.hardware.turns->device_for(packet + shift_, length_);
    ++lanes_[static_cast<size_t>(segment->device)].unclaimed;
    segments_.push_back(segment);
    unclaimed_.push_back(std::move(segment));
  }

  // The device for which a decoder is to be added; it counts as idle until it has a segment.
  std::optional<int> lacking_decoder() {
    const std::lock_guard lock(mutex_);
    const bool is_hardware = !decoders_.empty() && decoders_.front()->hardware() != nullptr;
    const auto most = static_cast<size_t>(is_hardware && !has_given_ ? 1 : plan_.decoders);
    if (is_suspect_ || threads_.size() >= most) return std::nullopt;
    for (size_t device = 0; device < lanes_.size(); ++device) {
      Lane& lane = lanes_[device];
      const int most_here = (plan_.decoders + plan_.devices - 1) / plan_.devices;
      if (lane.decoders >= most_here || lane.idle >= lane.unclaimed) continue;
      ++lane.decoders;
      ++lane.idle;
      return static_cast<int>(device);
    }
    return std::nullopt;
  }

  // Hardware has one decoder until there is a picture: sessions are made one after another, and much can only
  // begin once the first picture is known.
  void add_decoders() {
    while (const std::optional<int> device = lacking_decoder()) add_decoder(*device);
  }

  // On the thread of the demuxer, which may change what the decoder starts from.
  void add_decoder(int device) {
    const TraceSpan span("open a decoder");
    try {
      auto decoder = std::make_unique<FfmpegDecoder>(demuxer_, options_, plan_.threads, device);
      if (!decoder->refusal().empty()) {  // one decoder finds out what is to be done
        const std::lock_guard lock(mutex_);
        is_suspect_ = true;
        return;
      }
      FfmpegDecoder& its = *decoder;
      decoders_.push_back(std::move(decoder));
      const auto number = static_cast<int>(decoders_.size());
      threads_.emplace_back([this, &its, device, number] { run(its, device, number); });
      return;
    } catch (const Error&) {
    } catch (const std::system_error&) {  // no thread could be started
    }
    // The threads that did start do the work.
    const std::lock_guard lock(mutex_);
    Lane& lane = lanes_[static_cast<size_t>(device)];
    --lane.idle;
    --lane.decoders;
    plan_.decoders = static_cast<int>(threads_.size());
    is_suspect_ = is_suspect_ || lane.decoders == 0;
  }

  void run(FfmpegDecoder& decoder, int device, int number) {
    name_thread(words("decoder {} of ", number), options_.path);
    try {
      Work work{decoder};
      while (std::shared_ptr<Segment> segment = claim(device, Claim::kWhenThereIsOne)) {
        while (segment) {
          if (!decode(work, std::move(segment))) return;
          if (plan_.chains) segment = claim(device, Claim::kAtOnce);
        }
        if (!drain(work)) return;
        const std::lock_guard lock(mutex_);
        ++lanes_[static_cast<size_t>(device)].idle;
      }
      decoder.close();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      is_stopped_ = true;
    }
    wake_all();
  }

  enum class Claim { kWhenThereIsOne, kAtOnce };
  // The next segment that no decoder has; none if there is nothing more to do, or nothing at once.
  std::shared_ptr<Segment> claim(int device, Claim when) {
    std::unique_lock lock(mutex_);
    std::shared_ptr<Segment> segment;
    if (when == Claim::kWhenThereIsOne) {
      const TraceSpan span("wait for a segment");
      work_changed_.wait(lock, [&] {
        segment = claim_now(device);
        return segment != nullptr || is_stopped_ || is_ended_;
      });
    } else {
      segment = claim_now(device);
    }
    if (!segment) return nullptr;
    if (when == Claim::kWhenThereIsOne) --lanes_[static_cast<size_t>(device)].idle;
    news_.notify_all();
    return segment;
  }

  std::shared_ptr<Segment> claim_now(int device) {
    const auto found = std::ranges::find_if(
        unclaimed_, [device](const std::shared_ptr<Segment>& segment) { return segment->device == device; });
    if (is_stopped_ || found == unclaimed_.end()) return nullptr;
    std::shared_ptr<Segment> segment = std::move(*found);
    unclaimed_.erase(found);
    --lanes_[static_cast<size_t>(device)].unclaimed;
    return segment;
  }

  // Gives the decoder a segment. Its last pictures come with packets of the next, or when the decoder is
  // drained.
  bool decode(Work& work, std::shared_ptr<Segment> segment) {
    work.parts.push_back({.segment = std::move(segment)});
    Part& part = work.parts.back();
    while (const std::optional<SplitPacket> packet = next_packet(work)) {
      if (packet->role == SplitPacket::Role::kBorrowed) part.borrowed = packet->number;
      if (!part.outstanding.emplace(packet->packet->pts, packet->number).second) return fail();
      if (!send(work, &*packet)) return false;
    }
    part.is_sent = true;
    return true;
  }

  bool drain(Work& work) {
    if (!send(work, nullptr)) return false;
    end_parts(work);
    if (!work.parts.empty()) return fail();
    work.decoder.flush();
    return true;
  }

  // The next packet of the segment that is being sent.
  std::optional<SplitPacket> next_packet(const Work& work) {
    Segment &segment = *work.parts.back().segment, &oldest = *work.parts.front().segment;
    const auto is_there = [&] { return is_stopped_ || segment.is_closed || !segment.packets.empty(); };
    std::unique_lock lock(mutex_);
    if (!is_there()) {
      oldest.lacks_packets = work.parts.size() > 1;
      if (oldest.lacks_packets) news_.notify_all();
      const TraceSpan span("wait for packets");
      work_changed_.wait(lock, is_there);
      oldest.lacks_packets = false;
    }
    if (is_stopped_) return std::nullopt;
    std::optional<SplitPacket> packet = take_first(segment.packets);
    const bool was_last = packet && segment.packets.empty();
    lock.unlock();
    if (was_last) news_.notify_all();
    return packet;
  }

  // `packet` null: there are no more. False if there is no going on.
  bool send(Work& work, const SplitPacket* packet) {
    {
      const std::lock_guard lock(mutex_);
      if (is_stopped_) return false;
    }
    AVPacket* const data = packet != nullptr ? packet->packet.get() : nullptr;
    const int64_t number = packet != nullptr ? packet->number : 0;
    int code = work.decoder.send(data, number);
    if (code == AVERROR(EAGAIN)) {
      if (!receive_all(work)) return false;
      code = work.decoder.send(data, number);
    }
    if (packet != nullptr) work.parts.back().last_sent = packet->number;
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    return code < 0 ? fail() : receive_all(work);
  }

  // Ends the parts that are complete: the decoder gave a picture of the next one, or was drained.
  void end_parts(Work& work) {
    while (!work.parts.empty() && work.parts.front().is_sent && work.parts.front().outstanding.empty()) {
      const std::lock_guard lock(mutex_);
      work.parts.front().segment->is_decoded = true;
      news_.notify_all();
      work.parts.pop_front();
    }
  }

  bool receive_all(Work& work) {
    for (;;) {
      if (!work.parts.empty() && !wait_for_room(*work.parts.front().segment)) return false;
      Picture picture;
      const int code = work.decoder.receive(picture);
      if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
      if (work.decoder.log().saw_damage()) return fail();
      if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return true;
      if (code < 0 || !keep(work, std::move(picture))) return fail();
    }
  }

  // False if it is not the picture that is to come.
  bool keep(Work& work, Picture picture) {
    const AVFrame& frame = *picture.frame;
    if (work.parts.size() > 1) end_parts(work);
    if (work.parts.empty()) return false;
    Part& part = work.parts.front();
    const auto next = part.outstanding.begin();
    if (next == part.outstanding.end() || next->first != frame.pts || next->second != picture.packet)
      return false;
    picture.after = part.last_sent;
    picture.film_grain = film_grain_of(work.decoder.context(), frame, options_.film_grain);
    if (is_flagged(frame) || is_described(picture.film_grain)) return false;
    part.outstanding.erase(next);
    if (picture.packet != part.borrowed) {
      {
        const std::lock_guard lock(mutex_);
        part.segment->pictures.push_back(std::move(picture));
        ++pictures_;
      }
      news_.notify_all();
    }
    return true;
  }

  bool wait_for_room(const Segment& segment) {
    std::unique_lock lock(mutex_);
    if (is_stopped_ || has_room(segment)) return !is_stopped_;
    const TraceSpan span("wait for the reader");
    room_changed_.wait(lock, [&] { return is_stopped_ || has_room(segment); });
    return !is_stopped_;
  }

  // Whether decoders that wait should look again: not for each picture, since all of them would wake to find
  // room for one.
  bool makes_room() const {
    constexpr int64_t kTimes = 16;  // while all pictures are taken
    const int64_t few = std::max<int64_t>(1, plan_.pictures / kTimes);
    return segments_.front()->pictures.empty() || pictures_ % few == 0;
  }

  bool lacks_segments() const {
    return std::ranges::any_of(lanes_, [this](const Lane& lane) {
      return lane.unclaimed * plan_.devices < kSegmentsAhead * plan_.decoders;
    });
  }

  void wake_all() {
    for (std::condition_variable* each : {&work_changed_, &room_changed_, &news_}) each->notify_all();
  }

  bool has_room(const Segment& segment) const {
    const bool is_next = &segment == segments_.front().get();
    if (pictures_ >= plan_.pictures) return is_next && segment.pictures.empty();
    // Earlier pictures must not wait for later ones.
    const int64_t share = std::max<int64_t>(1, plan_.pictures / std::max(1, plan_.decoders - 1));
    return is_next || std::ssize(segment.pictures) < share;
  }

  // False, so that the caller stops.
  bool fail() {
    const std::lock_guard lock(mutex_);
    is_suspect_ = is_stopped_ = true;
    wake_all();
    return false;
  }

  static bool needs_packets(const Segment& first) {
    return first.pictures.empty() && (first.lacks_packets || (!first.is_closed && first.packets.empty()));
  }

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
  int64_t shift_ = -1;                              // from a packet's number to its picture's
  bool has_given_ = false;                          // a picture
  bool is_ended_ = false, is_stopped_ = false, is_suspect_ = false;
  std::exception_ptr error_;
  std::vector<std::unique_ptr<FfmpegDecoder>> decoders_;
  std::vector<std::jthread> threads_;  // joined before other members are destroyed
};

// Memory that a packet takes beside its data.
constexpr int64_t kPacketOverhead = 512;

int64_t cost_of(const AVPacket& packet) { return packet.size + kPacketOverhead; }

// The pictures of a stream whose packets are split among decoders.
class SplitPictures : public PictureStream {
 public:
  SplitPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan)
      : PictureStream(demuxer, options), plan_(plan), decoders_(demuxer, options, plan) {
    begin_splitting();
  }

  std::optional<Picture> next() override {
    // Packets that the decoders are given for each picture that they give, beside those that are read while
    // none is there.
    constexpr int kReadsPerPicture = 4;
    if (!std::exchange(has_begun_, true)) suspect_if(!begin());
    while (!is_suspect_) {
      if (std::optional<Picture> picture = verdict_.take()) {
        picture->index += shift_of(*picture);
        return picture;
      }
      if (is_finished_) return std::nullopt;
      if (!taken_) taken_ = decoders_.take();
      if (taken_ && is_read_beyond(*taken_)) {
        for (int i = 0; i < kReadsPerPicture && may_read(); ++i) read_packet();
        ++pictures_;
        deliver(*std::exchange(taken_, std::nullopt));
      } else if (taken_ || may_read()) {
        read_packet();
      } else if (is_all_read_ && decoders_.is_done()) {
        is_finished_ = true;
        finish();
      } else {
        decoders_.wait(plan_.decoders > 1 && has_room());
      }
      suspect_if(decoders_.is_suspect());
    }
    return std::nullopt;
  }

  bool is_suspect() const override { return is_suspect_; }
  std::string decoder_name() const override { return decoders_.name(); }
  const HardwarePictures* hardware() const override { return decoders_.hardware(); }
  void limit_pictures(int64_t pictures) override { decoders_.limit_pictures(pictures); }

 protected:
  // Before the first packet. False if it is not there.
  virtual bool begin() { return true; }
  virtual void read_packet() = 0;
  // What a picture's number among those that were delivered lacks to that in the stream.
  virtual int64_t shift_of(const Picture&) const { return 0; }
  // Whether enough packets behind the picture were read.
  virtual bool is_read_beyond(const Picture&) const { return true; }
  virtual void deliver(Picture picture) = 0;
  // Everything was decoded: is it all there is?
  virtual void finish() = 0;

  void suspect_if(bool is_unusual) { is_suspect_ = is_suspect_ || is_unusual; }
  // The next packet is the first of the stream, or of a part that lies apart.
  void begin_splitting() {
    splitter_.emplace(entry_finder(*demuxer_.stream().codecpar), plan_.shortest_segment);
  }
  // The next packet, with its number.
  void split(AvPtr<AVPacket> packet, int64_t number) {
    splitter_->add(std::move(packet), number);
    pass_on();
  }
  void end_splitting() {
    splitter_->end();
    pass_on();
  }
  // The decoders get no more.
  void end_packets() {
    is_all_read_ = true;
    decoders_.end();
  }

  const DecoderPlan plan_;
  std::optional<StreamSplitter> splitter_;
  SegmentDecoders decoders_;
  int64_t packets_ = 0, pictures_ = 0;  // that were read, and that the decoders gave
  int64_t bytes_ = 0;                   // of packets that the verdict has not heard of
  std::vector<Picture> last_;           // after the last packet
  bool is_all_read_ = false;

 private:
  bool has_room() const { return !is_all_read_ && bytes_ < kPacketBytes * plan_.decoders; }
  // As much as keeps all decoders at work; more only for the one whose turn it is. One alone gets some
  // packets ahead of the pictures that came back, beside those that its threads and reordering keep.
  bool may_read() {
    constexpr int64_t kAhead = 8;
    if (is_all_read_ || is_suspect_) return false;
    if (decoders_.is_hungry()) return true;
    if (plan_.decoders > 1) return has_room() && decoders_.wants_segments();
    return packets_ - pictures_ < kMaxReordering + plan_.threads + kAhead;
  }

  void pass_on() {
    suspect_if(splitter_->is_refused());
    if (is_suspect_) return;
    while (std::optional<SplitPacket> packet = splitter_->take()) decoders_.push(std::move(*packet));
  }

  std::optional<Picture> taken_;
  bool has_begun_ = false, is_finished_ = false, is_suspect_ = false;
};

// See segment_pictures(), which is given the same.
class SegmentPictures final : public SplitPictures {
 public:
  using SplitPictures::SplitPictures;

 private:
  // One decoder alone would have given the picture only after some packets more, and near the end it matters
  // whether it did.
  bool is_read_beyond(const Picture& picture) const override {
    return is_all_read_ || packets_ > std::max(picture.after, picture.packet + kMaxReordering);
  }

  void read_packet() override {
    AvPtr<AVPacket> packet = new_packet();
    const int code = demuxer_.read(*packet);
    if (code < 0) return end_reading(code);
    if (packet->stream_index == demuxer_.stream().index && packet->size > 0)
      split(copy_of(*packet), ++packets_);
    bytes_ += cost_of(*packet);
    unclocked_.push_back(std::move(packet));
  }

  void end_reading(int code) {
    suspect_if(code != AVERROR_EOF && !demuxer_.read_failure());
    end_splitting();
    end_packets();
    verdict_.foresee_end(packets_ - verdict_.packets());
  }

  // The verdict hears of packets and pictures in the order of one decoder, which is given packets that were
  // read and clocked, each once the next one was.
  void advance_to(int64_t packet) {
    while (verdict_.packets() < packet) {
      if (!unclocked_.empty()) {
        clock_next();
        continue;
      }
      verdict_.end_packets(waiting_ ? 1 : 0);
      is_clocked_ = true;
      add_waiting();
    }
  }

  void clock_next() {
    AvPtr<AVPacket> packet = *take_first(unclocked_);
    verdict_.clock(*packet, 0);
    const bool is_own = packet->stream_index == demuxer_.stream().index;
    if (is_own && packet->size > 0) {
      add_waiting();
      waiting_ = std::move(packet);
      return;
    }
    bytes_ -= cost_of(*packet);
    if (is_own) verdict_.add_empty();
  }

  void add_waiting() {
    if (!waiting_) return;
    bytes_ -= cost_of(*waiting_);
    verdict_.note(*waiting_);
    waiting_.reset();
  }

  void deliver(Picture picture) override {
    suspect_if(!is_as_before(*picture.frame));
    if (is_suspect()) return;
    if (is_all_read_ && picture.after == packets_) {
      last_.push_back(std::move(picture));
      return;
    }
    advance_to(picture.after);
    note(std::move(picture));
  }

  void note(Picture picture) {
    verdict_.note(std::move(picture));
    // Nothing is to be had after a read that failed, however it is decoded.
    suspect_if(verdict_.progress().missing_pictures > 0 && !demuxer_.read_failure());
  }

  // Whether a picture has the format and the tags of the first, and comes after the one before.
  bool is_as_before(const AVFrame& frame) {
    const bool is_later = frame.pts != AV_NOPTS_VALUE && frame.best_effort_timestamp == frame.pts &&
                          (!last_time_ || frame.pts > *last_time_);
    if (!last_time_ && av_frame_copy_props(first_.get(), &frame) < 0) throw std::bad_alloc();
    if (!last_time_) {
      first_->width = frame.width;
      first_->height = frame.height;
      first_->format = frame.format;
    }
    last_time_ = frame.pts;
    return is_later && frame.width == first_->width && frame.height == first_->height &&
           frame.format == first_->format && frame.color_range == first_->color_range &&
           frame.color_trc == first_->color_trc && frame.colorspace == first_->colorspace &&
           frame.color_primaries == first_->color_primaries;
  }

  void finish() override {
    advance_to(packets_);
    if (!is_clocked_) verdict_.end_packets(0);
    for (Picture& picture : last_) note(std::move(picture));
    last_.clear();
    verdict_.finish();
    if (demuxer_.read_failure()) return;
    suspect_if(verdict_.saw_damage() || verdict_.progress().pictures == 0 || !verdict_.missing().empty());
  }

  std::deque<AvPtr<AVPacket>> unclocked_;  // of all streams
  AvPtr<AVPacket> waiting_;  // clocked and not added: the last packet must be known to be the last
  bool is_clocked_ = false;
  const AvPtr<AVFrame> first_ = new_frame();  // without its samples
  std::optional<int64_t> last_time_;          // of a picture
};

// See part_pictures(), which is given the same. Packets of all parts are numbered through.
class PartPictures final : public SplitPictures {
 public:
  PartPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, std::span<const StreamPart> parts,
               DecoderPlan plan)
      : SplitPictures(demuxer, options, plan), options_(options), parts_(parts) {}

 private:
  // A part of which packets were read.
  struct Begun {
    const StreamPart& part;
    int64_t first;                          // packet
    int64_t left_out = 0;                   // as in StreamPart, so far
    int64_t wanted = 0;                     // packets, left out or not, whose pictures belong to the part
    int64_t given = 0;                      // pictures that the decoders gave
    std::optional<int64_t> last_time = {};  // of these

    bool is_wanted(int64_t time) const { return !part.wanted_time || time >= *part.wanted_time; }
    // Whether all packets of the part were read, and whether all its pictures were given or left out.
    bool is_read() const { return wanted == part.end - part.picture; }
    bool is_given() const { return left_out + given >= part.end - part.picture; }
  };

  bool begin() override {
    const StreamPart& part = parts_[read_++];
    if ((part.picture > 0 || read_ > 1) && !demuxer_.seek_ticks(part.seek)) return false;
    // A container finds the packet or one before it.
    AvPtr<AVPacket> packet;
    while (next_packet(packet)) {
      if (options_.stop.is_requested()) return false;
      if (packet->pts != part.time) continue;
      begun_.push_back({part, packets_ + 1});
      decoders_.begin_part(part.picture, packets_ + 1);
      push(std::move(packet));
      return true;
    }
    return false;
  }

  void read_packet() override {
    Begun& begun = begun_.back();
    const StreamPart& part = begun.part;
    AvPtr<AVPacket> packet;
    if ((part.end_time && begun.is_read()) || !next_packet(packet)) return end_reading();
    if (packet->pts == AV_NOPTS_VALUE) return suspect_if(true);
    if (may_leave_out(begun, *packet)) {
      if (begun.is_wanted(packet->pts)) return;  // behind the part
      ++begun.left_out;
      ++begun.wanted;
    } else if (packet->pts > part.time) {  // what is shown before it belongs to the part before
      push(std::move(packet));
    }
  }

  int64_t shift_of(const Picture& picture) const override {
    const Begun& begun = begun_.front();
    return begun.part.picture + (begun.is_wanted(picture.frame->pts) ? begun.part.left_out : 0) -
           noted_before_;
  }

  // False at the end of the stream.
  bool next_packet(AvPtr<AVPacket>& packet) {
    for (;;) {
      packet = new_packet();
      const int code = demuxer_.read(*packet);
      if (code < 0) {
        suspect_if(code != AVERROR_EOF);
        return false;
      }
      if (packet->stream_index == demuxer_.stream().index && packet->size > 0) return true;
    }
  }

  void push(AvPtr<AVPacket> packet) {
    Begun& begun = begun_.back();
    if (!begun.part.end_time || packet->pts < *begun.part.end_time) ++begun.wanted;
    bytes_ += packet->size;
    unnoted_.push_back(copy_of(*packet));
    split(std::move(packet), ++packets_);
  }

  // Goes on with the next part.
  void end_reading() {
    suspect_if(demuxer_.read_failure() || !begun_.back().is_read());
    end_splitting();
    if (read_ == parts_.size()) return end_packets();
    begin_splitting();
    suspect_if(is_suspect() || !begin());
  }

  // The verdict hears of packets and pictures in the order of one decoder.
  void note_packets(int64_t last) {
    for (; verdict_.packets() < last; unnoted_.pop_front()) {
      bytes_ -= unnoted_.front()->size;
      verdict_.note(*unnoted_.front());
    }
  }

  void deliver(Picture picture) override {
    while (begun_.size() > 1 && picture.packet >= begun_[1].first) {
      suspect_if(!begun_.front().is_given());
      begun_.pop_front();
      noted_before_ = verdict_.progress().pictures;
    }
    Begun& begun = begun_.front();
    const StreamPart& part = begun.part;
    const int64_t time = picture.frame->pts;
    suspect_if(picture.frame->best_effort_timestamp != time || (begun.last_time && time <= *begun.last_time));
    begun.last_time = time;
    suspect_if(begun.is_wanted(time) && begun.left_out != part.left_out);  // numbers rest on it
    // Pictures behind the part come if it ends within a group.
    const bool is_behind = begun.is_given();
    ++begun.given;
    if (is_suspect() || is_behind) return;
    if (is_all_read_ && !part.end_time && picture.after == packets_) {
      last_.push_back(std::move(picture));
    } else {
      note_packets(picture.after);
      verdict_.note(std::move(picture));
    }
  }

  // The last picture of a stream may have been cut, which no decoder tells.
  void finish() override {
    suspect_if(begun_.size() > 1 || !begun_.front().is_given());
    if (begun_.front().part.end_time || is_suspect()) return;
    note_packets(packets_);
    for (Picture& picture : last_) verdict_.note(std::move(picture));
    verdict_.finish();
    suspect_if(verdict_.saw_damage());
  }

  // Pictures that no other needs, if they are not wanted.
  bool may_leave_out(const Begun& begun, const AVPacket& packet) const {
    const StreamPart& part = begun.part;
    if (!part.wanted_time || !part.end_time || packet.pts <= part.time) return false;
    return (!begun.is_wanted(packet.pts) || packet.pts >= *part.end_time) && splitter_->may_leave_out(packet);
  }

  const SourceOptions& options_;
  const std::span<const StreamPart> parts_;
  size_t read_ = 0;                      // parts of which packets were looked for
  std::deque<Begun> begun_;              // the first is being delivered, the last is being read
  std::deque<AvPtr<AVPacket>> unnoted_;  // that the verdict has not heard of
  int64_t noted_before_ = 0;             // pictures of the parts before the first
};

}  // namespace

std::unique_ptr<PictureStream> segment_pictures(FfmpegDemuxer& demuxer, const SourceOptions& options,
                                                DecoderPlan plan) {
  return std::make_unique<SegmentPictures>(demuxer, options, plan);
}

std::unique_ptr<PictureStream> part_pictures(FfmpegDemuxer& demuxer, const SourceOptions& options,
                                             std::span<const StreamPart> parts, DecoderPlan plan) {
  return std::make_unique<PartPictures>(demuxer, options, parts, plan);
}

}  // namespace vq::cli
