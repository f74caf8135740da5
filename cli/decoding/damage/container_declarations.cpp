#include "cli/decoding/damage/container_declarations.h"

#include <bit>

#include "core/text.h"

namespace vq::cli {

// Lengths left by writers of ivf, AVI and RealMedia that could not go back to fill them in.
constexpr int64_t kUnfilledCount = 0xffffffff;
constexpr int64_t kUnfilledAviFrames = int64_t{1} << 30;
constexpr double kUnfilledRmSeconds = 3600;

static bool is_format(const AVFormatContext& container, std::string_view name) {
  return container.iformat->name == name;
}

static std::optional<double> positive_seconds(int64_t ticks, AVRational base) {
  if (ticks == AV_NOPTS_VALUE || ticks <= 0 || ticks == kUnfilledCount || base.den <= 0) return std::nullopt;
  return std::min(static_cast<double>(ticks) * av_q2d(base), kMaxSeconds);
}

// Containers that keep a length for every stream; elsewhere it is that of the longest.
static bool has_stream_lengths(const AVFormatContext& container) {
  return is_mov(container) || is_format(container, "avi") || is_format(container, "mxf");
}

static StreamDeclaration declaration_of(const AVFormatContext& container, const AVStream& stream) {
  const AVCodecParameters& codec = *stream.codecpar;
  StreamDeclaration declaration = {codec.width,     codec.height,     codec.color_range,
                                   codec.color_trc, stream.nb_frames, stream.duration};
  if (declaration.frames == kUnfilledCount) declaration.frames = 0;
  if (is_format(container, "avi")) {
    if (declaration.frames == kUnfilledAviFrames) declaration.frames = 0;
    // A tick is a frame. The duration of a file that is shorter than its header says was made to fit.
    declaration.duration = declaration.frames;
  }
  return declaration;
}

// The index has the samples of an mp4 as they will be read: edit lists leave some out, repeat some, and have
// some read for reference only and not shown.
static void apply_index(AVStream& stream, DeclaredLength& declared) {
  const int entries = avformat_index_get_entries_count(&stream);
  if (entries <= 0) return;
  declared.packets = entries;
  declared.pictures = entries;
  declared.packets_decide = true;
  for (int i = 0; i < entries; ++i) {
    if (avformat_index_get_entry(&stream, i)->flags & AVINDEX_DISCARD_FRAME) --*declared.pictures;
  }
}

static constexpr std::string_view kEbml("\x1A\x45\xDF\xA3", 4), kSegment("\x18\x53\x80\x67", 4);
// A partition pack of MXF, up to its kind.
static constexpr std::string_view kPartition("\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02\x01\x01", 13);
static constexpr std::string_view kAsfProperties(
    "\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65", 16);

static uint64_t byte_at(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

// The number at `at`, of up to 8 bytes. Bytes that are not there count as zeros.
static uint64_t big_endian(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

static uint64_t little_endian(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

// The end of an element of Matroska whose id stands at `at` and takes 4 bytes; nothing if it has no size.
static std::optional<uint64_t> element_end(std::string_view start, size_t at) {
  const size_t size_at = at + 4;
  const int length = std::countl_zero(static_cast<uint8_t>(byte_at(start, size_at))) + 1;
  if (length > 8 || size_at + static_cast<size_t>(length) > start.size()) return std::nullopt;
  const uint64_t mask = (uint64_t{1} << 7 * length) - 1;
  const uint64_t size = big_endian(start, size_at, static_cast<size_t>(length)) & mask;
  if (size == mask) return std::nullopt;
  return size_at + static_cast<size_t>(length) + size;
}

static std::optional<int64_t> matroska_bytes(std::string_view start) {
  const std::optional<uint64_t> segment = element_end(start, 0);
  if (!segment || *segment > start.size() || !start.substr(*segment).starts_with(kSegment))
    return std::nullopt;
  const std::optional<uint64_t> end = element_end(start, *segment);
  if (!end || *end > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(*end);
}

// The pack's key of 16 bytes and its length are followed by a version (4 bytes), the size of a grid (4) and
// the places of this partition (8), the one before (8) and the footer (8).
static std::optional<int64_t> mxf_bytes(std::string_view start) {
  constexpr size_t kKey = 16, kFooter = 24;
  const uint64_t first = byte_at(start, kKey);
  const size_t length = first < 0x80 ? 1 : 1 + (first & 0x7F);
  const uint64_t footer = big_endian(start, kKey + length + kFooter, 8);
  if (footer == 0 || footer >= INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(footer) + 1;
}

static bool is_box(std::string_view header) {
  constexpr std::array<std::string_view, 14> kTypes = {"ftyp", "styp", "moov", "moof", "mdat",
                                                       "sidx", "mfra", "free", "skip", "uuid",
                                                       "emsg", "prft", "meta", "wide"};
  return header.size() >= 8 && contains(kTypes, header.substr(4, 4));
}

// The sizes that a packet of an MPEG transport stream has in its containers.
constexpr std::array<int64_t, 3> kTransportPackets = {188, 192, 204};
// The nut demuxer shortens a packet that was cut without a word. So that it shows, these bytes follow the
// end: the start of an index, which the demuxer passes over.
constexpr std::array<uint8_t, 9> kNutIndex = {0x4E, 0x58, 0xDD, 0x67, 0x2F, 0x23, 0xE6, 0x4E, 0x00};
// Bytes that nut leaves out of packets that start with MPEG's start code, at most.
constexpr int64_t kNutElided = 4;

static int64_t end_of(const AVPacket& packet) {
  return packet.pos > INT64_MAX - packet.size ? INT64_MAX : packet.pos + packet.size;
}

static bool starts_with_start_code(const AVPacket& packet) {
  return packet.size >= 3 && packet.data[0] == 0 && packet.data[1] == 0 && packet.data[2] == 1;
}

bool is_mov(const AVFormatContext& container) {
  return std::string_view(container.iformat->name).starts_with("mov,");
}

ContainerDeclarations::ContainerDeclarations(const AVFormatContext& container, std::string_view start)
    : duration_(container.duration), bytes_(declared_bytes(start)) {
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    streams_.push_back(declaration_of(container, *container.streams[i]));
  }
  if (is_format(container, "asf")) header_seconds_ = asf_seconds(start);
}

void ContainerDeclarations::add_probed(const AVFormatContext& container) {
  const bool is_read = container.duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
  if (is_read && is_format(container, "flv")) duration_ = container.duration;
}

const StreamDeclaration* ContainerDeclarations::of(const AVStream& stream) const {
  const auto index = static_cast<size_t>(stream.index);
  return index < streams_.size() ? &streams_[index] : nullptr;
}

DeclaredLength ContainerDeclarations::length(const AVFormatContext& container, const AVStream& stream) const {
  DeclaredLength declared;
  declared.bytes = bytes_;
  declared.seconds = positive_seconds(duration_, AVRational{1, AV_TIME_BASE});
  declared.seconds_of_all_streams = container.nb_streams > 1;
  const StreamDeclaration* const declaration = of(stream);
  if (declaration == nullptr) return declared;
  const auto seconds = positive_seconds(declaration->duration, stream.time_base);
  if (seconds) declared.seconds = seconds;
  if (seconds && has_stream_lengths(container)) declared.seconds_of_all_streams = false;
  if (header_seconds_) declared.seconds = std::min(*header_seconds_, kMaxSeconds);
  if (is_format(container, "rm") && declared.seconds == kUnfilledRmSeconds) declared.seconds.reset();
  if (declaration->frames <= 0) return declared;
  declared.packets = declared.pictures = declaration->frames;
  // Elsewhere what counts as one is not always sure.
  const bool is_sure = is_mov(container) || is_format(container, "avi") || is_format(container, "ivf");
  declared.packet_slack = is_sure ? 0 : 1;
  if (is_mov(container)) apply_index(*container.streams[stream.index], declared);
  return declared;
}

std::optional<MediaBoxes> media_boxes(ByteReader& reader) {
  constexpr uint64_t kSizeFollows = 1;
  const auto end = static_cast<uint64_t>(reader.size().value_or(0));
  uint64_t at = 0;
  MediaBoxes boxes;
  std::optional<int64_t> file_type;  // of the video whose table is next
  bool has_movie = false, has_fragments = false;
  reader.seek(0);
  while (at < end) {
    const std::string_view header = reader.peek(16);
    const uint64_t short_size = big_endian(header, 0, 4);
    const uint64_t size = short_size == kSizeFollows ? big_endian(header, 8, 8) : short_size;
    if (!is_box(header) || size < 8 || size > INT64_MAX - at) return std::nullopt;
    const std::string_view type = header.substr(4, 4);
    if (type == "ftyp") file_type = static_cast<int64_t>(at);
    // The header of fragments may come again for those who tune in.
    has_fragments |= type == "moof";
    if (type == "moov") {
      const int64_t begins = file_type.value_or(static_cast<int64_t>(at));
      if (std::exchange(has_movie, true) && !boxes.second) boxes.second = begins;
      file_type.reset();
    }
    at += size;
    if (type == "mdat" || type == "moof") boxes.end = static_cast<int64_t>(at);
    if (at < end) reader.skip(static_cast<int64_t>(size));
  }
  if (has_fragments) boxes.second.reset();
  return boxes;
}

std::optional<int64_t> declared_bytes(std::string_view start) {
  if (start.starts_with(kEbml)) return matroska_bytes(start);
  if (start.starts_with(kPartition)) return mxf_bytes(start);
  return std::nullopt;
}

// The file properties: their id, their size (8 bytes), then the file's id (16), size (8), date (8) and number
// of packets (8), the duration with the preroll in 100 ns (8), the time to send (8), the preroll in ms (8)
// and flags.
std::optional<double> asf_seconds(std::string_view start) {
  constexpr size_t kDuration = 64, kPreroll = 80, kFlags = 88, kEnd = 92;
  const size_t at = start.find(kAsfProperties);
  if (at == std::string_view::npos || start.size() - at < kEnd) return std::nullopt;
  const bool is_broadcast = (little_endian(start, at + kFlags, 4) & 1) != 0;
  const double duration = static_cast<double>(little_endian(start, at + kDuration, 8)) / 1e7;
  const double preroll = static_cast<double>(little_endian(start, at + kPreroll, 8)) / 1e3;
  if (is_broadcast || duration <= preroll) return std::nullopt;
  return duration - preroll;
}

ContainerEnd::ContainerEnd(std::optional<int64_t> size)
    : at_(size), unit_sizes_(kTransportPackets.begin(), kTransportPackets.end()) {}

int ContainerEnd::read_beyond(int64_t end, uint8_t* data, int size) {
  at_ = end;
  if (format_ != "nut") return AVERROR_EOF;
  const int64_t count = std::min<int64_t>(size, static_cast<int64_t>(kNutIndex.size()) - beyond_);
  if (count <= 0) return AVERROR_EOF;
  std::copy_n(kNutIndex.begin() + beyond_, count, data);
  beyond_ += count;
  return static_cast<int>(count);
}

int64_t ContainerEnd::seek(int64_t offset, int64_t size) {
  beyond_ = std::clamp<int64_t>(offset - size, 0, kNutIndex.size());
  return offset - beyond_;
}

// Packets of a transport stream are of one size, which libavformat finds out and keeps to itself.
void ContainerEnd::note(const AVPacket& packet) {
  if (packet.pos < 0) return;
  last_packet_end_ = std::max(last_packet_end_, end_of(packet));
  if (format_ != "mpegts") return;
  if (!first_position_) first_position_ = packet.pos;
  std::erase_if(unit_sizes_, [&](int64_t size) { return (packet.pos - *first_position_) % size != 0; });
}

bool ContainerEnd::cuts(const AVPacket& packet) const {
  if (!at_ || packet.pos < 0) return false;
  const int64_t elided = format_ == "nut" && starts_with_start_code(packet) ? kNutElided : 0;
  return (format_ == "dv" || format_ == "nut") && end_of(packet) - elided > *at_;
}

bool ContainerEnd::is_end(int code) const {
  const bool had_all = !at_ || last_packet_end_ >= *at_;
  return (code == AVERROR(EIO) && had_all) || (code == AVERROR(EPERM) && format_ == "gxf") ||
         (code == AVERROR_INVALIDDATA && format_ == "smjpeg");
}

bool ContainerEnd::is_within_unit() const {
  // FFmpeg 7 leaves out a chunk of RoQ that was cut; 5 failed to read it.
  if (format_ == "roq") return at_ && last_packet_end_ > 0 && last_packet_end_ < *at_;
  if (!at_ || !first_position_ || unit_sizes_.empty()) return false;
  return std::ranges::all_of(unit_sizes_,
                             [&](int64_t size) { return (*at_ - *first_position_) % size != 0; });
}

}  // namespace vq::cli
