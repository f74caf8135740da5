// How long a container says a stream is, and what of that is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/frame.h"

namespace vq::cli {

// Longer than any video, and short enough that sums and products of it with rates fit into 64 bits.
inline constexpr double kMaxSeconds = 1e9;

// Taken before any picture was decoded.
struct DeclaredLength {
  std::optional<int64_t> packets = {};   // of the stream
  std::optional<int64_t> pictures = {};  // of these, those to be shown
  int64_t packet_slack = 0;              // packets that may be missing all the same
  bool packets_decide = false;           // each of them is given out, whatever the times say
  std::optional<double> seconds = {};    // at most kMaxSeconds
  bool seconds_of_all_streams = false;   // else of this stream alone
  std::optional<int64_t> bytes = {};     // of the file, at least
  bool bytes_decide = false;             // the last of them are pictures
};

// How far a stream was read.
struct DecodeProgress {
  int64_t packets = 0;
  int64_t pictures = 0;
  double end_seconds = 0;  // end of the last packet, of the streams that DeclaredLength::seconds speaks of
  double own_end_seconds = 0;                    // of this stream alone
  double frame_seconds = 1 / kAssumedFrameRate;  // from one picture to the next
  bool is_regular = false;                       // all pictures are that far apart
  int reordered_pictures = 0;                    // by which the times read may lag behind those of display
  int64_t missing_pictures = 0;                  // before the last ones
  std::optional<int64_t> bytes = {};             // of the file, once that is known
};

// In words, what is missing of what was declared; empty where nothing is, or nothing was declared.
std::string shortage(const DeclaredLength& declared, const DecodeProgress& had);

}  // namespace vq::cli
