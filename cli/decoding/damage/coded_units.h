// The coded units (NAL units) in a packet of H.264 or HEVC.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vq::cli {

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
