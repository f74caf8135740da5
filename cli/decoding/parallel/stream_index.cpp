#include "cli/decoding/parallel/stream_index.h"

#include <bit>

#include "cli/decoding/damage/stream_verdict.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/certainty.h"

namespace vq::cli {
namespace {

// Containers that find a packet by its time.
bool has_index(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"mov", "matroska", "mxf", "nut"};
  const std::string_view first = name.substr(0, name.find(','));
  return contains(kNames, first);
}

struct PacketTimes {
  int64_t time = 0;
  int64_t decoding = 0;   // of decoding; that of display if there is none
  int64_t length = 0;     // 0: unknown
  bool is_needed = true;  // for others
};

class Indexer {
 public:
  Indexer(const SourceOptions& options, StreamIndex& index)
      : options_(options),
        reader_(open_byte_source(options.path, options.stop)),
        demuxer_(reader_, options_),
        finder_(entry_finder(*demuxer_.stream().codecpar)),
        index_(index) {}

  void read() {
    index_.tick_seconds = av_q2d(demuxer_.stream().time_base);
    index_.start_time = demuxer_.start_time();
    if (!has_index(demuxer_.container().iformat->name)) return refuse("its container has no index");
    if (!finder_) return refuse("of its codec nobody knows where decoding may begin");
    read_packets();
    settle_open(true);
    if (!index_.whole.empty()) return;
    order();
    check_end();
    if (index_.whole.empty()) number_starts();
  }

 private:
  void refuse(const std::string& why) {
    if (index_.whole.empty()) index_.whole = why;
  }

  void read_packets() {
    const AvPtr<AVPacket> packet = new_packet();
    int code = demuxer_.read(*packet);
    for (; code >= 0 && index_.whole.empty(); code = demuxer_.read(*packet)) {
      if (options_.stop.is_requested())
        throw Error(ErrorKind::kIncomplete, "{}: reading was interrupted", options_.path);
      add(*packet);
    }
    if (demuxer_.read_failure()) std::rethrow_exception(demuxer_.read_failure());
    if (index_.whole.empty() && code != AVERROR_EOF) refuse("it is damaged");
  }

  void add(const AVPacket& packet) {
    const AVStream& stream = *demuxer_.container().streams[packet.stream_index];
    const int64_t start = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    if (packet.stream_index != demuxer_.stream().index) {
      if (start == AV_NOPTS_VALUE) return;
      const double end =
          static_cast<double>(start + std::max<int64_t>(0, packet.duration)) * av_q2d(stream.time_base);
      others_end_ = std::max(others_end_, end);
      return;
    }
    ++progress_.packets;
    if (packet.size == 0) return;
    const Entry entry = finder_->look(packet);
    if (entry == Entry::kRefused) return refuse("it changes, is damaged, or lacks times");
    if (packets_.empty() && entry != Entry::kClosed && entry != Entry::kOpen)
      return refuse(std::string(finder_->no_entry()));
    add_entry(entry);
    index_.packet_bytes.push_back(packet.size);
    packets_.push_back({packet.pts,
                        packet.dts != AV_NOPTS_VALUE ? std::min(packet.dts, packet.pts) : packet.pts,
                        std::max<int64_t>(0, packet.duration), !finder_->may_leave_out(packet)});
  }

  // An open entry is one if nothing but pictures that lean on it comes with it.
  void add_entry(Entry entry) {
    const bool leans = entry == Entry::kLeaning && open_;
    if (leans && ++leaning_ <= kMostLeaning) {
      if (*open_ == 0) refuse("its first pictures lean on some that are not there");
      return;
    }
    settle_open(entry != Entry::kLeading && entry != Entry::kLeaning);
    if (entry == Entry::kOpen) open_ = packets_.size();
    if (entry == Entry::kClosed) starts_.push_back(packets_.size());
  }

  void settle_open(bool may_begin) {
    if (open_ && may_begin) starts_.push_back(*open_);
    open_.reset();
    leaning_ = 0;
  }

