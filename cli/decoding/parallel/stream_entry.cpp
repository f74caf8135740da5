#include "cli/decoding/parallel/stream_split.h"

#include <charconv>

namespace vq::cli {
namespace {

using Bytes = std::span<const uint8_t>;
using Unit = std::vector<uint8_t>;

// The coded units (NAL units) in a packet of H.264 or HEVC, and in the global header of its stream.

// Configuration records begin with their version, start codes with zeros.
bool is_record(Bytes header, size_t least) { return header.size() >= least && header[0] == 1; }

Bytes without_zeros_at_end(Bytes unit) {
  while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
  return unit;
}

// Place of the next 00 00 01, or the end.
size_t find_start_code(Bytes data, size_t from) {
  for (size_t at = from + 2; at < data.size(); ++at) {
    const void* const one = std::memchr(data.data() + at, 1, data.size() - at);
    if (one == nullptr) return data.size();
    at = static_cast<size_t>(static_cast<const uint8_t*>(one) - data.data());
    if (data[at - 1] == 0 && data[at - 2] == 0) return at - 2;
  }
  return data.size();
}

std::vector<Bytes> units_between_start_codes(Bytes data) {
  constexpr size_t kStartCode = 3;
  std::vector<Bytes> units;
  for (size_t at = find_start_code(data, 0); at < data.size();) {
    const size_t begin = at + kStartCode, end = find_start_code(data, begin);
    const Bytes unit = without_zeros_at_end(data.subspan(begin, end - begin));
    if (!unit.empty()) units.push_back(unit);
    at = end;
  }
  return units;
}

// Takes a number of `bytes` bytes from the front of the data. Leaves nothing if the data has fewer.
size_t take_number(Bytes& data, size_t bytes) {
  size_t number = 0;
  if (data.size() < bytes) data = {};
  for (size_t i = 0; i < bytes && !data.empty(); ++i) {
    number = number << 8 | data.front();
    data = data.subspan(1);
  }
  return number;
}

Bytes take_unit(Bytes& data, size_t length_bytes) {
  const size_t size = take_number(data, length_bytes);
  if (size > data.size()) {
    data = {};
    return {};
  }
  const Bytes unit = data.first(size);
  data = data.subspan(size);
  return without_zeros_at_end(unit);
}

void take_sets(Bytes& data, size_t count, std::vector<Bytes>& sets) {
  constexpr size_t kLengthBytes = 2;
  for (size_t i = 0; i < count; ++i) {
    const Bytes set = take_unit(data, kLengthBytes);
    if (!set.empty()) sets.push_back(set);
  }
}

constexpr size_t kH264Fixed = 6, kHevcFixed = 23;  // bytes before the first set

// Each unit from its type byte on, without trailing zeros; a length that exceeds the data ends the list.
// `length_bytes`: size of the length before each; 0: start codes separate them (Annex B).
std::vector<Bytes> units_of(Bytes data, size_t length_bytes) {
  if (length_bytes == 0) return units_between_start_codes(data);
  std::vector<Bytes> units;
  while (!data.empty()) {
    const Bytes unit = take_unit(data, length_bytes);
    if (!unit.empty()) units.push_back(unit);
  }
  return units;
}

// The parameter sets of the global header. Each decoder has these, whatever it saw of the stream; a set
// within the stream is known only to the decoder that was given it.
struct GlobalHeader {
  size_t length_bytes = 0;  // of units in packets; an empty header means start codes
  std::vector<Unit> sets;

