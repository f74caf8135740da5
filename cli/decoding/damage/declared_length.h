// The declared length of a stream, and how much of it is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/frame.h"

namespace vq::cli {

// Longer than any video, and short enough for sums and products with rates to fit into 64 bits.
inline constexpr double kMaxSeconds = 1e9;

// Read before any picture was decoded.
struct DeclaredLength {
  std::optional<int64_t> packets = {};   // of the stream
  std::optional<int64_t> pictures = {};  // number of these that are displayed
  int64_t packet_slack = 0;              // number of packets that may be missing nevertheless
  bool packets_decide = false;           // each packet gives a picture, whatever the times say
  std::optional<double> seconds = {};    // at most kMaxSeconds
  bool seconds_of_all_streams = false;   // otherwise of this stream alone
  std::optional<int64_t> bytes = {};     // minimum size of the file
  bool bytes_decide = false;             // its last bytes are pictures
};

// How much of a stream was read.
struct DecodeProgress {
  int64_t packets = 0;
  int64_t pictures = 0;
  double end_seconds = 0;      // end of the last packet of the streams that DeclaredLength::seconds covers
  double own_end_seconds = 0;  // of this stream alone
  double frame_seconds = 1 / kAssumedFrameRate;  // from one picture to the next
  bool is_regular = false;                       // all pictures have that distance
  int reordered_pictures = 0;         // number of pictures by which read times may lag behind display times
  int64_t missing_pictures = 0;       // between the last pictures
  std::optional<int64_t> bytes = {};  // of the file, once known
};

// A text on the missing part; empty if nothing is missing or nothing was declared.
std::string shortage(const DeclaredLength& declared, const DecodeProgress& had);

}  // namespace vq::cli
