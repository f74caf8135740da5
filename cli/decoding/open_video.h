// Opens videos, sequences of pictures and single frames of them with the appropriate reader.
#pragma once

#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"
#include "core/frame.h"

namespace vq::cli {

// Opens a video and reads its format. Throws Error: kInput if it cannot be opened or decoded or has no
// picture, kMismatch if its samples cannot be scored or a side is over 16384, kUsage if the options
// contradict it, kResource if threads or memory are missing, and kBackend if hardware was asked for and
// cannot decode it.
//
// SourceOptions::parts are delivered with the numbers, times and samples of the whole video, and the same
// properties; the first is read at once, the next after go_on(). If anything is unusual, the whole video is
// read up to the end of the part, and its result counts. Needs: the parts belong to this video; skip()
// reaches at least the first picture of each. Reading throws Error{kIncomplete} if the video has other
// pictures at these times than a part says.
std::unique_ptr<VideoSource> open_video(const SourceOptions& options);

// The same for bytes from another source; `options.path` then only names them in messages.
std::unique_ptr<VideoSource> open_video(const SourceOptions& options, std::unique_ptr<ByteSource> bytes);

// Its size, frames, duration and frame rate, as far as its header declares them: nothing is decoded, and
// nothing said of sequences of pictures. Of uncompressed video all that is known. Throws as open_video().
VideoInfo declared_info(const SourceOptions& options);

// Single frames of a video that was read before, without reading all earlier ones if the file allows it.
class FrameFinder {
 public:
  // Opens a video that can be read twice. Throws as open_video().
  explicit FrameFinder(const SourceOptions& options);
  ~FrameFinder();
  FrameFinder& operator=(FrameFinder&&) = delete;

  const VideoInfo& info() const { return source_->info(); }
  // The frame with that number and time (Frame::timestamp); the time decides if it is known. Nothing if the
  // video has no such frame, or it cannot be decoded. Needs: ascending frames. Throws as VideoSource::read().
  std::optional<Frame> find(int64_t index, std::optional<double> timestamp);

 private:
  class Seeker;
  std::optional<Frame> read_on(int64_t index, std::optional<double> timestamp);

  const SourceOptions options_;
  std::unique_ptr<VideoSource> source_;
  std::unique_ptr<Seeker> seeker_;  // null if frames must be read in order
  int64_t position_ = 0;            // of the source
};

// YUV4MPEG2 and raw planar files are read by our own code, since libavformat accepts a y4m file that is
// truncated within a picture.
bool is_y4m(ByteReader& reader);

// Both throw as open_video(). The length of a raw regular file must be a whole number of pictures.
std::unique_ptr<VideoSource> open_y4m(const SourceOptions& options, ByteReader reader);
std::unique_ptr<VideoSource> open_raw(const SourceOptions& options, ByteReader reader);

// Throws as open_video(). Bytes that cannot seek are decoded on one thread, since a damaged stream must be
// decoded again from its start: see FfmpegPictures.
std::unique_ptr<VideoSource> open_ffmpeg(const SourceOptions& options, ByteReader reader);

// The pictures that a path names, in order; nothing if it names a single file, or nothing that exists.
// "f%04d.png", "f%d.png": the numbered files of that name, from the smallest number on; none may be missing.
// "shots/*.png" (also ? and [a-z]): the files that match, by the order in which people count: f2 before f10.
// "shots": the pictures in that folder, if all have one extension, in the same order.
// A file of exactly that name comes first. Throws Error{kInput} for numbers that are missing, a pattern
// without files and a folder with pictures of several kinds.
std::optional<std::vector<std::string>> sequence_files(const std::string& path);

// Whether sequence_files() would look for files, which need not exist.
bool names_sequence(const std::string& path);

// Decodes the pictures on as many threads as the options say. The first decides the format; its rate is that
// of the options. Pictures are numbered from 0. Throws as open_video(), and Error{kBackend} if hardware is
// required. VideoSource::read() throws Error{kIncomplete} for a picture of another format or one that cannot
// be decoded.
std::unique_ptr<VideoSource> open_sequence(const SourceOptions& options, std::vector<std::string> files);

// The text headers of YUV4MPEG2.

struct Y4mHeader {
  PlanarLayout layout;
  VideoInfo info;                    // as far as it says
  std::vector<std::string> unknown;  // ignored parameters
};

inline constexpr size_t kMaxY4mLine = 4096;  // bytes of the longest header line without its newline

// Parses the first line, without its newline. Throws Error without a file name: kInput for a line that is not
// such a header, kMismatch for a side that is not 1..kMaxSide.
Y4mHeader parse_y4m_header(std::string_view line);

}  // namespace vq::cli
