// Sources of frames: any container FFmpeg reads, y4m, raw planar video, from a file or standard input, and
// sequences of pictures.
#pragma once

#include <variant>

#include "cli/decoding/orientation.h"
#include "core/frame.h"
#include "core/worker_pool.h"
#include "vulkan/device.h"

namespace vq::cli {

enum class DecoderRequest { kAuto, kSoftware, kHardware };

class HardwareApi;
class DeferredSharedPictures;
class DeviceTurns;

// The rows of a video's stored luma that the host looks at. Decoders copy only these to the host if a
// picture stays on a device. From any thread.
class LookedRows {
 public:
  void set(std::vector<int> rows) {
    const std::lock_guard lock(mutex_);
    rows_ = std::move(rows);
  }
  // In order. Empty: none are known. Some may lie beyond a picture that is smaller than the video's others.
  std::vector<int> get() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<int> rows_;
};

// kAuto: hardware decodes if `devices` name a capable GPU, otherwise software. kHardware: hardware decodes,
// on the first capable GPU if `devices` are empty; if it cannot, reading fails.
struct HardwareRequest {
  DecoderRequest decoder = DecoderRequest::kAuto;
  std::string hwaccel;                      // FFmpeg's name; empty: chosen for the device
  std::vector<vulkan::DeviceInfo> devices;  // GPUs on which the run computes
  int runs = 1;                             // that share them at a time
  std::shared_ptr<HardwareApi> api;         // null: no hardware
  // Memory for pictures that stay on their device; null: all are copied through the host.
  std::shared_ptr<DeferredSharedPictures> pictures;
  std::shared_ptr<const LookedRows> rows;  // null: none are known
  // Shared by the videos of a run on several devices, one turn for each of `devices`; null: one device.
  std::shared_ptr<DeviceTurns> turns;
};

// A stretch of a coded stream that can be decoded without what precedes it. Times are those of packets, in
// the time base of the stream. Numbers count the pictures of the stream from 0, in display order; each has
// one packet, and all times are different.
struct StreamPart {
  int64_t picture = 0;                   // of the packet at which decoding starts
  int64_t time = 0;                      // display time of that packet
  int64_t seek = 0;                      // a time with which a container finds that packet
  int64_t end = 0;                       // the first picture after the part
  std::optional<int64_t> end_time = {};  // its display time; none if the stream ends before it
  // The display time of the first picture that is wanted; none: all are.
  std::optional<int64_t> wanted_time = {};
  int64_t left_out = 0;  // pictures before that one that no other needs, and that are not decoded
  bool operator==(const StreamPart&) const = default;
};

// One uncompressed picture: its planes, followed by an optional alpha plane of the luma's size.
struct PlanarLayout {
  int width = 0;
  int height = 0;
  int bit_depth = 8;  // 8, 9, 10, 12, 14, 16; more than 8: 16-bit little endian
  Chroma chroma = Chroma::k420;
  bool has_alpha = false;

  PlaneSize size(int plane) const { return plane_size({width, height}, chroma, plane); }
  int64_t frame_bytes() const;
};

// State of film grain that a stream describes and its decoder adds.
enum class FilmGrain { kUnknown, kNone, kApplied, kNotApplied };
std::string_view to_string(FilmGrain grain);  // "unknown", "none", "applied", "not applied"
inline bool is_described(FilmGrain grain) {
  return grain == FilmGrain::kApplied || grain == FilmGrain::kNotApplied;
}

// The measured length of a coded stream.
struct StreamLength {
  int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const StreamLength&) const = default;
};

struct SourceOptions {
  std::string path;                          // as open_byte_source() or sequence_files() takes it
  std::optional<PlanarLayout> raw;           // given by the user
  std::optional<FrameRate> frame_rate = {};  // of a video that does not declare one
  bool upright = true;                       // turn frames as the video's tag says, as players do
  int planes = 1;    // number of planes to deliver, if the format has them: 1 (luma) or 3
  int threads = 0;   // number of threads of the decoder; 0: all cores
  int decoders = 0;  // number of decoders that share the threads and the stream; 0: chosen automatically
  int videos = 1;    // number of videos decoded at the same time, including this one
  int64_t ahead_bytes = 0;         // limit for pictures that several decoders decode ahead
  int64_t device_ahead_bytes = 0;  // the same for pictures that stay on decoding devices
  int stream = -1;                 // index of the stream in the container; -1: the best video stream
  std::string stream_advice;       // advice in the message on a missing stream
  bool film_grain = true;          // add the grain that the stream describes, as players do
  HardwareRequest hardware = {};
  std::shared_ptr<FrameStore> store;          // preferred memory for samples; null: any
  std::vector<StreamPart> parts = {};         // read only these, if possible, which ascend; none: all
  std::optional<StreamLength> measured = {};  // length of the whole stream, for a reader of a part at its end
  bool allow_damage = false;                  // drop and list damaged frames instead of ending the run
  StopToken stop = {};                        // ends a read in progress with Error{kIncomplete}; asked often
};

