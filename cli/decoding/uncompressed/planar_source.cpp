#include "cli/decoding/open_video.h"

#include "core/error.h"
#include "core/plane.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "feature/metric_type.h"

namespace vq::cli {
namespace {

constexpr std::string_view kY4mMagic = "YUV4MPEG2", kFrameWord = "FRAME";
constexpr const char* kY4mContainer = "yuv4mpegpipe";
constexpr int64_t kGuard = kRowGuardBytes;
constexpr std::array<int, 6> kRawDepths = {8, 9, 10, 12, 14, 16};

// FFmpeg's name of a planar format, for example "yuv420p10le", "yuva444p" or "gray".
std::string planar_pixel_format(const PlanarLayout& layout) {
  const std::string deep = layout.bit_depth > 8 ? words("{}le", layout.bit_depth) : "";
  if (layout.chroma == Chroma::k400) return "gray" + deep;
  std::string digits(to_string(layout.chroma));  // 4:2:0
  std::erase(digits, ':');
  return words("{}{}p{}", layout.has_alpha ? "yuva" : "yuv", digits, deep);
}

// Throws Error{kMismatch} unless 1 <= value <= kMaxSide.
void check_side(std::string_view name, std::string_view text, long long value) {
  if (value >= 1 && value <= kMaxSide) return;
  throw Error(ErrorKind::kMismatch, "{} is {}; it must be 1..{} samples", name, printable(text), kMaxSide);
}

// A colourspace tag without its depth suffix.
struct Colourspace {
  std::string_view tag;
  Chroma chroma;
  bool deep;  // may be followed by p9, p10, ... (mono: 9, 10, ...)
};

constexpr std::array<Colourspace, 9> kColourspaces = {{{"420", Chroma::k420, true},
                                                       {"420jpeg", Chroma::k420, false},
                                                       {"420mpeg2", Chroma::k420, false},
                                                       {"420paldv", Chroma::k420, false},
                                                       {"422", Chroma::k422, true},
                                                       {"444", Chroma::k444, true},
                                                       {"444alpha", Chroma::k444, false},
                                                       {"411", Chroma::k411, false},
                                                       {"mono", Chroma::k400, true}}};
constexpr std::array<int, 5> kDeepDepths = {9, 10, 12, 14, 16};

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::kInput, "is not a usable YUV4MPEG2 stream: {}", why);
}

std::string in_quotes(std::string_view text) { return words("\"{}\"", printable(text)); }

// The depth that `suffix` adds to a tag, nothing if it is none.
std::optional<int> suffix_depth(const Colourspace& space, std::string_view suffix) {
  if (suffix.empty()) return 8;
  if (!space.deep) return std::nullopt;
  if (space.chroma != Chroma::k400) {
    if (suffix.front() != 'p') return std::nullopt;
    suffix.remove_prefix(1);
  }
  for (const int depth : kDeepDepths) {
    if (suffix == std::to_string(depth)) return depth;
  }
  return std::nullopt;
}

struct Tag {
  Colourspace space = kColourspaces[0];
  int bit_depth = 8;
};

Tag parse_colourspace(std::string_view text) {
  for (const Colourspace& space : kColourspaces) {
    if (!text.starts_with(space.tag)) continue;
    if (const auto depth = suffix_depth(space, text.substr(space.tag.size()))) return {space, *depth};
  }
  refuse(words("colourspace {} is not known (420, 422, 444 with p9..p16, 411, 444alpha, mono)",
               in_quotes(words("C{}", text))));
}

// Reads a number for check_side(): one that is too large for any integer stays too large.
int parse_side(char name, std::string_view text) {
  if (!all_digits(text.starts_with('-') ? text.substr(1) : text))
    refuse(words("tag {} is not a number: {}", std::string_view(&name, 1), in_quotes(text)));
  long long value = std::numeric_limits<long long>::max();
  parse_int(text, value);
  check_side(name == 'W' ? "width" : "height", text, value);
  return static_cast<int>(value);
}

struct Ratio {
  long long num = 0, den = 0;
};

