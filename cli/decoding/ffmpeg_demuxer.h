// Containers: libavformat on top of our own reader. It never opens another file, address or part.
#pragma once

#include <exception>

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Maximum samples of a compressed picture: 16K ultra-high definition (15360 x 8640), since a few hundred
// bytes can declare any size.
inline constexpr int64_t kMaxDecodedSamples = int64_t{1} << 27;

class FfmpegDemuxer {
 public:
  // The packets behind the header tell more of the streams, and take a while for large pictures.
  enum class Probe { kStreams, kHeaderAlone };
  // Reads from `reader`, which is at its start and outlives this. Throws Error as open_video(), and
  // ReadError.
  FfmpegDemuxer(ByteReader& reader, const SourceOptions& options, Probe probe = Probe::kStreams);
  ~FfmpegDemuxer();
  FfmpegDemuxer& operator=(FfmpegDemuxer&&) = delete;

  const AVFormatContext& container() const { return *context_; }
  const AVStream& stream() const { return *stream_; }
  const AVCodec& codec() const { return *codec_; }
  const DeclaredLength& declared() const { return declared_; }
  AVRational frame_rate() const;
  // The stream's, in its time base; 0 if unknown.
  int64_t start_time() const { return stream_->start_time != AV_NOPTS_VALUE ? stream_->start_time : 0; }
  // Sets how many frames the container declares, how long they last, and their rate.
  void declare(VideoInfo& info) const;
  // The container's own tags, if any.
  AVColorRange tagged_range() const { return tagged_range_; }
  AVColorTransferCharacteristic tagged_transfer() const { return tagged_transfer_; }

  // Advice if pictures could not be found; empty unless a pipe may be the cause.
  std::string seek_hint() const;

  // The next packet of any needed stream. Returns 0, or FFmpeg's error code. A packet that exceeds the
  // available bytes is flagged as corrupt.
  int read(AVPacket& packet);
  // Makes read() return these earlier packets again, in the same order, and then `code`, unless that is 0.
  void put_back(std::deque<AvPtr<AVPacket>> packets, int code);
  // Bytes of the stream's packets so far, and of the first of them.
  int64_t stream_bytes() const { return stream_bytes_; }
  int64_t first_packet_bytes() const { return first_packet_bytes_; }
  // Continues at the last key frame at or before this time of the stream, in seconds from its start, or at an
  // earlier one. False if the container does not support it.
  bool seek(double seconds);
  bool seek_ticks(int64_t ticks);  // in the time base of the stream
  // The failure of the reader, if any; packets after it are useless.
  std::exception_ptr read_failure() const { return failure_; }
  const ContainerEnd& end() const { return end_; }
  // After the end: searches for the declarations of an mp4 without an index.
  void declare_boxes();
  // The container's first error line since its header was read; empty if there was none.
  const std::string& complaint() const { return complaint_; }
  // Position of a second video that is not read; known at the end.
  std::optional<int64_t> second_video() const { return second_video_; }

 private:
  void open();
  void probe_streams();
  void choose_stream();
  void check_size(int width, int height) const;
  void apply(const ContainerDeclarations& promise);
  void discard_other_streams();
  [[noreturn]] void refuse(ErrorKind kind, const std::string& why) const;
  [[noreturn]] void refuse_streams() const;
  [[noreturn]] void refuse_open(int code) const;
  void rethrow_failure() const;

  static int read_bytes(void* self, uint8_t* data, int size) noexcept;
  static int64_t seek_bytes(void* self, int64_t offset, int whence) noexcept;

  ByteReader& reader_;
  const SourceOptions& options_;
  FfmpegLog log_;
  std::exception_ptr failure_;
  ContainerEnd end_;
  std::string complaint_;
  std::optional<int64_t> second_video_;
  int64_t stream_bytes_ = 0, first_packet_bytes_ = 0;
  std::deque<AvPtr<AVPacket>> put_back_;
  int put_back_code_ = 0;
  AvPtr<AVIOContext> io_;  // outlives the context that uses it
  AvPtr<AVFormatContext> context_;
  AVStream* stream_ = nullptr;
  const AVCodec* codec_ = nullptr;
  DeclaredLength declared_;
  AVColorRange tagged_range_ = AVCOL_RANGE_UNSPECIFIED;
  AVColorTransferCharacteristic tagged_transfer_ = AVCOL_TRC_UNSPECIFIED;
};

}  // namespace vq::cli
