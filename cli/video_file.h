// Writes pictures as a video that plays everywhere.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "cli/ffmpeg_ptr.h"
#include "cli/output_file.h"
#include "cli/picture.h"
#include "core/frame.h"

namespace vq::cli {

struct VideoFileSettings {
  int width = 0, height = 0;  // even
  double frame_rate = kAssumedFrameRate;
  int threads = 0;  // 0: as many as the encoder likes
};

class VideoFile {
 public:
  // See OverlayVideo. Throws Error{kOutput}, Error{kInternal} where libavcodec has no encoder at all.
  VideoFile(const std::string& stem, const VideoFileSettings& settings);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  // `time` counts frames of the frame rate from the start and rises.
  void write(const RgbImage& image, int64_t time);
  void finish();
  void commit() { file_->commit(); }

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

  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::exception_ptr failure_;  // of the file, on its way through C code
  AvPtr<AVIOContext> io_;
  AvPtr<AVCodecContext> encoder_;
  std::unique_ptr<AVFormatContext, OutputDeleter> container_;
  AVRational clock_ = {1, 25};
};

}  // namespace vq::cli
