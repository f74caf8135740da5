// The units a packet of H.264 or HEVC is made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vq::cli {

using Bytes = std::span<const uint8_t>;

// How units are told apart.
struct UnitFraming {
  int length_bytes = 0;  // of the length before each; 0: start codes are between them (Annex B)
};

// As the stream's global header says. An empty one says start codes.
UnitFraming framing_of_h264(Bytes header);
UnitFraming framing_of_hevc(Bytes header);

// Each unit from the byte with its type on, without zeros at its end; a length that reaches beyond the data
// ends the list.
std::vector<Bytes> units_of(Bytes data, UnitFraming framing);

// The parameter sets in the global header.
std::vector<Bytes> sets_in_h264_header(Bytes header);
std::vector<Bytes> sets_in_hevc_header(Bytes header);

}  // namespace vq::cli
