#include "cli/decoding/decoded_stream.h"

#include <system_error>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/stream_facts.h"
#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"

namespace vq::cli {

// For each decoder. Those who take the pictures may be busy for a second, as long as devices open, and read
// nothing meanwhile; a decoder that has nothing to do must be drained and, if it is hardware, made anew.
constexpr int kSegmentsAhead = 4;

static bool has_grain(FilmGrain grain) {
  return grain == FilmGrain::kApplied || grain == FilmGrain::kNotApplied;
}

SegmentDecoders::SegmentDecoders(const FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan)
    : demuxer_(demuxer),
      options_(options),
      codec_(demuxer.codec().name),
      plan_(plan),
      lanes_(static_cast<size_t>(plan.devices)),
      length_(plan.first_segment) {
  if (plan.devices > 1) options.hardware.turns->expect(plan.first_segment);
}

SegmentDecoders::~SegmentDecoders() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  wake_all();
}

void SegmentDecoders::wake_all() {
  for (std::condition_variable* each : {&work_changed_, &room_changed_, &news_}) each->notify_all();
}

void SegmentDecoders::limit_pictures(int64_t pictures) {
  {
    const std::lock_guard lock(mutex_);
    plan_.pictures = pictures;
  }
  room_changed_.notify_all();
}

// On the thread of the demuxer, which may change what the decoder starts from.
void SegmentDecoders::add_decoder(int device) {
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

void SegmentDecoders::push(SplitPacket packet) {
  {
    const std::lock_guard lock(mutex_);
    if (packet.role == SplitPacket::Role::kFirst) begin_segment(packet.number);
    segments_.back()->packets.push_back(std::move(packet));
  }
  work_changed_.notify_all();
  add_decoders();
}

void SegmentDecoders::begin_segment(int64_t packet) {
  if (!segments_.empty()) {
    segments_.back()->is_closed = true;
    length_ = packet - segments_.back()->first;
  }
  auto segment = std::make_shared<Segment>();
  segment->first = packet;
  if (plan_.devices > 1) segment->device = options_.hardware.turns->device_for(packet - 1, length_);
  ++lanes_[static_cast<size_t>(segment->device)].unclaimed;
  segments_.push_back(segment);
  unclaimed_.push_back(std::move(segment));
}

// Hardware has one decoder until there is a picture: sessions are made one after another, and much can only
// begin once the first picture is known.
void SegmentDecoders::add_decoders() {
  while (const std::optional<int> device = lacking_decoder()) add_decoder(*device);
}

// The device for which a decoder is to be added; it counts as idle until it has a segment.
std::optional<int> SegmentDecoders::lacking_decoder() {
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

void SegmentDecoders::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    if (!segments_.empty()) segments_.back()->is_closed = true;
  }
  work_changed_.notify_all();
}

std::optional<Picture> SegmentDecoders::take() {
  std::optional<Picture> picture;
  bool made_room = false;
  {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    while (!segments_.empty() && segments_.front()->is_decoded && segments_.front()->pictures.empty()) {
      segments_.pop_front();
      made_room = true;
    }
    if (!segments_.empty() && !segments_.front()->pictures.empty()) {
      has_given_ = true;
      picture = std::move(segments_.front()->pictures.front());
      segments_.front()->pictures.pop_front();
      --pictures_;
      made_room = made_room || makes_room();
    }
  }
  // Also if there is no picture: it is another's turn.
  if (made_room) room_changed_.notify_all();
  if (picture && threads_.size() < static_cast<size_t>(plan_.decoders)) add_decoders();
  return picture;
}

// Whether decoders that wait should look again: not for each picture, since all of them would wake to find
// room for one.
bool SegmentDecoders::makes_room() const {
  constexpr int64_t kTimes = 16;  // while all pictures are taken
  const int64_t few = std::max<int64_t>(1, plan_.pictures / kTimes);
  return segments_.front()->pictures.empty() || pictures_ % few == 0;
}

bool SegmentDecoders::needs_packets(const Segment& first) {
  return first.pictures.empty() && (first.lacks_packets || (!first.is_closed && first.packets.empty()));
}

bool SegmentDecoders::is_hungry() {
  const std::lock_guard lock(mutex_);
  if (segments_.empty()) return true;
  return needs_packets(*segments_.front());
}

bool SegmentDecoders::wants_segments() {
  const std::lock_guard lock(mutex_);
  return lacks_segments();
}

bool SegmentDecoders::lacks_segments() const {
  return std::ranges::any_of(lanes_, [this](const Lane& lane) {
    return lane.unclaimed * plan_.devices < kSegmentsAhead * plan_.decoders;
  });
}

