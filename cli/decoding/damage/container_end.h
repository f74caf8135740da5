// Where the bytes of a container end, and whether that is where its writer ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

class ContainerEnd {
 public:
  // `size` of the bytes; nothing for a pipe, whose end is known only once it was read.
  explicit ContainerEnd(std::optional<int64_t> size);

  // From here on bytes may be given out that follow the end.
  void set_format(const AVInputFormat& format) { format_ = format.name; }

  // The bytes ended at `end`. Fills `data` with up to `size` bytes that follow it and says how many, or gives
  // AVERROR_EOF. What is given out is only for those who read on.
  int read_beyond(int64_t end, uint8_t* data, int size);
  // Where `size` bytes have to be read from so that what comes next is at `offset`, which may lie beyond
  // them.
  int64_t seek(int64_t offset, int64_t size);
  // How many bytes beyond the end the next one lies.
  int64_t beyond() const { return beyond_; }

  // Takes the packets of all streams in the order of reading.
  void note(const AVPacket& packet);
  // Whether the container says of a packet that it is longer than the bytes are, which the demuxer lets pass.
  bool cuts(const AVPacket& packet) const;
  // Whether an error met after the last byte means no more than that everything was read: some demuxers have
  // no other way to say so.
  bool is_end(int code) const;
  // After the end: whether the bytes end within a unit of the container that holds no packet of its own, so
  // that more must have followed.
  bool is_within_unit() const;
  // Of the bytes, once it is known.
  std::optional<int64_t> at() const { return at_; }

 private:
  std::string_view format_;
  std::optional<int64_t> at_;
  int64_t beyond_ = 0;
  int64_t last_packet_end_ = 0;  // of the packets whose place is known
  std::optional<int64_t> first_position_;
  std::vector<int64_t> unit_sizes_;  // that the positions of packets allow
};

}  // namespace vq::cli
