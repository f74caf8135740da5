#include "cli/decoding/damage/container_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace vq::cli {
namespace {

constexpr std::string_view kEbml("\x1A\x45\xDF\xA3", 4), kSegment("\x18\x53\x80\x67", 4);
// A partition pack of MXF, up to its kind.
constexpr std::string_view kPartition("\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02\x01\x01", 13);
constexpr std::string_view kAsfProperties("\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65",
                                          16);

uint64_t byte_at(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

// The number at `at`, of up to 8 bytes. Bytes that are not there count as zeros.
uint64_t big_endian(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

uint64_t little_endian(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

// The end of an element of Matroska whose id stands at `at` and takes 4 bytes; nothing where it has no size.
std::optional<uint64_t> element_end(std::string_view start, size_t at) {
  const size_t size_at = at + 4;
  const int length = std::countl_zero(static_cast<uint8_t>(byte_at(start, size_at))) + 1;
  if (length > 8 || size_at + static_cast<size_t>(length) > start.size()) return std::nullopt;
  const uint64_t mask = (uint64_t{1} << 7 * length) - 1;
  const uint64_t size = big_endian(start, size_at, static_cast<size_t>(length)) & mask;
  if (size == mask) return std::nullopt;
  return size_at + static_cast<size_t>(length) + size;
}

std::optional<int64_t> matroska_bytes(std::string_view start) {
  const std::optional<uint64_t> segment = element_end(start, 0);
  if (!segment || *segment > start.size() || !start.substr(*segment).starts_with(kSegment))
    return std::nullopt;
  const std::optional<uint64_t> end = element_end(start, *segment);
  if (!end || *end > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(*end);
}

// The pack's key of 16 bytes and its length are followed by a version (4 bytes), the size of a grid (4) and
// the places of this partition (8), the one before (8) and the footer (8).
std::optional<int64_t> mxf_bytes(std::string_view start) {
  constexpr size_t kKey = 16, kFooter = 24;
  const uint64_t first = byte_at(start, kKey);
  const size_t length = first < 0x80 ? 1 : 1 + (first & 0x7F);
  const uint64_t footer = big_endian(start, kKey + length + kFooter, 8);
  if (footer == 0 || footer >= INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(footer) + 1;
}

bool is_box(std::string_view header) {
  constexpr std::array<std::string_view, 14> kTypes = {"ftyp", "styp", "moov", "moof", "mdat",
                                                       "sidx", "mfra", "free", "skip", "uuid",
                                                       "emsg", "prft", "meta", "wide"};
  return header.size() >= 8 && std::find(kTypes.begin(), kTypes.end(), header.substr(4, 4)) != kTypes.end();
}

}  // namespace

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

}  // namespace vq::cli
