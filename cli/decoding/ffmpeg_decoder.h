// A decoder for the stream of a demuxer: packets in, pictures out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/decoding/allocation_watch.h"
#include "cli/decoding/decoded_picture.h"
#include "cli/decoding/decoder_owner.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/decoding/hardware/picture_memory.h"

namespace vq::cli {

// Of a reason why hardware does not decode, in messages.
inline constexpr size_t kMostReason = 400;  // characters

// Whether a decoder will try hardware first.
bool may_be_hardware(const HardwareRequest& request);

class FfmpegDecoder {
 public:
  // On so many threads of the host, or on hardware, as the options request: there on the `nth` of its
  // devices, counted round and round. Throws Error{kInput, kResource} that names the video, and kBackend
  // where hardware is asked for and refuses.
  FfmpegDecoder(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads, int nth = 0);
  ~FfmpegDecoder();
  FfmpegDecoder(const FfmpegDecoder&) = delete;
  FfmpegDecoder& operator=(const FfmpegDecoder&) = delete;

  // 0 or FFmpeg's error code; with AVERROR(EAGAIN) pictures are to be received first. Its picture will carry
  // `number`: see number_of(). `packet` null: there are no more.
  int send(AVPacket* packet, int64_t number);
  // The same, but AVERROR(ENOMEM) always means the host's memory: AVERROR(EAGAIN) where it needs another
  // packet, AVERROR_EOF after the last picture.
  int receive(DecodedPicture& picture);
  // Forgets everything, so that the next packet may be any key frame.
  void flush() { avcodec_flush_buffers(context_.get()); }

  // Whether the host's memory did not suffice, though the decoder may not have said so.
  bool lacked_memory() const { return allocations_.has_failed(); }

  const AVCodecContext& context() const { return *context_; }
  FfmpegLog& log() { return *owner_; }
  const FfmpegLog& log() const { return *owner_; }

  // FFmpeg's name, with that of the hwaccel: "hevc", "hevc (cuda)".
  std::string name() const;
  // Null where it decodes in software.
  const HardwarePictures* hardware() const { return hardware_.get(); }
  // Why hardware does not decode, where that was requested for and is left to the program; otherwise empty.
  const std::string& refusal() const { return refusal_; }

 private:
  void open_hardware(const FfmpegDemuxer& demuxer, const SourceOptions& options, int nth);
  int open(const FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);
  int note(int code);

  const AllocationWatch allocations_;
  std::unique_ptr<PictureMemory> memory_;       // as the owner
  std::unique_ptr<DecoderOwner> owner_;         // outlives the context
  std::unique_ptr<HardwarePictures> hardware_;  // so does this
  std::string refusal_;
  AvPtr<AVCodecContext> context_;
};

}  // namespace vq::cli