  void order() {
    index_.times = mapped(packets_, &PacketTimes::time);
    std::ranges::sort(index_.times);
    if (std::ranges::adjacent_find(index_.times) != index_.times.end())
      return refuse("two of its pictures have the same time");
    index_.is_needed.resize(index_.times.size());
    for (const PacketTimes& packet : packets_)
      index_.is_needed[static_cast<size_t>(place_of(packet.time))] = packet.is_needed;
    index_.pictures = static_cast<int64_t>(index_.times.size());
    progress_.pictures = *index_.pictures;
    DisplayOrder order;
    for (const int64_t time : index_.times) order.add(time);
    progress_.is_regular = order.is_regular();
    if (demuxer_.frame_rate().num > 0) progress_.frame_seconds = 1 / av_q2d(demuxer_.frame_rate());
    if (order.is_regular()) progress_.frame_seconds = static_cast<double>(order.step()) * index_.tick_seconds;
    for (const PacketTimes& packet : packets_) {
      const double length = static_cast<double>(packet.length) * index_.tick_seconds;
      const double end = static_cast<double>(packet.time) * index_.tick_seconds +
                         (length > 0 ? length : progress_.frame_seconds);
      progress_.own_end_seconds = std::max(progress_.own_end_seconds, end);
    }
    progress_.end_seconds = std::max(progress_.own_end_seconds, others_end_);
  }

  int64_t place_of(int64_t time) const {
    return std::ranges::lower_bound(index_.times, time) - index_.times.begin();
  }

  // As one who decodes all of it finds at the end.
  void check_end() {
    if (!index_.whole.empty()) return;
    if (packets_.empty()) return refuse("it has no pictures");
    demuxer_.declare_boxes();
    if (demuxer_.read_failure()) std::rethrow_exception(demuxer_.read_failure());
    progress_.bytes = demuxer_.end().at();
    if (!missing_at_end(demuxer_, progress_).empty() || !demuxer_.complaint().empty())
      return refuse("it is cut or damaged");
    index_.measured = length_of(demuxer_, progress_);
  }

  // Pictures before a start in the order of decoding are before it in that of display as well, or lean on it.
  void number_starts() {
    int64_t latest = packets_.front().time;  // of the packets before
    size_t next = 0;
    for (const size_t start : starts_) {
      for (; next < start; ++next) latest = std::max(latest, packets_[next].time);
      const PacketTimes& packet = packets_[start];
      if (start > 0 && packet.time <= latest) continue;
      index_.starts.push_back({place_of(packet.time), packet.time, packet.decoding});
    }
    if (index_.starts.empty() || index_.starts.front().picture != 0)
      refuse("its first picture is no key frame");
  }

  const SourceOptions options_;
  ByteReader reader_;
  FfmpegDemuxer demuxer_;
  const std::unique_ptr<EntryFinder> finder_;
  StreamIndex& index_;
  std::vector<PacketTimes> packets_;  // in the order of decoding
  std::vector<size_t> starts_;        // places in packets_
  std::optional<size_t> open_;        // the same, of an open entry that is not decided on
  size_t leaning_ = 0;
  double others_end_ = 0;
  DecodeProgress progress_;
};

// As words of 8 bytes, the last filled with zeros.
void absorb_bytes(SeedHash& hash, std::span<const uint8_t> bytes) {
  static_assert(std::endian::native == std::endian::little);
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    hash.absorb(word);
  }
}

void absorb_samples(SeedHash& hash, SourceOptions options, std::span<const int64_t> pictures) {
  options.planes = kMaxPlanes;
  std::vector<uint8_t> bytes;
  const auto add_rows = [&](const auto& plane) {
    for (int y = 0; y < plane.height; ++y) {
      const auto* const row = reinterpret_cast<const uint8_t*>(plane.row(y));
      bytes.insert(bytes.end(), row, row + static_cast<size_t>(plane.width) * sizeof(*plane.data));
    }
  };
  for (const int64_t picture : pictures) {
    const std::unique_ptr<VideoSource> source = open_video(options);
    source->skip(picture);
    const std::optional<Frame> frame = source->read();
    if (!frame) throw Error(ErrorKind::kIncomplete, "{} has no frame {}", options.path, picture);
    bytes.clear();
    for (const SampleView& plane : frame->planes) {
      if (plane.empty()) continue;
      plane.is_u8() ? add_rows(plane.u8) : add_rows(plane.u16);
    }
    absorb_bytes(hash, bytes);
  }
}

