// A decoder for the stream of a demuxer: packets in, pictures out.
#pragma once

#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/hardware/hardware_pictures.h"

namespace vq::cli {

// Maximum length, in messages, of a reason why hardware does not decode.
inline constexpr size_t kMostReason = 400;  // characters

// Whether a decoder tries hardware first.
bool may_be_hardware(const HardwareRequest& request);

class FfmpegDecoder {
 public:
  // With this number of host threads, or on hardware: on the `nth` of its devices, modulo their number.
  // Throws Error{kInput, kResource} that names the video, and kBackend if requested hardware refuses.
  FfmpegDecoder(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads, int nth = 0);
  ~FfmpegDecoder();
  FfmpegDecoder& operator=(FfmpegDecoder&&) = delete;

  // Returns 0 or FFmpeg's error code; with AVERROR(EAGAIN) pictures must be received first. The packet's
  // picture will carry `number`: see number_of(). `packet` null: end of the stream.
  int send(AVPacket* packet, int64_t number);
  // Returns AVERROR(EAGAIN) if it needs another packet, AVERROR_EOF after the last picture, otherwise as
  // send(); AVERROR(ENOMEM) always means the host's memory. The picture has its packet's number.
  int receive(Picture& picture);
  // Resets the decoder, so that the next packet may be any key frame.
  void flush();
  // Gives back FFmpeg's decoder, which takes hardware a while. Afterwards only the log, name(), hardware()
  // and refusal() may be used.
  void close();

  const AVCodecContext& context() const { return *context_; }
  FfmpegLog& log() { return *owner_; }
  const FfmpegLog& log() const { return *owner_; }

  // FFmpeg's name, with that of the hwaccel: "hevc", "hevc (cuda)".
  const std::string& name() const { return name_; }
  // Null for software decoding.
  const HardwarePictures* hardware() const { return hardware_.get(); }
  // Why hardware does not decode, if it was requested but is optional; otherwise empty.
  const std::string& refusal() const { return refusal_; }

 private:
  void open_hardware(const FfmpegDemuxer& demuxer, const SourceOptions& options, int nth);
  int open(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);
  int note(int code);

  std::unique_ptr<PictureMemory> memory_;       // used by the callbacks
  std::unique_ptr<DecoderOwner> owner_;         // outlives the context
  std::unique_ptr<HardwarePictures> hardware_;  // so does this
  std::string refusal_, name_;
  bool lacks_memory_ = false;  // of the host
  AvPtr<AVCodecContext> context_;
};

}  // namespace vq::cli
