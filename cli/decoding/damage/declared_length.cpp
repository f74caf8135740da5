#include "cli/decoding/damage/declared_length.h"

#include <algorithm>
#include <cmath>

#include "core/text/message_text.h"

namespace vq::cli {
namespace {

// Not printf, whose decimal point is the locale's.
std::string with_decimals(double value) {
  const long long thousandths = std::llround(value * 1000);
  const std::string digits = std::to_string(1000 + thousandths % 1000);
  return std::to_string(thousandths / 1000) + "." + digits.substr(1);
}

// Times may be rounded, and some packets are as long as a field. Where pictures are of different lengths,
// that of the last is not always known, nor is the duration always that of the stream.
double seconds_slack(const DecodeProgress& had, double declared) {
  const double slack = had.is_regular ? 0.75 * had.frame_seconds : had.frame_seconds + 0.005 * declared;
  return slack + had.reordered_pictures * had.frame_seconds;
}

bool reaches(double end, const DeclaredLength& declared, const DecodeProgress& had) {
  return end >= *declared.seconds - seconds_slack(had, *declared.seconds);
}

std::string missing_seconds(const DeclaredLength& declared, const DecodeProgress& had) {
  if (!declared.seconds || reaches(had.end_seconds, declared, had)) return {};
  return "the file ended after " + with_decimals(had.end_seconds) + " s of " +
         with_decimals(*declared.seconds) + " s declared";
}

std::string missing_packets(const DeclaredLength& declared, const DecodeProgress& had) {
  const int64_t got = std::max(had.packets, had.pictures);
  if (!declared.packets || got >= *declared.packets - declared.packet_slack) return {};
  return "the file ended after " + std::to_string(had.pictures) + " of " +
         counted(*declared.packets, "declared frame");
}

// What a file that was cut lost may be an index at its end: it does not matter where all pictures are there.
std::string missing_bytes(const DeclaredLength& declared, const DecodeProgress& had) {
  if (!declared.bytes || !had.bytes || *had.bytes >= *declared.bytes) return {};
  const bool has_all = !declared.bytes_decide && declared.seconds && had.is_regular &&
                       had.missing_pictures == 0 && reaches(had.own_end_seconds, declared, had);
  if (has_all) return {};
  return "the file ended after " + std::to_string(*had.bytes) + " of " + std::to_string(*declared.bytes) +
         " declared bytes";
}

}  // namespace

std::string shortage(const DeclaredLength& declared, const DecodeProgress& had) {
  const std::string packets = missing_packets(declared, had);
  if (declared.packets && (declared.packets_decide || !declared.seconds)) return packets;
  const std::string seconds = missing_seconds(declared, had);
  // Empty packets are not always given out, nor are times always kept: one of the two measures is enough.
  if (declared.packets) return seconds.empty() ? std::string() : packets;
  return seconds.empty() ? missing_bytes(declared, had) : seconds;
}

}  // namespace vq::cli
