// Where frames come from: any container FFmpeg reads, y4m, raw planar video, from a file or standard input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/decoding/hardware/hardware_request.h"
#include "cli/decoding/parallel/stream_part.h"
#include "core/frame_memory.h"
#include "core/stop_token.h"

namespace vq::cli {

// Geometry of raw planar video; given by the user, since the file cannot tell.
struct RawFormat {
  int width = 0;
  int height = 0;
  int bit_depth = 8;  // 8, 9, 10, 12, 14, 16; more than 8: 16-bit little endian
  Chroma chroma = Chroma::k420;
};

// What becomes of grain that a stream describes, for its decoder to add to every picture.
enum class FilmGrain { kUnknown, kNone, kApplied, kNotApplied };
std::string_view to_string(FilmGrain grain);  // "unknown", "none", "applied", "not applied"

// A coded stream as it was read from its first packet to its last.
struct StreamLength {
  int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const StreamLength&) const = default;
};

struct SourceOptions {
  std::string path;  // as open_byte_source() takes it
  std::optional<RawFormat> raw;
  int planes = 1;    // to deliver, where the format has as many: 1 (luma) or 3
  int threads = 0;   // of the decoder; 0: all cores
  int decoders = 0;  // that share the threads, each with a part of the stream; 0: as many as are of use
  int videos = 1;    // that are decoded at the same time, this one included
  int64_t ahead_bytes = 0;         // of pictures decoded before their turn, by several decoders
  int64_t device_ahead_bytes = 0;  // the same, of pictures that stay on the devices where hardware decodes
  int stream = -1;                 // index of the stream in the container; -1: the best video stream
  std::string stream_advice;       // ends the message about a stream that is not there
  bool film_grain = true;          // add what the stream describes, as players do
  HardwareRequest hardware = {};
  std::shared_ptr<FrameStore> store;    // where samples are to lie, as far as it has room; null: anywhere
  std::optional<StreamPart> part = {};  // nothing else is to be read, as far as that can be avoided
  std::optional<StreamLength> measured =
      {};                     // of the whole stream, for one who reads a part that ends with it
  bool allow_damage = false;  // damaged frames are dropped and listed instead of ending the run
  StopToken stop = {};        // ends a read in progress with Error{kIncomplete}; asked often
};

// What is known of a video once it is open.
struct VideoInfo {
  std::string path;
  std::string container;     // "mov,mp4", "matroska,webm", "yuv4mpegpipe", "raw", ...
  std::string codec;         // "hevc", "rawvideo", ...
  std::string pixel_format;  // FFmpeg's name
  VideoFormat format;
  int frame_rate_num = 0, frame_rate_den = 1;  // 0/1 where unknown
  std::optional<int64_t> frames;               // declared by the container, or by the file's size
  std::optional<double> duration;              // seconds, declared
  std::optional<int64_t> file_bytes;           // where the bytes have an end that is known
  std::optional<int64_t> bit_rate;             // bits a second of this stream, declared
  std::string decoder;                         // as FfmpegDecoder::name(); empty where nothing is decoded
  std::string decoder_note;      // how that came, where it is worth a line; empty where it is not
  std::string encoder;           // as the stream names it, or its container
  std::string encoder_settings;  // as the stream has them
  bool interlaced = false;
  int rotation =
      0;  // by which players turn the picture, in degrees to the left; frames are as they are stored
  double sample_aspect = 0;  // width of a sample as it is shown, divided by its height; 0 where unknown
  FilmGrain film_grain = FilmGrain::kNone;  // as the first picture has it
  int decoder_count = 1;
  int64_t ahead_bytes = 0;  // that pictures decoded before their turn, and packets that wait, may take

  std::optional<double> frame_rate() const {
    if (frame_rate_num <= 0 || frame_rate_den <= 0) return std::nullopt;
    return static_cast<double>(frame_rate_num) / frame_rate_den;
  }
  // The format with the path for its name, as messages want it.
  VideoFormat named_format() const {
    VideoFormat named = format;
    named.name = path;
    return named;
  }
};

struct ProbeFacts;

// Whether each picture is stored as it is, at a place that can be computed.
inline bool is_planar(const VideoInfo& info) {
  return info.codec == "rawvideo" && (info.container == "raw" || info.container == "yuv4mpegpipe");
}

// A video that is read once, front to back.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  virtual const VideoInfo& info() const = 0;
  // The next picture, numbered from 0 in the file's own count; nothing at the end. The frame owns its
  // samples. Under allow_damage a damaged or lost picture keeps its number, so the numbers jump over it and
  // the pairing with another video holds. Throws Error{kIncomplete} where the file is cut, damaged, changes
  // its format or cannot be read further; what was good before that has been returned. After an Error or the
  // end nothing more comes.
  virtual std::optional<Frame> read() = 0;
  // Drops up to `count` pictures, damaged ones included, and says how many there were. Throws as read().
  virtual int64_t skip(int64_t count) = 0;
  // What was noticed so far and does not stop the run, one line each; the list is emptied.
  virtual std::vector<std::string> take_warnings() = 0;
  // Decoders so far, in order; VideoInfo::decoder is the first.
  virtual std::string decoders() const { return info().decoder; }
  // Once all of the stream was read, and nothing of it was missing.
  virtual std::optional<StreamLength> measured_length() const { return std::nullopt; }
  // Those that share the video at the moment: one does what several could not.
  virtual int decoder_count() const { return 1; }
  // Pictures decoded before their turn are to take no more, as far as the source can do with less. Needs:
  // nobody reads.
  virtual void limit_ahead(int64_t) {}
  // Decodes with the hardware, decoders, threads and memory of these options from now on, where the source
  // can begin again. Needs: nothing was read yet. Throws as open_video().
  virtual void decode_by(const SourceOptions&) {}
  // In FFmpeg's words. Needs: nothing was read yet.
  virtual ProbeFacts probe() const;
};

}  // namespace vq::cli
