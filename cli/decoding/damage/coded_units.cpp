#include "cli/decoding/damage/coded_units.h"

#include <cstring>

namespace vq::cli {
namespace {

// Configuration records begin with their version, start codes with zeros.
bool is_record(Bytes header, size_t least) {
  return header.size() >= least && header[0] == 1;
}

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

// A number of so many bytes, which are taken from the front; nothing is left where they are not there.
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

}  // namespace

UnitFraming framing_of_h264(Bytes header) {
  return {is_record(header, kH264Fixed) ? (header[4] & 3) + 1 : 0};
}

UnitFraming framing_of_hevc(Bytes header) {
  return {is_record(header, kHevcFixed) ? (header[21] & 3) + 1 : 0};
}

std::vector<Bytes> units_of(Bytes data, UnitFraming framing) {
  if (framing.length_bytes == 0) return units_between_start_codes(data);
  std::vector<Bytes> units;
  while (!data.empty()) {
    const Bytes unit = take_unit(data, static_cast<size_t>(framing.length_bytes));
    if (!unit.empty()) units.push_back(unit);
  }
  return units;
}

std::vector<Bytes> sets_in_h264_header(Bytes header) {
  if (!is_record(header, kH264Fixed)) return units_between_start_codes(header);
  std::vector<Bytes> sets;
  Bytes rest = header.subspan(kH264Fixed - 1);
  take_sets(rest, take_number(rest, 1) & 0x1F, sets);
  take_sets(rest, take_number(rest, 1), sets);
  return sets;
}

std::vector<Bytes> sets_in_hevc_header(Bytes header) {
  if (!is_record(header, kHevcFixed)) return units_between_start_codes(header);
  std::vector<Bytes> sets;
  Bytes rest = header.subspan(kHevcFixed);
  for (size_t arrays = header[kHevcFixed - 1]; arrays > 0 && !rest.empty(); --arrays) {
    take_number(rest, 1);  // the type, which each set has itself
    take_sets(rest, take_number(rest, 2), sets);
  }
  return sets;
}

}  // namespace vq::cli
