#include "cli/decoding/open_video.h"

#include "cli/system/files.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/worker_pool.h"

namespace vq::cli {
namespace {

constexpr std::string_view kFrameWord = "FRAME";
constexpr const char* kY4mContainer = "yuv4mpegpipe";
constexpr int64_t kGuard = kRowGuardBytes;
constexpr std::array<int, 6> kRawDepths = {8, 9, 10, 12, 14, 16};

// Memory of frames, used again when they are done with.
struct FrameBytes {
  static constexpr std::align_val_t kAlignment{kLargePage};
  struct Delete {
    void operator()(uint8_t* memory) const { ::operator delete(memory, kAlignment); }
  };

  explicit FrameBytes(size_t size) : bytes(static_cast<uint8_t*>(::operator new(size, kAlignment))) {
    populate(bytes.get(), size);
  }
  const std::unique_ptr<uint8_t[], Delete> bytes;
};
using FramePool = WorkspacePool<FrameBytes>;

struct FrameOwner {
  std::shared_ptr<FramePool> pool;  // frames may outlive their source
  FramePool::Loan loan;
};

// Distance in bytes between rows: none in between, so that a plane is read at once, unless they would meet in
// the same lines of a cache.
int64_t row_stride(int64_t row_bytes) {
  constexpr int64_t kSameLines = 2048;
  return row_bytes % kSameLines != 0 ? row_bytes : stored_stride(row_bytes);
}

class PlanarSource : public VideoSource {
 public:
  PlanarSource(ByteReader reader, VideoInfo info, const PlanarLayout& layout, const SourceOptions& options)
      : reader_(std::move(reader)),
        layout_(layout),
        planes_(std::min(options.planes, plane_count(layout.chroma))),
        store_(options.store),
        has_frame_words_(info.container == kY4mContainer) {
    info_ = std::move(info);
  }

  int64_t skip(int64_t count) override;
  void warn(std::string text) { report_.warnings.push_back(std::move(text)); }

 private:
  std::optional<Frame> read_stored() override;
  std::optional<Frame> next_frame();
  bool start_frame();
  bool read_frame_word();
  template <typename T>
  using Planes = std::array<PlaneView<T>, kMaxPlanes>;
  template <typename T>
  struct Placement {
    Planes<T> planes = {};
    std::array<int64_t, kMaxPlanes> offsets{};
    int64_t bytes = 0;

    Planes<T> at(uint8_t* memory) const {
      Planes<T> result = planes;
      for (size_t i = 0; i < result.size(); ++i) result[i].data = reinterpret_cast<T*>(memory + offsets[i]);
      return result;
    }
  };
  template <typename T>
  Placement<T> placed(int64_t (*stride)(int64_t row_bytes)) const;
  template <typename T>
  std::optional<Planes<T>> stored_planes(Frame& frame) const;
  template <typename T>
  Planes<T> own_planes(Frame& frame);
  template <typename T>
  void read_planes(Frame& frame, PlaneView<const T> SampleView::*view);
  void skip_rest(int64_t had);
  int64_t jump(int64_t count);
  std::string at_this_frame(const std::string& why) const;
  [[noreturn]] void fail(const std::string& why);
  [[noreturn]] void fail_short(const std::string& what, int64_t had, int64_t needed);

