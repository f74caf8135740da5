#include "cli/decoding/parallel/stream_split.h"

#include <cmath>

namespace vq::cli {

StreamSplitter::StreamSplitter(std::unique_ptr<EntryFinder> finder, int64_t shortest)
    : finder_(std::move(finder)), shortest_(shortest) {}

void StreamSplitter::push(AvPtr<AVPacket> packet, int64_t number, SplitPacket::Role role) {
  if (role == SplitPacket::Role::kFirst) length_ = 0;
  ++length_;
  ready_.push_back({std::move(packet), number, role});
}

void StreamSplitter::add(AvPtr<AVPacket> packet, int64_t number) {
  using Role = SplitPacket::Role;
  const Entry entry = finder_->look(*packet);
  is_refused_ = is_refused_ || entry == Entry::kRefused;
  if (!open_.empty() && entry == Entry::kLeaning && open_.size() <= kMostLeaning)
    return open_.push_back({std::move(packet), number, Role::kInside});
  settle(entry != Entry::kLeading && entry != Entry::kLeaning);
  const bool is_first = length_ == 0, may_begin = length_ >= shortest_;
  if (entry == Entry::kOpen && may_begin && !is_first)
    return open_.push_back({std::move(packet), number, Role::kInside});
  push(std::move(packet), number,
       is_first || (entry == Entry::kClosed && may_begin) ? Role::kFirst : Role::kInside);
}

// Decides on the open entry that waits.
void StreamSplitter::settle(bool may_split) {
  std::optional<SplitPacket> first = take_first(open_);
  if (!first) return;
  if (!may_split) push(std::move(first->packet), first->number, SplitPacket::Role::kInside);
  if (may_split && !open_.empty()) push(copy_of(*first->packet), first->number, SplitPacket::Role::kBorrowed);
  while (std::optional<SplitPacket> next = take_first(open_))
    push(std::move(next->packet), next->number, SplitPacket::Role::kInside);
  if (may_split) push(std::move(first->packet), first->number, SplitPacket::Role::kFirst);
}

void StreamSplitter::end() { settle(true); }

std::optional<SplitPacket> StreamSplitter::take() { return take_first(ready_); }

// A segment that is longer is not worth looking for its end, nor is there memory for its pictures.
constexpr int64_t kMostPackets = 600;
constexpr int64_t kMostPacketBytes = int64_t{32} << 20;
// Smaller pictures are decoded faster than they are scored.
constexpr int64_t kSmallestPicture = 1280 * 720;
constexpr int kMostDecoders = 16;
// Smallest number of pictures if several decoders are requested and no limit of memory is given.
constexpr int64_t kFewestPictures = 64;

// The length of the first segment; nothing if no second one begins.
static std::optional<int64_t> first_segment(FfmpegDemuxer& demuxer, int64_t shortest) {
  std::unique_ptr<EntryFinder> finder = entry_finder(*demuxer.stream().codecpar);
  if (!finder) return std::nullopt;
  StreamSplitter splitter(std::move(finder), shortest);
  std::deque<AvPtr<AVPacket>> packets;
  int64_t length = 0, bytes = 0, segments = 0;
  int code = 0;
  while (segments < 2 && length < kMostPackets && bytes < kMostPacketBytes && !splitter.is_refused()) {
    AvPtr<AVPacket> packet = new_packet();
    code = demuxer.read(*packet);
    if (code < 0) break;
    bytes += packet->size;
    if (packet->stream_index == demuxer.stream().index && packet->size > 0)
      splitter.add(copy_of(*packet), length + 1);
    packets.push_back(std::move(packet));
    while (const std::optional<SplitPacket> split = splitter.take()) {
      segments += split->role == SplitPacket::Role::kFirst ? 1 : 0;
      if (segments < 2) ++length;
    }
  }
  demuxer.put_back(std::move(packets), std::min(code, 0));
  if (segments < 2 || splitter.is_refused()) return std::nullopt;
  return length;
}

// Threads that one decoder keeps as busy as two decoders would, and without the memory of the second. All of
// them if pictures do not lean on each other.
static int threads_of_one(const FfmpegDemuxer& demuxer) {
  constexpr int kOfOne = 2;  // docs/performance.md
  const bool has_threads =
      (demuxer.codec().capabilities & (AV_CODEC_CAP_FRAME_THREADS | AV_CODEC_CAP_OTHER_THREADS)) != 0;
  const AVCodecDescriptor* const descriptor = avcodec_descriptor_get(demuxer.stream().codecpar->codec_id);
  const bool has_only_key_frames =
      descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
  if (!has_threads) return 1;
  return has_only_key_frames ? kMaxDecoderThreads : kOfOne;
}

// After a flush FFmpeg's H.264 decoder makes the hardware's decoder anew, while all sessions wait for the
// driver. Segments of H.264 begin with IDR pictures, which forget what was before just as well. Those of
// other codecs may begin with a picture that is decoded differently if something was before it.
static bool can_chain(const AVCodecParameters& stream) { return stream.codec_id == AV_CODEC_ID_H264; }

// Size of a picture on a device: the planes that are wanted.
static int64_t device_picture_bytes(const AVCodecParameters& stream, int planes) {
  const AVPixFmtDescriptor* const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.format));
  if (planes > 1 || format == nullptr) return picture_bytes(stream);
  return std::max<int64_t>(1, int64_t{stream.width} * stream.height * (format->comp[0].depth > 8 ? 2 : 1));
}

// Number of frames, if the container says how many or how long they last.
static std::optional<double> declared_frames(const AVStream& stream) {
  if (stream.nb_frames > 0) return static_cast<double>(stream.nb_frames);
  const double seconds = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  const double frames = seconds * av_q2d(stream.avg_frame_rate);
  return stream.duration > 0 && frames >= 1 ? std::optional(frames) : std::nullopt;
}

