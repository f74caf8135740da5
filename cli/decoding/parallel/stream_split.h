// Splits the packets of a stream into segments, each for a decoder without history, and plans how many
// decoders share them.
#pragma once

#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_functions.h"

namespace vq::cli {

// Role of a packet in the search for positions at which a decoder without history may start.
enum class Entry {
  kNone,    // depends on others
  kClosed,  // an entry: nothing from here on depends on earlier packets, or is displayed before it
  // An entry, except that pictures which follow it but are displayed before it depend on earlier packets.
  kOpen,
  kLeaning,  // one of those
  kLeading,  // follows an open entry and is displayed before it, but depends on nothing before it
  kRefused,  // this stream cannot be split anywhere
};

// Upper bound on the pictures that depend on packets before an open entry; more than any stream reorders.
inline constexpr size_t kMostLeaning = 64;

class EntryFinder {
 public:
  virtual ~EntryFinder() = default;
  // Takes the packets of the stream in order.
  Entry look(const AVPacket& packet);
  // Whether nothing but its own picture is lost if this packet is not decoded.
  bool may_leave_out(const AVPacket& packet) const;
  // Why the first packet may not be an entry, as a text that follows the video's name.
  virtual std::string_view no_entry() const { return "it does not begin at a key frame"; }

 private:
  // The same for a packet that has a time and changes nothing.
  virtual Entry find(const AVPacket& packet) = 0;
  virtual bool is_reference(const AVPacket&) const { return true; }
};

// Null for codecs with unknown entries, and for streams that lack what a decoder needs to start.
std::unique_ptr<EntryFinder> entry_finder(const AVCodecParameters& stream);

struct SplitPacket {
  enum class Role {
    kInside,
    kFirst,  // starts a segment
    // The next segment's first packet. Pictures of this segment follow it and depend on it, so this segment's
    // decoder receives it too, and its picture is dropped.
    kBorrowed,
  };
  AvPtr<AVPacket> packet;
  int64_t number = 0;  // in the stream, from 1
  Role role = Role::kInside;
};

class StreamSplitter {
 public:
  // Every segment but the last has at least this number of packets. Needs: a finder.
  StreamSplitter(std::unique_ptr<EntryFinder> finder, int64_t shortest);

  // The packets of the stream, in order. Throws std::bad_alloc.
  void add(AvPtr<AVPacket> packet, int64_t number);
  void end();  // no packets follow
  // The next packet with a known role: packets wait until it is known whether a segment begins at an open
  // entry.
  std::optional<SplitPacket> take();
  // As EntryFinder::may_leave_out().
  bool may_leave_out(const AVPacket& packet) const { return finder_->may_leave_out(packet); }
  // A packet was added because of which the stream should not have been split, even before that packet.
  bool is_refused() const { return is_refused_; }

 private:
  void settle(bool may_split);
  void push(AvPtr<AVPacket> packet, int64_t number, SplitPacket::Role role);

  const std::unique_ptr<EntryFinder> finder_;
  const int64_t shortest_;
  std::deque<SplitPacket> ready_;
  std::deque<SplitPacket> open_;  // an undecided open entry and its dependents
  int64_t length_ = 0;            // of the current segment
  bool is_refused_ = false;
};

struct DecoderPlan {
  int decoders = 1;
  int threads = 1;               // of each
  int64_t pictures = 0;          // decoded ahead by all decoders together, in host memory
  int64_t device_pictures = 0;   // the same on decoding devices; 0: not possible
  int64_t shortest_segment = 1;  // packets
  int64_t first_segment = 1;     // the same, of the first one
  int devices = 1;               // that decode; each has a decoder at least
  bool chains = false;           // a decoder continues with another segment without being reset
};

// One decoder gains nothing from more threads, which cost memory.
inline constexpr int kMaxDecoderThreads = 16;
// Minimum number of packets per segment, since draining and filling a decoder takes the time of a few
// pictures; shorter ones are allowed if several decoders were requested.
inline constexpr int64_t kShortestSegment = 24, kShortestAskedFor = 12;

// Reads the first packets of the stream and puts them back. Needs: nothing was read yet.
DecoderPlan plan_decoders(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);

// The same for hardware sessions, whose pictures may wait in device memory.
DecoderPlan plan_sessions(FfmpegDemuxer& demuxer, const SourceOptions& options);

// Number of hardware sessions on one device that finish a stream of this number of frames soonest, while as
// many work on each of the other videos. No frames: unknown.
int64_t sessions_of_use(std::optional<double> frames, int64_t pixels, int64_t videos);

// The memory of one decoded picture, if known.
int64_t picture_bytes(const AVCodecParameters& stream);

// Which of several devices decodes a segment of a stream. Devices take turns along the pictures of a run: the
// same pictures of both videos of a pair lie on one device, whichever of them is decoded ahead of the other.
// A turn is some 48 pictures, or as long as the longest segment so far, and a segment belongs to the turn in
// which its middle lies. Only speed depends on this. May be used from any thread.
class DeviceTurns {
 public:
  // Needs: devices > 0.
  explicit DeviceTurns(int devices) : devices_(devices) {}

  int devices() const { return devices_; }
  // Announces segments of about `length` pictures.
  void expect(int64_t length);
  // The device, from 0, for a segment of about `length` pictures from picture `first` on, counted from 0.
  int device_for(int64_t first, int64_t length);

 private:
  const int devices_;
  std::mutex mutex_;
  int64_t longest_ = 1;                // segment
  std::vector<int64_t> starts_ = {0};  // of turns, in order
};

}  // namespace vq::cli