// Nothing if it is not two numbers with a colon between.
std::optional<Ratio> parse_ratio(std::string_view text) {
  const size_t colon = text.find(':');
  Ratio ratio;
  const bool is_ratio = colon != text.npos && parse_int(text.substr(0, colon), ratio.num) &&
                        parse_int(text.substr(colon + 1), ratio.den);
  return is_ratio ? std::optional(ratio) : std::nullopt;
}

void parse_rate(std::string_view text, Y4mHeader& header) {
  const auto [num, den] = parse_ratio(text).value_or(Ratio{-1, -1});
  if (num < 0 || den < 0)
    refuse(words("frame rate {} is not of the form F24000:1001", in_quotes(words("F{}", text))));
  constexpr long long kMax = std::numeric_limits<int>::max();
  if (num == 0 || den == 0 || num > kMax || den > kMax) return;
  header.info.rate = {static_cast<int>(num), static_cast<int>(den)};
}

// 0:0 if it is not known; what cannot be read is as good as that.
double parse_aspect(std::string_view text) {
  const auto [width, height] = parse_ratio(text).value_or(Ratio());
  return width > 0 && height > 0 ? static_cast<double>(width) / static_cast<double>(height) : 0;
}

struct Fields {
  std::optional<int> width, height;
  std::optional<Tag> tag;
  std::string old_tag;  // how older writers name colourspaces, as in XYSCSS=420JPEG
};

void parse_extension(std::string_view text, Fields& fields, Y4mHeader& header) {
  constexpr std::string_view kOldTag = "YSCSS=";
  if (text == "COLORRANGE=FULL") header.info.format.range = Range::kFull;
  if (text == "COLORRANGE=LIMITED") header.info.format.range = Range::kLimited;
  if (!text.starts_with(kOldTag)) return;
  fields.old_tag = lower_case(text.substr(kOldTag.size()));
}

void check_text(std::string_view line) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const auto bad = std::ranges::find_if(line, is_control);
  if (bad == line.end()) return;
  const std::string where = words(" at byte {}", bad - line.begin());
  if (*bad == '\r')
    refuse(words("carriage return in the header{}; lines must end in a newline alone", where));
  refuse(words("control character in the header{}", where));
}