int64_t picture_bytes(const AVCodecParameters& stream) {
  constexpr int kAlign = 64;
  const int bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(stream.format), stream.width,
                                             stream.height, kAlign);
  // As if it had chroma in full and deep samples, if nothing is known of that.
  return bytes > 0 ? bytes : std::max<int64_t>(1, int64_t{stream.width} * stream.height * 6);
}

DecoderPlan plan_decoders(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads) {
  const bool is_asked_for = options.decoders > 1;
  DecoderPlan plan = {.decoders = 1, .threads = threads};
  plan.shortest_segment = is_asked_for ? kShortestAskedFor : kShortestSegment;
  const AVCodecParameters& stream = *demuxer.stream().codecpar;
  const bool is_small = int64_t{stream.width} * stream.height <= kSmallestPicture;
  // As many as are of use, whatever memory they take.
  const int most = is_small ? 1 : std::clamp(threads / threads_of_one(demuxer), 1, kMostDecoders);
  if (options.decoders == 1 || (!is_asked_for && most == 1)) return plan;
  plan.pictures = options.ahead_bytes / picture_bytes(stream);
  if (is_asked_for && options.ahead_bytes == 0) plan.pictures = kFewestPictures;
  if (!is_asked_for && plan.pictures < kShortestSegment) return plan;
  const std::optional<int64_t> length = first_segment(demuxer, plan.shortest_segment);
  if (!length) return plan;
  // A decoder whose segment is not next needs room for all of it, or it waits with the rest until its turn
  // has come.
  const int64_t of_use = std::min<int64_t>(1 + plan.pictures / *length, most);
  plan.decoders = is_asked_for ? options.decoders : static_cast<int>(of_use);
  plan.threads = std::clamp(threads / plan.decoders, 1, kMaxDecoderThreads);
  plan.pictures = std::min(plan.pictures, plan.decoders * *length);
  plan.chains = can_chain(stream);
  return plan;
}

int64_t sessions_of_use(std::optional<double> frames, int64_t pixels, int64_t videos) {
  // GPUs have up to eight circuits that decode, and FFmpeg does not say how many.
  constexpr int64_t kMost = 8;
  // Times of a session, both measured: docs/performance-gpu.md.
  constexpr double kOpening = 0.08;  // seconds, while all others wait
  constexpr double kPixelsASecond = 1e9;
  const int64_t most = std::max<int64_t>(1, kMost / videos);
  if (!frames) return most;
  // n sessions for each video finish after n * videos * opening + decoding / n.
  const double decoding = *frames * static_cast<double>(pixels) / kPixelsASecond;
  const double best = std::sqrt(decoding / (kOpening * static_cast<double>(videos)));
  return std::clamp<int64_t>(std::llround(best), 1, most);
}

DecoderPlan plan_sessions(FfmpegDemuxer& demuxer, const SourceOptions& options) {
  DecoderPlan plan;
  const AVCodecParameters& stream = *demuxer.stream().codecpar;
  if (options.decoders == 1) return plan;
  plan.shortest_segment = options.decoders > 1 ? kShortestAskedFor : kShortestSegment;
  plan.pictures = options.ahead_bytes / picture_bytes(stream);
  plan.device_pictures = options.device_ahead_bytes / device_picture_bytes(stream, options.planes);
  const std::optional<int64_t> length = first_segment(demuxer, plan.shortest_segment);
  if (!length) return plan;
  const auto devices = static_cast<int64_t>(std::max<size_t>(1, options.hardware.devices.size()));
  std::optional<double> frames = declared_frames(demuxer.stream());
  if (!options.parts.empty()) frames = 0;
  for (const StreamPart& part : options.parts) *frames += static_cast<double>(part.end - part.picture);
  const int64_t most = plan.device_pictures > 0 ? plan.device_pictures : plan.pictures;
  const int64_t of_use = std::min(1 + most / *length,
                                  devices * sessions_of_use(frames, int64_t{stream.width} * stream.height,
                                                            int64_t{options.videos} * options.hardware.runs));
  plan.decoders = options.decoders > 1 ? options.decoders : static_cast<int>(of_use);
  plan.pictures = std::clamp<int64_t>(plan.pictures, 1, plan.decoders * *length);
  // So that none waits for room while the first of them is being delivered.
  constexpr int64_t kSegmentsEach = 2;
  plan.device_pictures = std::min(plan.device_pictures, kSegmentsEach * plan.decoders * *length);
  plan.chains = can_chain(stream);
  plan.first_segment = *length;
  if (options.hardware.turns && plan.decoders >= devices) plan.devices = options.hardware.turns->devices();
  return plan;
}

// At each end of a turn the next device needs frames of the one before.
constexpr int64_t kShortestTurn = 48;

void DeviceTurns::expect(int64_t length) {
  const std::lock_guard lock(mutex_);
  longest_ = std::max(longest_, length);
}

int DeviceTurns::device_for(int64_t first, int64_t length) {
  const std::lock_guard lock(mutex_);
  longest_ = std::max(longest_, length);
  const int64_t turn = longest_ * std::max<int64_t>(1, (kShortestTurn + longest_ - 1) / longest_);
  // Segments of two videos need not begin together.
  const int64_t middle = first + length / 2;
  while (middle >= starts_.back() + turn) starts_.push_back(starts_.back() + turn);
  const auto next = std::upper_bound(starts_.begin() + 1, starts_.end(), middle);
  return static_cast<int>((next - starts_.begin() - 1) % devices_);
}

}  // namespace vq::cli
