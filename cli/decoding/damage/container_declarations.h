// Declarations of a container on its streams.
#pragma once

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/uncompressed/byte_source.h"
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

struct StreamDeclaration {
  int width, height;
  AVColorRange range;
  AVColorTransferCharacteristic transfer;
  int64_t frames;    // 0 if not declared, or a placeholder
  int64_t duration;  // in the stream's time base
};

// Read after the header and before probing, which fills gaps with estimates and with the decoders'
// information.
class ContainerDeclarations {
 public:
  // `start`: the first bytes of the file, covering the header.
  ContainerDeclarations(const AVFormatContext& container, std::string_view start);

  // After probing. The first tag of flv, which has the length, is not part of its header.
  void add_probed(const AVFormatContext& container);
  // Null for a stream that is not in the header.
  const StreamDeclaration* of(const AVStream& stream) const;
  // The declared length of the stream.
  DeclaredLength length(const AVFormatContext& container, const AVStream& stream) const;

 private:
  std::vector<StreamDeclaration> streams_;
  int64_t duration_;                      // of all streams, in AV_TIME_BASE
  std::optional<double> header_seconds_;  // of ASF
  std::optional<int64_t> bytes_;
};

// mp4 and related formats.
bool is_mov(const AVFormatContext& container);

// How many bytes the file has at least, from what it starts with: Matroska and WebM give the size of all, MXF
// gives the place of its footer. Nothing for others, and if the writer could not go back to fill that in.
std::optional<int64_t> declared_bytes(std::string_view start);

// Boxes of an mp4 file that hold media, found by their sizes.
struct MediaBoxes {
  int64_t end = 0;                     // of its pictures: beyond the end of the file if it was cut in them
  std::optional<int64_t> second = {};  // start of another video, which players do not look for
};
// Nothing for files that are not made of boxes to their end. Needs: the reader has a size. Throws ReadError.
std::optional<MediaBoxes> media_boxes(ByteReader& reader);

// The duration in the header of an ASF file, in seconds; nothing for others. (libavformat passes over it if
// the file is shorter than declared.)
std::optional<double> asf_seconds(std::string_view start);

// The end of the bytes of a container, and whether it is the end that its writer made.
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
  // Position of the bytes, once it is known.
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