void parse_field(std::string_view field, Fields& fields, Y4mHeader& header) {
  const std::string_view value = field.substr(1);
  switch (field.front()) {
    case 'W':
      fields.width = parse_side('W', value);
      break;
    case 'H':
      fields.height = parse_side('H', value);
      break;
    case 'C':
      fields.tag = parse_colourspace(value);
      break;
    case 'F':
      parse_rate(value, header);
      break;
    case 'I':
      header.info.interlaced = value == "t" || value == "b" || value == "m";
      break;
    case 'A':
      header.info.sample_aspect = parse_aspect(value);
      break;
    case 'X':
      parse_extension(value, fields, header);
      break;
    default:
      header.unknown.emplace_back(field);
  }
}

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

  int64_t skip(int64_t count) override {
    try {
      int64_t done = jump(count);
      for (; done < count && start_frame(); ++done, ++index_) skip_rest(0);
      return done;
    } catch (const ReadError& error) {
      fail(error.what());
    }
  }

  void warn(std::string text) { report_.warnings.push_back(std::move(text)); }

 private:
  std::optional<Frame> read_stored() override {
    try {
      return next_frame();
    } catch (const ReadError& error) {
      fail(error.what());
    }
  }

  std::optional<Frame> next_frame() {
    if (!start_frame()) return std::nullopt;
    Frame frame;
    read_planes(frame);
    frame.bit_depth = layout_.bit_depth;
    frame.index = index_++;
    if (const auto rate = info_.frame_rate()) frame.timestamp = static_cast<double>(frame.index) / *rate;
    return frame;
  }

  // False at the end; otherwise the samples of the next picture follow.
  bool start_frame() {
    if (ended_) return false;
    frame_start_ = reader_.offset();
    ended_ = has_frame_words_ ? !read_frame_word() : reader_.peek(1).empty();
    frame_start_ = reader_.offset();
    return !ended_;
  }

  // Passes over the line that precedes each picture of a y4m stream. False at the end of the stream.
  bool read_frame_word() {
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

  int64_t sample_bytes() const { return layout_.bit_depth > 8 ? 2 : 1; }
  // In bytes.
  struct Placement {
    std::array<int64_t, kMaxPlanes> strides{}, offsets{};
    int64_t bytes = 0;
  };
  // The planes one behind the other.
  Placement placed(int64_t (*stride)(int64_t row_bytes)) const {
    Placement placement;
    for (int plane = 0; plane < planes_; ++plane) {
      const PlaneSize size = layout_.size(plane);
      const auto i = static_cast<size_t>(plane);
      placement.strides[i] = stride(size.width * sample_bytes());
      placement.offsets[i] = placement.bytes;
      placement.bytes = round_up(placement.bytes + placement.strides[i] * size.height, kPlaneAlignment);
    }
    return placement;
  }

  // Memory of the store; null if it has no room.
  uint8_t* stored_memory(Frame& frame, int64_t bytes) const {
    const std::shared_ptr<const HostVisibleMemory> piece = store_ != nullptr ? store_->take(bytes) : nullptr;
    frame.place = piece;
    return piece != nullptr ? reinterpret_cast<uint8_t*>(piece->data()) : nullptr;
  }

  // Memory of our own, which the frame keeps.
  uint8_t* own_memory(Frame& frame, int64_t bytes) {
    if (pool_ == nullptr) {
      auto each = static_cast<size_t>(bytes + 2 * kGuard);
      if (each > kLargePage) each = round_up(each, kLargePage);  // large to its end
      pool_ = std::make_shared<FramePool>([each] { return std::make_unique<FrameBytes>(each); });
    }
    const auto owner = std::make_shared<FrameOwner>(FrameOwner{pool_, pool_->take()});
    frame.owner = owner;
    return owner->loan->bytes.get() + kGuard;
  }

  void read_planes(Frame& frame) {
    Placement placement = placed(stored_stride);
    uint8_t* memory = stored_memory(frame, placement.bytes);
    if (memory == nullptr) {
      placement = placed(row_stride);
      memory = own_memory(frame, placement.bytes);
    }
    int64_t done = 0;  // bytes
    for (size_t i = 0; i < static_cast<size_t>(planes_); ++i) {
      const auto [width, height] = layout_.size(static_cast<int>(i));
      uint8_t* const first = memory + placement.offsets[i];
      const int64_t row_bytes = width * sample_bytes(), stride = placement.strides[i];
      const bool is_packed = stride == row_bytes;
      const auto step = static_cast<size_t>(is_packed ? row_bytes * height : row_bytes);
      for (int y = 0; y < height; y += is_packed ? height : 1) {
        const size_t had = reader_.read(first + stride * y, step);
        done += static_cast<int64_t>(had);
        if (had < step) fail_short("the picture", done, layout_.frame_bytes());
      }
      if (sample_bytes() > 1) {
        frame.planes[i].u16 = {reinterpret_cast<const uint16_t*>(first), width, height, stride / 2};
      } else {
        frame.planes[i].u8 = {first, width, height, stride};
      }
    }
    skip_rest(done);
    if (!std::exchange(is_checked_, true)) check_depth(frame);
  }

  // Many metrics take any sample of two bytes, so nothing else tells of a depth that is not the video's.
  void check_depth(const Frame& frame) {
    const std::optional<Error> excess = luma_excess(frame.luma(), layout_.bit_depth);
    if (excess)
      warn(words("{}: frame {}: {} Is that its depth?", shown_path(info_.path), index_, excess->what()));
  }

  // Passes over what follows the first `had` bytes of a picture.
  void skip_rest(int64_t had) {
    had += reader_.skip(layout_.frame_bytes() - had);
    if (had < layout_.frame_bytes()) fail_short("the picture", had, layout_.frame_bytes());
  }

  // Passes over up to `count` pictures at once, if the file's length alone gives their number; says how many.
  int64_t jump(int64_t count) {
    if (ended_ || has_frame_words_ || !info_.frames) return 0;
    count = std::min(count, *info_.frames - index_);
    reader_.skip(count * layout_.frame_bytes());
    index_ += count;
    return count;
  }

  [[noreturn]] void fail(const std::string& why) {
    ended_ = true;
    throw Error(ErrorKind::kIncomplete, "{}: frame {}: {}", shown_path(info_.path), index_, why);
  }

  [[noreturn]] void fail_short(const std::string& what, int64_t had, int64_t needed) {
    fail(words("{} at byte {} is cut: got {} of {} bytes", what, frame_start_, had, needed));
  }

  ByteReader reader_;
  const PlanarLayout layout_;
  const int planes_;
  const std::shared_ptr<FrameStore> store_;  // may be null
  std::shared_ptr<FramePool> pool_;          // null before the first frame that needs it
  const bool has_frame_words_;
  bool ended_ = false;
  int64_t index_ = 0;        // of the next picture
  bool is_checked_ = false;  // whether the first picture that was read has samples of its depth
  int64_t frame_start_ = 0;
};

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
    if (!byte) refuse(words("the header has no newline in {} bytes, where the file ends", line.size()));
    line.push_back(static_cast<char>(*byte));
  }
  refuse(words("the header has no newline in its first {} bytes", kMaxY4mLine));
}