void absorb_packets(SeedHash& hash, const SourceOptions& options, const StreamIndex& index,
                    std::span<const int64_t> pictures) {
  ByteReader reader(open_byte_source(options.path, options.stop));
  FfmpegDemuxer demuxer(reader, options);
  const AvPtr<AVPacket> packet = new_packet();
  for (const int64_t picture : pictures) {
    demuxer.seek_ticks(index.part(picture, picture + 1).seek);
    const int64_t time = index.times[static_cast<size_t>(picture)];
    do {
      if (demuxer.read(*packet) < 0)
        throw Error(ErrorKind::kIncomplete, "{} has no frame {}", options.path, picture);
    } while (packet->stream_index != demuxer.stream().index || packet->pts != time);
    absorb_bytes(hash, {packet->data, static_cast<size_t>(packet->size)});
  }
}

}  // namespace

uint64_t content_seed(const SourceOptions& options, const StreamIndex& index, int64_t first,
                      int64_t pictures) {
  SeedHash hash;
  hash.absorb(static_cast<uint64_t>(pictures));
  for (const int64_t bytes : index.packet_bytes) hash.absorb(static_cast<uint64_t>(bytes));
  const std::array<int64_t, 3> places = {first, first + pictures / 2, first + pictures - 1};
  index.is_planar ? absorb_samples(hash, options, places) : absorb_packets(hash, options, index, places);
  return hash.value();
}

std::optional<double> StreamIndex::timestamp(int64_t picture) const {
  if (!is_planar)
    return static_cast<double>(times.at(static_cast<size_t>(picture)) - start_time) * tick_seconds;
  const std::optional<double> rate = info.frame_rate();
  return rate ? std::optional(static_cast<double>(picture) / *rate) : std::nullopt;
}

StreamPart StreamIndex::part(int64_t picture, int64_t end) const {
  const auto behind = std::ranges::upper_bound(starts, picture, {}, &StreamStartPoint::picture);
  const StreamStartPoint& start = *std::prev(behind);
  StreamPart part{.picture = start.picture,
                  .time = start.time,
                  .seek = start.seek,
                  .end = std::min(end, *pictures),
                  .end_time = {}};
  if (end < *pictures) part.end_time = times[static_cast<size_t>(end)];
  return part;
}

StreamPart StreamIndex::part_from(int64_t picture, int64_t end) const {
  StreamPart cut = part(picture, end);
  cut.wanted_time = times[static_cast<size_t>(picture)];
  // At the end of a stream all is decoded, as it may be cut.
  if (cut.end_time)
    cut.left_out = std::count(is_needed.begin() + cut.picture, is_needed.begin() + picture, false);
  return cut;
}

bool may_be_cut(const VideoInfo& video) {
  if (is_planar(video)) return video.frames.has_value();
  return has_index(video.container) && video.film_grain == FilmGrain::kNone;
}

StreamIndex index_stream(const SourceOptions& options) {
  StreamIndex index;
  {
    const std::unique_ptr<VideoSource> source = open_video(options);
    const VideoInfo& info = index.info = source->info();
    index.is_planar = is_planar(info);
    if (index.is_planar) {
      index.pictures = info.frames;
      if (!info.frames) index.whole = "nothing says how many frames it has";
      return index;
    }
    if (info.film_grain != FilmGrain::kNone) index.whole = "it has film grain";
  }
  if (index.whole.empty()) Indexer(options, index).read();
  return index;
}

}  // namespace vq::cli
