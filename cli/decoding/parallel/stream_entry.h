// Positions in a stream at which a decoder without history may start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cli/decoding/ffmpeg_functions.h"

namespace vq::cli {

// Role of a packet in the search for such positions.
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
  virtual Entry look(const AVPacket& packet) = 0;
  // Why the first packet may not be an entry, as a text that follows the video's name.
  virtual std::string_view no_entry() const { return "it does not begin at a key frame"; }
};

// Null for codecs with unknown entries, and for streams that lack what a decoder needs to start.
std::unique_ptr<EntryFinder> entry_finder(const AVCodecParameters& stream);

// The coded units (NAL units) in a packet of H.264 or HEVC.

using Bytes = std::span<const uint8_t>;

// How units are delimited.
struct UnitFraming {
  int length_bytes = 0;  // size of the length before each unit; 0: start codes separate them (Annex B)
};

// From the stream's global header. An empty header means start codes.
UnitFraming framing_of_h264(Bytes header);
UnitFraming framing_of_hevc(Bytes header);

// Each unit from its type byte on, without trailing zeros; a length that exceeds the data ends the list.
std::vector<Bytes> units_of(Bytes data, UnitFraming framing);

// The parameter sets in the global header.
std::vector<Bytes> sets_in_h264_header(Bytes header);
std::vector<Bytes> sets_in_hevc_header(Bytes header);

}  // namespace vq::cli