  bool has(Bytes set) const {
    return std::ranges::any_of(sets, [&](const Unit& known) { return std::ranges::equal(known, set); });
  }
};

GlobalHeader with_sets(size_t length_bytes, const std::vector<Bytes>& sets) {
  GlobalHeader header{.length_bytes = length_bytes, .sets = {}};
  for (const Bytes& set : sets) header.sets.emplace_back(set.begin(), set.end());
  return header;
}

GlobalHeader h264_header(Bytes header) {
  if (!is_record(header, kH264Fixed)) return with_sets(0, units_between_start_codes(header));
  std::vector<Bytes> sets;
  Bytes rest = header.subspan(kH264Fixed - 1);
  take_sets(rest, take_number(rest, 1) & 0x1F, sets);
  take_sets(rest, take_number(rest, 1), sets);
  return with_sets((header[4] & 3U) + 1, sets);
}

GlobalHeader hevc_header(Bytes header) {
  if (!is_record(header, kHevcFixed)) return with_sets(0, units_between_start_codes(header));
  std::vector<Bytes> sets;
  Bytes rest = header.subspan(kHevcFixed);
  for (size_t arrays = header[kHevcFixed - 1]; arrays > 0 && !rest.empty(); --arrays) {
    take_number(rest, 1);  // the type, which each set has itself
    take_sets(rest, take_number(rest, 2), sets);
  }
  return with_sets((header[21] & 3U) + 1, sets);
}

Bytes bytes_of(const AVPacket& packet) { return {packet.data, static_cast<size_t>(packet.size)}; }

Bytes header_of(const AVCodecParameters& stream) {
  return {stream.extradata, static_cast<size_t>(stream.extradata_size)};
}

bool is_key(const AVPacket& packet) { return (packet.flags & AV_PKT_FLAG_KEY) != 0; }

// Decoders make up for the mistakes of old releases of x264, which name themselves in the first packet alone.
// From this one on there are none.
constexpr int kSoundX264 = 151;

bool tells_of_old_x264(Bytes unit) {
  constexpr std::string_view kName = "x264 - core ";
  const auto found = std::search(unit.begin(), unit.end(), kName.begin(), kName.end());
  if (found == unit.end()) return false;
  const auto* const text = reinterpret_cast<const char*>(unit.data());
  int build = 0;
  std::from_chars(text + (found - unit.begin()) + kName.size(), text + unit.size(), build);
  return build < kSoundX264;
}

class H264Finder final : public EntryFinder {
 public:
  explicit H264Finder(GlobalHeader header) : header_(std::move(header)) {}

  Entry find(const AVPacket& packet) override {
    Entry entry = Entry::kNone;
    bool met_picture = false;
    for (const Bytes& unit : units_of(bytes_of(packet), header_.length_bytes)) {
      const int type = unit[0] & 0x1F;
      if (is_set(type) && !header_.has(unit)) return Entry::kRefused;
      if (type == kSei && tells_of_old_x264(unit)) return Entry::kRefused;
      if (met_picture || type < kFirstPicture || type > kIdr) continue;
      met_picture = true;
      if (type == kIdr) entry = Entry::kClosed;
    }
    return entry;
  }

 private:
  // Whether a unit that is no remark says so, or belongs to more than one layer.
  bool is_reference(const AVPacket& packet) const override {
    constexpr int kDelimiter = 9, kFiller = 12;
    return std::ranges::any_of(units_of(bytes_of(packet), header_.length_bytes), [](const Bytes& unit) {
      const int type = unit[0] & 0x1F;
      const bool is_picture = type >= kFirstPicture && type < kIdr;
      return is_picture ? (unit[0] & 0x60) != 0 : type != kSei && type != kDelimiter && type != kFiller;
    });
  }

  static constexpr int kFirstPicture = 1, kIdr = 5, kSei = 6;
  // Whether a unit is the header of a sequence or a picture, or an extension of one.
  static bool is_set(int type) { return type == 7 || type == 8 || type == 13 || type == 15; }

  const GlobalHeader header_;
};

class HevcFinder final : public EntryFinder {
 public:
  explicit HevcFinder(GlobalHeader header) : header_(std::move(header)) {}

  Entry find(const AVPacket& packet) override {
    const bool after_end = ended_;
    Entry entry = Entry::kNone;
    bool met_picture = false;
    for (const Bytes& unit : units_of(bytes_of(packet), header_.length_bytes)) {
      if (unit.size() < 3) continue;
      const int type = unit[0] >> 1 & 0x3F, layer = (unit[0] & 1) << 5 | unit[1] >> 3;
      if (type >= kFirstSet && type <= kLastSet && !header_.has(unit)) return Entry::kRefused;
      if (type == kEndOfSequence || type == kEndOfStream) ended_ = true;
      if (met_picture || type > kLastPicture || layer != 0) continue;
      met_picture = true;
      ended_ = false;
      // A picture that discards those not shown yet needs to be where they are, and one after the end of a
      // sequence does.
      const bool discards = (unit[2] & 0x40) != 0 || after_end;
      entry = entry_of(type, discards);
    }
    return entry;
  }

 private:
  static constexpr int kLastPicture = 31, kFirstSet = 32, kLastSet = 34, kEndOfSequence = 36,
                       kEndOfStream = 37;

