// The end of a container's bytes, and whether the writer ended there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

class ContainerEnd {
 public:
  // `size` of the bytes; nothing for a pipe, whose end is known only when it has been read.
  explicit ContainerEnd(std::optional<int64_t> size);

  // From now on bytes beyond the end may be provided.
  void set_format(const AVInputFormat& format) { format_ = format.name; }

  // The bytes ended at `end`. Fills `data` with up to `size` bytes beyond it and returns their number, or
  // AVERROR_EOF. They only serve demuxers that must read ahead.
  int read_beyond(int64_t end, uint8_t* data, int size);
  // The position of `size` bytes to which to seek for `offset`, which may be beyond them.
  int64_t seek(int64_t offset, int64_t size);
  // Distance of the next byte from the end.
  int64_t beyond() const { return beyond_; }

  // Receives the packets of all streams in reading order.
  void note(const AVPacket& packet);
  // Whether the container declares a packet longer than the available bytes, which the demuxer accepts.
  bool cuts(const AVPacket& packet) const;
  // Whether an error after the last byte only means the end: some demuxers cannot report it otherwise.
  bool is_end(int code) const;
  // After the end: whether the bytes end within a container unit without packets, so that more must have
  // followed.
  bool is_within_unit() const;
  // Position of the end, once known.
  std::optional<int64_t> at() const { return at_; }

 private:
  std::string_view format_;
  std::optional<int64_t> at_;
  int64_t beyond_ = 0;
  int64_t last_packet_end_ = 0;  // of the packets with a known position
  std::optional<int64_t> first_position_;
  std::vector<int64_t> unit_sizes_;  // consistent with the positions of packets
};

}  // namespace vq::cli