bool SegmentDecoders::is_done() {
  const std::lock_guard lock(mutex_);
  return is_ended_ && segments_.empty();
}

bool SegmentDecoders::is_suspect() {
  const std::lock_guard lock(mutex_);
  return is_suspect_;
}

bool SegmentDecoders::has_news(bool more) const {
  if (is_suspect_ || error_ || segments_.empty() || (more && lacks_segments())) return true;
  const Segment& first = *segments_.front();
  return !first.pictures.empty() || first.is_decoded || needs_packets(first);
}

void SegmentDecoders::wait(bool more) {
  const TraceSpan span("wait for the decoders");
  std::unique_lock lock(mutex_);
  news_.wait(lock, [&] { return has_news(more); });
}

void SegmentDecoders::run(FfmpegDecoder& decoder, int device, int number) {
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

// The next segment that no decoder has; none if there is nothing more to do, or nothing at once.
std::shared_ptr<SegmentDecoders::Segment> SegmentDecoders::claim(int device, Claim when) {
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
  lock.unlock();
  news_.notify_all();
  return segment;
}

std::shared_ptr<SegmentDecoders::Segment> SegmentDecoders::claim_now(int device) {
  const auto found = std::ranges::find_if(
      unclaimed_, [device](const std::shared_ptr<Segment>& segment) { return segment->device == device; });
  if (is_stopped_ || found == unclaimed_.end()) return nullptr;
  std::shared_ptr<Segment> segment = std::move(*found);
  unclaimed_.erase(found);
  --lanes_[static_cast<size_t>(device)].unclaimed;
  return segment;
}

// The next packet of the segment that is being sent.
std::optional<SplitPacket> SegmentDecoders::next_packet(const Work& work) {
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
  if (is_stopped_ || segment.packets.empty()) return std::nullopt;
  SplitPacket packet = std::move(segment.packets.front());
  segment.packets.pop_front();
  const bool is_last = segment.packets.empty();
  lock.unlock();
  if (is_last) news_.notify_all();
  return packet;
}

bool SegmentDecoders::has_room(const Segment& segment) const {
  if (pictures_ < plan_.pictures) {
    // Earlier pictures must not wait for later ones.
    const int64_t share = std::max<int64_t>(1, plan_.pictures / std::max(1, plan_.decoders - 1));
    return &segment == segments_.front().get() || static_cast<int64_t>(segment.pictures.size()) < share;
  }
  return &segment == segments_.front().get() && segment.pictures.empty();
}

bool SegmentDecoders::wait_for_room(const Segment& segment) {
  std::unique_lock lock(mutex_);
  if (is_stopped_ || has_room(segment)) return !is_stopped_;
  const TraceSpan span("wait for the reader");
  room_changed_.wait(lock, [&] { return is_stopped_ || has_room(segment); });
  return !is_stopped_;
}

// False, so that the caller stops.
bool SegmentDecoders::fail() {
  {
    const std::lock_guard lock(mutex_);
    is_suspect_ = is_stopped_ = true;
  }
  wake_all();
  return false;
}

// Gives the decoder a segment. Its last pictures come with packets of the next, or when the decoder is
// drained.
bool SegmentDecoders::decode(Work& work, std::shared_ptr<Segment> segment) {
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

bool SegmentDecoders::drain(Work& work) {
  if (!send(work, nullptr)) return false;
  end_parts(work);
  if (!work.parts.empty()) return fail();
  work.decoder.flush();
  return true;
}

// Ends the parts that are complete: the decoder gave a picture of the next one, or was drained.
void SegmentDecoders::end_parts(Work& work) {
  while (!work.parts.empty() && work.parts.front().is_sent && work.parts.front().outstanding.empty()) {
    {
      const std::lock_guard lock(mutex_);
      work.parts.front().segment->is_decoded = true;
    }
    news_.notify_all();
    work.parts.pop_front();
  }
}

// `packet` null: there are no more. False if there is no going on.
bool SegmentDecoders::send(Work& work, const SplitPacket* packet) {
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

bool SegmentDecoders::receive_all(Work& work) {
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
bool SegmentDecoders::keep(Work& work, Picture picture) {
  const AVFrame& frame = *picture.frame;
  if (work.parts.size() > 1) end_parts(work);
  if (work.parts.empty()) return false;
  Part& part = work.parts.front();
  const auto next = part.outstanding.begin();
  if (next == part.outstanding.end() || next->first != frame.pts || next->second != picture.packet)
    return false;
  picture.after = part.last_sent;
  picture.film_grain = film_grain_of(work.decoder.context(), frame, options_.film_grain);
  if (is_flagged(frame) || has_grain(picture.film_grain)) return false;
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

}  // namespace vq::cli