  static Entry entry_of(int type, bool discards) {
    constexpr int kFirstRadl = 6, kFirstRasl = 8, kLastRasl = 9, kFirstBla = 16, kLastIdr = 20, kCra = 21;
    if (type >= kFirstRasl && type <= kLastRasl) return Entry::kLeaning;
    if (type >= kFirstRadl && type < kFirstRasl) return Entry::kLeading;
    if (discards) return Entry::kNone;
    if (type >= kFirstBla && type <= kLastIdr) return Entry::kClosed;
    return type == kCra ? Entry::kOpen : Entry::kNone;
  }

  const GlobalHeader header_;
  bool ended_ = false;
};

// Bits from the highest of the first byte on; zeros behind the end.
class Bits {
 public:
  explicit Bits(Bytes data) : data_(data) {}
  int take(int count) {
    int value = 0;
    for (; count > 0; --count, ++at_) {
      const size_t byte = at_ / 8;
      value = value << 1 | (byte < data_.size() ? data_[byte] >> (7 - at_ % 8) & 1 : 0);
    }
    return value;
  }

 private:
  Bytes data_;
  size_t at_ = 0;
};

class Vp9Finder final : public EntryFinder {
 public:
  Entry find(const AVPacket& packet) override {
    if (!is_key(packet)) return Entry::kNone;
    constexpr int kMarker = 2, kMostProfile = 3;
    Bits bits(bytes_of(packet));
    if (bits.take(2) != kMarker) return Entry::kNone;
    const int low = bits.take(1), profile = bits.take(1) << 1 | low;
    if (profile == kMostProfile) bits.take(1);
    const bool repeats = bits.take(1) == 1, is_key_frame = bits.take(1) == 0, is_shown = bits.take(1) == 1;
    return !repeats && is_key_frame && is_shown ? Entry::kClosed : Entry::kNone;
  }
};

class Av1Finder final : public EntryFinder {
 public:
  Entry find(const AVPacket& packet) override {
    bool met_sequence = false;
    for (Bytes rest = bytes_of(packet); !rest.empty();) {
      const Obu unit = take_unit(rest);
      if (unit.type == kSequenceHeader) {
        met_sequence = true;
        if (sequence_.empty()) sequence_.assign(unit.data.begin(), unit.data.end());
        if (!std::ranges::equal(sequence_, unit.data) || is_reduced(unit.data)) return Entry::kRefused;
      }
      if (unit.type != kFrameHeader && unit.type != kFrame) continue;
      return is_key(packet) && met_sequence && is_shown_key(unit.data) ? Entry::kClosed : Entry::kNone;
    }
    return Entry::kNone;
  }

 private:
  static constexpr int kSequenceHeader = 1, kFrameHeader = 3, kFrame = 6;
  struct Obu {
    int type = 0;
    Bytes data = {};
  };

  static Obu take_unit(Bytes& rest) {
    const int type = rest[0] >> 3 & 0xF;
    const bool has_extension = (rest[0] & 4) != 0, has_size = (rest[0] & 2) != 0;
    rest = rest.subspan(std::min<size_t>(rest.size(), has_extension ? 2 : 1));
    const size_t size = has_size ? std::min(take_size(rest), rest.size()) : rest.size();
    const Obu unit{type, rest.first(size)};
    rest = rest.subspan(size);
    return unit;
  }

  // Seven bits a byte, the lowest first.
  static size_t take_size(Bytes& rest) {
    constexpr int kMostBytes = 8;
    size_t size = 0;
    for (int i = 0; i < kMostBytes && !rest.empty(); ++i) {
      const uint8_t byte = rest.front();
      rest = rest.subspan(1);
      size |= size_t{byte & 0x7Fu} << 7 * i;
      if ((byte & 0x80) == 0) break;
    }
    return size;
  }

  // A still picture, whose frame header lacks what is asked for below.
  static bool is_reduced(Bytes sequence) {
    Bits bits(sequence);
    bits.take(4);
    return bits.take(1) == 1;
  }

  static bool is_shown_key(Bytes frame) {
    Bits bits(frame);
    const bool repeats = bits.take(1) == 1, is_key_frame = bits.take(2) == 0, is_shown = bits.take(1) == 1;
    return !repeats && is_key_frame && is_shown;
  }

