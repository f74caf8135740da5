// Writes pictures as a video that plays everywhere.
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
  int threads = 0;  // 0: as many as the encoder likes
};

class VideoFile {
 public:
  // H.264 in BASE.mp4, or MPEG-4 where this libavcodec has no encoder for that; without either, FFV1 in
  // BASE.mkv. Throws Error{kOutput}, Error{kInternal} where libavcodec has no encoder at all.
  VideoFile(const PictureNames& names, const VideoFileSettings& settings);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  // `time` counts frames of the frame rate from the start and rises.
  void write(const RgbImage& image, int64_t time);
  // Of the frames that have left the encoder, on average; nothing before the first has.
  std::optional<double> bytes_a_frame() const;
  // What the encoder still holds, and the end of the file. Then nothing can be added.
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
  std::exception_ptr failure_;  // of the file, on its way through C code
  AvPtr<AVIOContext> io_;
  AvPtr<AVCodecContext> encoder_;
  std::unique_ptr<AVFormatContext, OutputDeleter> container_;
  AVRational clock_ = {1, 25};
  int64_t packets_ = 0, packet_bytes_ = 0;
};

}  // namespace vq::cli