// Duration and bit rate are those declared, and the decoder is called as FfmpegDecoder::name() has it.
struct VideoInfo : VideoHeader {
  std::string decoder_note;  // reason for that decoder, if notable; otherwise empty
  bool interlaced = false;
  Orientation orientation = {};               // what turns the frames as players do, or has turned them
  bool is_turned = false;                     // frames are delivered as players show them
  bool takes_frame_rate = false;              // it declares none, so SourceOptions::frame_rate counts
  std::vector<std::string> conversions = {};  // of samples and frames, behind the name: "has a palette, ..."
  FilmGrain film_grain = FilmGrain::kNone;    // state at the first picture
  int decoder_count = 1;
  int64_t ahead_bytes = 0;  // limit for pictures decoded ahead and waiting packets
};

struct ProbeFacts;

// Whether each picture is stored uncompressed at a computable position.
inline bool is_planar(const VideoInfo& info) {
  return info.codec == "rawvideo" && (info.container == "raw" || info.container == "yuv4mpegpipe");
}

// FFmpeg's name of its reader of numbered pictures.
inline constexpr const char* kSequenceContainer = "image2";

// Whether it is a sequence of pictures, each in a file of its own.
inline bool is_sequence(const VideoInfo& info) { return info.container == kSequenceContainer; }

// Findings about a video while it is read.
struct SourceReport {
  std::vector<std::string> warnings = {};   // so far, one line each
  std::string decoders = {};                // so far, in order; VideoInfo::decoder is the first
  int decoder_count = 1;                    // now sharing the video: one if several failed
  std::optional<StreamLength> length = {};  // once all of the stream was read and nothing was missing
};

// A video that is read once, front to back.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  const VideoInfo& info() const { return turned_ ? *turned_ : info_; }
  const SourceReport& report() const { return report_; }
  // The next picture, numbered from 0 in the file's own count; nothing at the end. The frame owns its
  // samples. Under allow_damage a damaged or lost picture keeps its number, so numbers skip it and the
  // pairing with another video holds. Throws Error{kIncomplete} if the file is truncated, damaged, changes
  // its format or cannot be read further; all good pictures before that have been returned. After an Error or
  // the end no more pictures come.
  std::optional<Frame> read();
  // Drops up to `count` pictures, including damaged ones, and returns their number. Throws as read().
  virtual int64_t skip(int64_t count) = 0;
  // Goes on with the next of SourceOptions::parts; pictures keep their numbers. Does nothing without parts.
  // Needs: there is a next one.
  virtual void go_on() {}
  // Lowers the limit for pictures decoded ahead, as far as possible. Needs: nobody reads.
  virtual void limit_ahead(int64_t) {}
  // Restarts with the hardware, decoders, threads and memory of these options, if the source can restart.
  // Needs: nothing was read yet. Throws as open_video().
  void decode_by(const SourceOptions& options);
  // With FFmpeg's names. Needs: nothing was read yet.
  virtual ProbeFacts probe() const;
  // Turns frames as the video's tag says. Throws as turned_info(). Needs: nothing was read yet.
  void turn_upright();

 protected:
  virtual std::optional<Frame> read_stored() = 0;  // read(), not turned
  virtual void restart(const SourceOptions&) {}

  VideoInfo info_;  // with frames as they are stored
  SourceReport report_;

 private:
  std::optional<VideoInfo> turned_;  // none: frames are not turned here
};

// Beginning of VideoInfo::conversions for frames that are turned, before how.
inline constexpr const char* kTurnedByTag = "is turned by its tag";

// The properties of a video whose frames are turned as its tag says. Throws Error{kMismatch} if its chroma
// cannot be turned.
VideoInfo turned_info(VideoInfo info);

// Properties of a video with the names of FFmpeg's ffprobe.
using FactValue = std::variant<int64_t, double, std::string>;
using Facts = std::vector<std::pair<std::string, FactValue>>;

// Unknown and unspecified properties are left out.
struct ProbeFacts {
  Facts stream;       // index, codec_name, profile, pix_fmt, color_transfer, bit_rate, nb_frames, ...
  Facts stream_tags;  // language, encoder, ...
  std::vector<Facts> side_data;  // each with side_data_type first
  Facts format;                  // format_name, duration, size, bit_rate, ...
  Facts format_tags;
};

// For a video without a container that FFmpeg would open: y4m and raw video.
ProbeFacts probe_facts(const VideoInfo& info);

// Null if there is none of that name.
const FactValue* find_fact(const Facts& facts, const std::string& name);
// As ffprobe prints it; empty if there is none of that name.
std::string fact_text(const Facts& facts, const std::string& name);

// Takes the first element off a queue, of pictures and the like; nothing if it is empty.
template <typename T>
std::optional<T> take_first(std::deque<T>& queue) {
  if (queue.empty()) return std::nullopt;
  std::optional<T> first(std::move(queue.front()));
  queue.pop_front();
  return first;
}

}  // namespace vq::cli