  Unit sequence_;
};

// A picture may leave out tables, and is then decoded by those of one before.
class JpegFinder final : public EntryFinder {
 public:
  Entry find(const AVPacket& packet) override {
    bool has_quantisers = false, has_codes = false;
    const Bytes data = bytes_of(packet);
    // Segments of two bytes of marker and two of length, up to the samples.
    for (size_t at = 2; at + 4 <= data.size() && data[at] == 0xFF && data[at + 1] != kSamples;
         at += 2 + size_t{data[at + 2]} * 256 + data[at + 3]) {
      has_quantisers = has_quantisers || data[at + 1] == kQuantisers;
      has_codes = has_codes || data[at + 1] == kCodes;
    }
    met_codes_ = met_codes_ || has_codes;
    return has_quantisers && has_codes == met_codes_ ? Entry::kClosed : Entry::kNone;
  }

 private:
  static constexpr uint8_t kSamples = 0xDA, kQuantisers = 0xDB, kCodes = 0xC4;
  bool met_codes_ = false;
};

// Damage that nothing tells of goes on from one picture to another here, so only pictures with checksums are
// entries.
class Ffv1Finder final : public EntryFinder {
 public:
  Entry find(const AVPacket& packet) override {
    if (is_key(packet)) lacks_checksum_ = !has_checksum(bytes_of(packet));
    return is_key(packet) && !lacks_checksum_ ? Entry::kClosed : Entry::kNone;
  }
  std::string_view no_entry() const override {
    return lacks_checksum_ ? "its FFV1 has no checksums; ffmpeg -level 3 -slicecrc 1 writes them"
                           : EntryFinder::no_entry();
  }

 private:
  // Whether the last slice has a checksum: it ends with its size in three bytes, a flag and the checksum,
  // which the size does not count.
  static bool has_checksum(Bytes data) {
    constexpr size_t kTrailer = 8;
    if (data.size() < kTrailer) return false;
    const Bytes trailer = data.last(kTrailer);
    const size_t size = (size_t{trailer[0]} << 16 | size_t{trailer[1]} << 8 | trailer[2]) + kTrailer;
    if (size > data.size()) return false;
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, data.last(size).data(), size) == 0;
  }

  bool lacks_checksum_ = false;
};

class KeyFinder final : public EntryFinder {
 public:
  Entry find(const AVPacket& packet) override { return is_key(packet) ? Entry::kClosed : Entry::kNone; }
};

// Uncompressed pictures are not worth a second thread.
bool has_only_key_frames(AVCodecID codec) {
  const AVCodecDescriptor* const descriptor = avcodec_descriptor_get(codec);
  return descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_INTRA_ONLY) != 0 &&
         codec != AV_CODEC_ID_RAWVIDEO;
}

// Packets that no finder has to search.
bool is_refused(const AVPacket& packet) {
  constexpr std::array<AVPacketSideDataType, 3> kChanges = {AV_PKT_DATA_NEW_EXTRADATA,
                                                            AV_PKT_DATA_PARAM_CHANGE, AV_PKT_DATA_PALETTE};
  if (packet.pts == AV_NOPTS_VALUE || (packet.flags & (AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_CORRUPT)) != 0)
    return true;
  return std::ranges::any_of(kChanges, [&](AVPacketSideDataType type) {
    return av_packet_get_side_data(&packet, type, nullptr) != nullptr;
  });
}

template <typename Finder>
std::unique_ptr<EntryFinder> finder_with(GlobalHeader header) {
  return header.sets.empty() ? nullptr : std::make_unique<Finder>(std::move(header));
}

}  // namespace

Entry EntryFinder::look(const AVPacket& packet) {
  return is_refused(packet) ? Entry::kRefused : find(packet);
}

bool EntryFinder::may_leave_out(const AVPacket& packet) const {
  return !is_refused(packet) && !is_reference(packet);
}

std::unique_ptr<EntryFinder> entry_finder(const AVCodecParameters& stream) {
  switch (stream.codec_id) {
    case AV_CODEC_ID_H264:
      return finder_with<H264Finder>(h264_header(header_of(stream)));
    case AV_CODEC_ID_HEVC:
      return finder_with<HevcFinder>(hevc_header(header_of(stream)));
    case AV_CODEC_ID_VP9:
      return std::make_unique<Vp9Finder>();
    case AV_CODEC_ID_AV1:
      return std::make_unique<Av1Finder>();
    case AV_CODEC_ID_MJPEG:
      return std::make_unique<JpegFinder>();
    case AV_CODEC_ID_FFV1:
      return std::make_unique<Ffv1Finder>();
    default:
      return has_only_key_frames(stream.codec_id) ? std::make_unique<KeyFinder>() : nullptr;
  }
}

}  // namespace vq::cli