void set_duration(VideoInfo& info) {
  if (const auto rate = info.frame_rate(); rate && info.frames) {
    info.duration = static_cast<double>(*info.frames) / *rate;
  }
}

// Completes what the header says.
VideoInfo planar_info(const SourceOptions& options, const PlanarLayout& layout, ByteReader& reader,
                      VideoInfo info) {
  info.file_bytes = reader.size();
  info.path = info.format.name = options.path;
  info.codec = "rawvideo";
  info.format.width = layout.width;
  info.format.height = layout.height;
  info.format.bit_depth = layout.bit_depth;
  info.format.chroma = layout.chroma;
  info.takes_frame_rate = !info.frame_rate();
  if (info.takes_frame_rate) info.rate = options.frame_rate.value_or(info.rate);
  info.format.frame_rate = info.frame_rate().value_or(0);
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
  const PlanarLayout& raw = *options.raw;
  if (!contains(kRawDepths, raw.bit_depth))
    throw usage_error("raw video of {} bits cannot be read; allowed: 8, 9, 10, 12, 14, 16", raw.bit_depth);
  if (raw.chroma == Chroma::kOther) throw usage_error("raw video must be 400, 420, 422 or 444");
  check_side("width", std::to_string(raw.width), raw.width);
  check_side("height", std::to_string(raw.height), raw.height);
  return raw;
}

}  // namespace

int64_t PlanarLayout::frame_bytes() const {
  const int64_t alpha = has_alpha ? int64_t{width} * height : 0;
  return (sample_count({width, height}, chroma, plane_count(chroma)) + alpha) * (bit_depth > 8 ? 2 : 1);
}

Y4mHeader parse_y4m_header(std::string_view line) {
  check_text(line);
  if (!line.starts_with(kY4mMagic)) refuse("it does not start with YUV4MPEG2");
  Y4mHeader header;
  Fields fields;
  std::string_view rest = line.substr(kY4mMagic.size());
  if (!rest.empty() && rest.front() != ' ') refuse("no space after YUV4MPEG2");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) parse_field(rest.substr(0, end), fields, header);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!fields.width) refuse("the header has no width (tag W)");
  if (!fields.height) refuse("the header has no height (tag H)");
  if (!fields.tag) fields.tag = fields.old_tag.empty() ? Tag{} : parse_colourspace(fields.old_tag);
  PlanarLayout& layout = header.layout;
  layout.width = *fields.width;
  layout.height = *fields.height;
  layout.bit_depth = fields.tag->bit_depth;
  layout.chroma = fields.tag->space.chroma;
  layout.has_alpha = fields.tag->space.tag == "444alpha";
  header.info.pixel_format = planar_pixel_format(layout);
  return header;
}

bool is_y4m(ByteReader& reader) { return reader.peek(kY4mMagic.size()) == kY4mMagic; }

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
  VideoInfo info = planar_info(options, header.layout, reader, std::move(header.info));
  info.container = kY4mContainer;
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
  VideoInfo info = planar_info(options, layout, reader, {});
  info.container = "raw";
  info.pixel_format = planar_pixel_format(layout);
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