  ByteReader reader_;
  const PlanarLayout layout_;
  const int planes_;
  const std::shared_ptr<FrameStore> store_;  // may be null
  std::shared_ptr<FramePool> pool_;          // null before the first frame that needs it
  const bool has_frame_words_;
  bool ended_ = false;
  int64_t index_ = 0;  // of the next picture
  int64_t frame_start_ = 0;
};

std::string PlanarSource::at_this_frame(const std::string& why) const {
  return words("{}: frame {}: {}", shown_path(info_.path), index_, why);
}

void PlanarSource::fail(const std::string& why) {
  ended_ = true;
  throw Error(ErrorKind::kIncomplete, at_this_frame(why));
}

void PlanarSource::fail_short(const std::string& what, int64_t had, int64_t needed) {
  fail(words("{} at byte {} is cut: got {} of {} bytes", what, frame_start_, had, needed));
}

// Passes over the line that precedes each picture of a y4m stream. False at the end of the stream.
bool PlanarSource::read_frame_word() {
  const std::string_view word = reader_.peek(kFrameWord.size());
  if (word.empty()) return false;
  if (word.size() < kFrameWord.size() && kFrameWord.starts_with(word)) {
    fail_short("the word FRAME", static_cast<int64_t>(word.size()),
               static_cast<int64_t>(kFrameWord.size()) + 1);
  }
  if (word != kFrameWord) {
    fail(words("expected the word FRAME at byte {}, got \"{}\"", frame_start_, printable(word)));
  }
  reader_.skip(static_cast<int64_t>(kFrameWord.size()));
  for (size_t length = 0; length <= kMaxY4mLine; ++length) {
    const auto byte = reader_.next();
    if (byte == '\n') return true;
    if (!byte) {
      const int64_t had = reader_.offset() - frame_start_;
      fail_short("the FRAME line", had, had + 1);
    }
    if (length == 0 && byte != ' ') break;
  }
  fail(words("the FRAME line at byte {} does not end in a newline", frame_start_));
}

// False at the end; otherwise the samples of the next picture follow.
bool PlanarSource::start_frame() {
  if (ended_) return false;
  frame_start_ = reader_.offset();
  const bool more = has_frame_words_ ? read_frame_word() : !reader_.peek(1).empty();
  if (more) {
    frame_start_ = reader_.offset();
    return true;
  }
  ended_ = true;
  return false;
}

// Passes over what follows the first `had` bytes of a picture.
void PlanarSource::skip_rest(int64_t had) {
  had += reader_.skip(layout_.frame_bytes() - had);
  if (had < layout_.frame_bytes()) fail_short("the picture", had, layout_.frame_bytes());
}

// The planes one behind the other, without memory.
template <typename T>
PlanarSource::Placement<T> PlanarSource::placed(int64_t (*stride)(int64_t row_bytes)) const {
  Placement<T> placement;
  for (int i = 0; i < planes_; ++i) {
    const PlaneSize size = layout_.size(i);
    const int64_t row_bytes = stride(size.width * static_cast<int64_t>(sizeof(T)));
    placement.planes[static_cast<size_t>(i)] = {
        nullptr, size.width, size.height,
        static_cast<ptrdiff_t>(row_bytes / static_cast<int64_t>(sizeof(T)))};
    placement.offsets[static_cast<size_t>(i)] = placement.bytes;
    placement.bytes += (row_bytes * size.height + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
  }
  return placement;
}

// Memory of the store; nothing if it has no room.
template <typename T>
std::optional<PlanarSource::Planes<T>> PlanarSource::stored_planes(Frame& frame) const {
  if (store_ == nullptr) return std::nullopt;
  const Placement<T> placement = placed<T>(stored_stride);
  const std::shared_ptr<const HostVisibleMemory> piece = store_->take(placement.bytes);
  if (piece == nullptr) return std::nullopt;
  frame.place = piece;
  return placement.at(reinterpret_cast<uint8_t*>(piece->data()));
}

// Memory of our own, which the frame keeps.
template <typename T>
PlanarSource::Planes<T> PlanarSource::own_planes(Frame& frame) {
  const Placement<T> placement = placed<T>(row_stride);
  if (pool_ == nullptr) {
    const auto bytes = static_cast<size_t>(placement.bytes + 2 * kGuard);
    pool_ = std::make_shared<FramePool>([bytes] { return std::make_unique<FrameBytes>(bytes); });
  }
  const auto owner = std::make_shared<FrameOwner>(FrameOwner{pool_, pool_->take()});
  frame.owner = owner;
  return placement.at(owner->loan->bytes.get() + kGuard);
}

template <typename T>
void PlanarSource::read_planes(Frame& frame, PlaneView<const T> SampleView::*view) {
  std::optional<Planes<T>> planes = stored_planes<T>(frame);
  if (!planes) planes = own_planes<T>(frame);
  int64_t done = 0;  // bytes
  for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) {
    const PlaneView<T>& plane = (*planes)[i];
    const bool is_packed = plane.stride == plane.width;
    const size_t step = sizeof(T) * static_cast<size_t>(plane.width) * (is_packed ? plane.height : 1);
    for (int y = 0; y < plane.height; y += is_packed ? plane.height : 1) {
      const size_t had = reader_.read(reinterpret_cast<uint8_t*>(plane.row(y)), step);
      done += static_cast<int64_t>(had);
      if (had < step) fail_short("the picture", done, layout_.frame_bytes());
    }
    frame.planes[i].*view = plane;
  }
  skip_rest(done);
}

std::optional<Frame> PlanarSource::read_stored() {
  try {
    return next_frame();
  } catch (const ReadError& error) {
    fail(error.what());
  }
}

std::optional<Frame> PlanarSource::next_frame() {
  if (!start_frame()) return std::nullopt;
  Frame frame;
  if (layout_.bit_depth > 8) {
    read_planes<uint16_t>(frame, &SampleView::u16);
  } else {
    read_planes<uint8_t>(frame, &SampleView::u8);
  }
  frame.bit_depth = layout_.bit_depth;
  frame.index = index_++;
  if (const auto rate = info_.frame_rate()) frame.timestamp = static_cast<double>(frame.index) / *rate;
  return frame;
}

// Passes over up to `count` pictures at once, if the file's length alone gives their number; says how many.
int64_t PlanarSource::jump(int64_t count) {
  if (ended_ || has_frame_words_ || !info_.frames) return 0;
  count = std::min(count, *info_.frames - index_);
  reader_.skip(count * layout_.frame_bytes());
  index_ += count;
  return count;
}

int64_t PlanarSource::skip(int64_t count) {
  try {
    int64_t done = jump(count);
    for (; done < count && start_frame(); ++done, ++index_) skip_rest(0);
    return done;
  } catch (const ReadError& error) {
    fail(error.what());
  }
}

void require_bytes(ByteReader& reader, const std::string& path, const char* what) {
  if (reader.peek(1).empty()) throw Error(ErrorKind::kInput, "{} {}", shown_path(path), what);
}

void refuse_stream(const SourceOptions& options) {
  if (options.stream <= 0) return;
  throw usage_error("{} has 1 stream; there is none of index {}{}", shown_path(options.path), options.stream,
                    options.stream_advice);
}

// Reads the first line of a stream, newline consumed but not returned.
std::string read_header_line(ByteReader& reader) {
  std::string line;
  while (line.size() <= kMaxY4mLine) {
    const auto byte = reader.next();
    if (byte == '\n') return line;
    if (!byte) {
      throw Error(
          ErrorKind::kInput,
          "is not a usable YUV4MPEG2 stream: the header has no newline in {} bytes, where the file ends",
          line.size());
    }
    line.push_back(static_cast<char>(*byte));
  }
  throw Error(ErrorKind::kInput,
              "is not a usable YUV4MPEG2 stream: the header has no newline in its first {} bytes",
              kMaxY4mLine);
}

void set_duration(VideoInfo& info) {
  if (const auto rate = info.frame_rate(); rate && info.frames) {
    info.duration = static_cast<double>(*info.frames) / *rate;
  }
}

void take_frame_rate(const SourceOptions& options, VideoInfo& info) {
  info.takes_frame_rate = !info.frame_rate();
  if (info.takes_frame_rate && options.frame_rate) {
    info.frame_rate_num = options.frame_rate->num;
    info.frame_rate_den = options.frame_rate->den;
  }
  info.format.frame_rate = info.frame_rate().value_or(0);
}

VideoInfo planar_info(const SourceOptions& options, const PlanarLayout& layout, ByteReader& reader) {
  VideoInfo info;
  info.file_bytes = reader.size();
  info.path = options.path;
  info.codec = "rawvideo";
  info.format.width = layout.width;
  info.format.height = layout.height;
  info.format.bit_depth = layout.bit_depth;
  info.format.chroma = layout.chroma;
  return info;
}

// Pictures of a regular file whose FRAME lines have no parameters; nothing if the length says otherwise.
std::optional<int64_t> count_y4m_frames(ByteReader& reader, const PlanarLayout& layout) {
  const auto size = reader.size();
  const int64_t step = static_cast<int64_t>(kFrameWord.size()) + 1 + layout.frame_bytes();
  if (!size || (*size - reader.offset()) % step != 0) return std::nullopt;
  return (*size - reader.offset()) / step;
}

PlanarLayout raw_layout(const SourceOptions& options) {
  const RawFormat& raw = *options.raw;
  if (!contains(kRawDepths, raw.bit_depth))
    throw usage_error("raw video of {} bits cannot be read; allowed: 8, 9, 10, 12, 14, 16", raw.bit_depth);
  if (raw.chroma == Chroma::kOther) throw usage_error("raw video must be 400, 420, 422 or 444");
  check_side("width", std::to_string(raw.width), raw.width);
  check_side("height", std::to_string(raw.height), raw.height);
  return {raw.width, raw.height, raw.bit_depth, raw.chroma};
}

}  // namespace

bool is_y4m(ByteReader& reader) {
  return reader.peek(kY4mMagic.size()) == kY4mMagic;
}

std::unique_ptr<VideoSource> open_y4m(const SourceOptions& options, ByteReader reader) {
  refuse_stream(options);
  Y4mHeader header;
  try {
    header = parse_y4m_header(read_header_line(reader));
  } catch (const Error& error) {
    const char* const link = error.kind() == ErrorKind::kInput ? " " : ": ";
    throw Error(error.kind(), shown_path(options.path) + link + error.what());
  }
  require_bytes(reader, options.path, "has a YUV4MPEG2 header and no frames");
  VideoInfo info = planar_info(options, header.layout, reader);
  info.container = kY4mContainer;
  info.pixel_format = header.pixel_format;
  info.format.range = header.range;
  info.interlaced = header.interlaced;
  info.frame_rate_num = header.frame_rate_num;
  info.frame_rate_den = header.frame_rate_den;
  take_frame_rate(options, info);
  info.sample_aspect = header.sample_aspect;
  info.frames = count_y4m_frames(reader, header.layout);
  set_duration(info);
  auto source = std::make_unique<PlanarSource>(std::move(reader), std::move(info), header.layout, options);
  for (const std::string& field : header.unknown) {
    source->warn(words("{}: header parameter \"{}\" is not known; ignored", shown_path(options.path),
                       printable(field)));
  }
  return source;
}

std::unique_ptr<VideoSource> open_raw(const SourceOptions& options, ByteReader reader) {
  refuse_stream(options);
  const PlanarLayout layout = raw_layout(options);
  require_bytes(reader, options.path, "is empty");
  VideoInfo info = planar_info(options, layout, reader);
  info.container = "raw";
  info.pixel_format = planar_pixel_format(layout);
  take_frame_rate(options, info);
  if (const auto size = reader.size()) {
    const int64_t frame = layout.frame_bytes();
    if (*size % frame != 0) {
      throw Error(ErrorKind::kInput,
                  "{} is {} bytes, not a whole number of frames: a frame needs {} bytes, the last has {}. "
                  "Check -w, -h, -p and -b; with them every video is read as raw",
                  shown_path(options.path), *size, frame, *size % frame);
    }
    info.frames = *size / frame;
    set_duration(info);
  }
  return std::make_unique<PlanarSource>(std::move(reader), std::move(info), layout, options);
}

}  // namespace vq::cli
