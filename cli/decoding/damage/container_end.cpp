#include "cli/decoding/damage/container_end.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace vq::cli {
namespace {

// The sizes that a packet of an MPEG transport stream has in its containers.
constexpr std::array<int64_t, 3> kTransportPackets = {188, 192, 204};
// The nut demuxer shortens a packet that was cut without a word. So that it shows, these bytes follow the
// end: the start of an index, which the demuxer passes over.
constexpr std::array<uint8_t, 9> kNutIndex = {0x4E, 0x58, 0xDD, 0x67, 0x2F, 0x23, 0xE6, 0x4E, 0x00};
// What nut leaves out of packets that start with the start code of MPEG, at most.
constexpr int64_t kNutElided = 4;

int64_t end_of(const AVPacket& packet) {
  return packet.pos > INT64_MAX - packet.size ? INT64_MAX : packet.pos + packet.size;
}

bool starts_with_start_code(const AVPacket& packet) {
  return packet.size >= 3 && packet.data[0] == 0 && packet.data[1] == 0 && packet.data[2] == 1;
}

}  // namespace

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
  return std::all_of(unit_sizes_.begin(), unit_sizes_.end(),
                     [&](int64_t size) { return (*at_ - *first_position_) % size != 0; });
}

}  // namespace vq::cli
