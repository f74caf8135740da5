// Writes pictures as a widely playable video.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/pictures/picture.h"
#include "cli/pictures/picture_files.h"
#include "cli/system/output_file.h"
#include "core/frame.h"

namespace vq::cli {

struct VideoFileSettings {
  int width = 0, height = 0;  // even
  double frame_rate = kAssumedFrameRate;
  int threads = 0;  // 0: the encoder's choice
};

class VideoFile {
 public:
  // H.264 in BASE.mp4, or MPEG-4 if this libavcodec has no H.264 encoder; without either, FFV1 in BASE.mkv.
  // Throws Error{kOutput}, and Error{kInternal} if libavcodec has no encoder at all.
  VideoFile(const PictureNames& names, const VideoFileSettings& settings);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  // `time`: ascending, in frames of the frame rate from the start.
  void write(const RgbImage& image, int64_t time);
  // Average over the frames that have left the encoder; nothing before the first.
  std::optional<double> bytes_a_frame() const;
  // Flushes the encoder and ends the file. Nothing can be added after that.
  void finish();
  // The file, to be committed as BASE.mp4, or for a run that ended early as BASE.partial.mp4.
  OutputFile* output(const std::string& base, bool partial);

 private:
  struct OutputDeleter {
    void operator()(AVFormatContext* context) const { avformat_free_context(context); }
  };

  void open_encoder(const AVCodec& codec, const VideoFileSettings& settings);
  void open_container(const char* format);
  void encode(const AVFrame* frame);
  void check(int code, const char* doing);
  template <typename Act>
  int guarded(Act act);

  std::string path_, extension_;
  std::unique_ptr<OutputFile> file_;
  std::exception_ptr failure_;  // an exception of the file, passed through C code
  AvPtr<AVIOContext> io_;
  AvPtr<AVCodecContext> encoder_;
  std::unique_ptr<AVFormatContext, OutputDeleter> container_;
  AVRational clock_ = {1, 25};
  int64_t packets_ = 0, packet_bytes_ = 0;
};

}  // namespace vq::cli
