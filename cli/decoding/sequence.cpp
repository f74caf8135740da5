#include "cli/decoding/open_video.h"

#include <charconv>

#include "cli/system/files.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// Five days at 24 frames a second; names alone take a gigabyte.
constexpr size_t kMostPictures = 10'000'000;
constexpr size_t kMostDigits = 18;  // of a number that fits into 64 bits
constexpr int kMostThreads = 16;

constexpr std::array<std::string_view, 22> kPictureExtensions = {
    ".png", ".tif", ".tiff", ".jpg", ".jpeg", ".avif", ".heic", ".jxl", ".webp", ".pfm", ".phm",
    ".bmp", ".dpx", ".exr",  ".j2k", ".jp2",  ".pbm",  ".pgm",  ".ppm", ".qoi",  ".sgi", ".gif"};

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path_of(path), error);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput, "{}: {}", shown_path(path), why);
}

[[noreturn]] void refuse_absent(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput, "{} cannot be opened: {}. {}", shown_path(path), errno_text(ENOENT), why);
}

void check_count(const std::string& path, size_t count) {
  if (count > kMostPictures)
    refuse(path, words("more than {} pictures cannot be read as one sequence", kMostPictures));
}

// "f%04d.png": text before the number, its least number of digits, text behind.
struct NumberedName {
  std::string before, behind;
  size_t digits = 1;

  std::string of(int64_t number) const {
    const std::string text = std::to_string(number);
    return before + std::string(digits > text.size() ? digits - text.size() : 0, '0') + text + behind;
  }

  // The number of a file of that name.
  std::optional<int64_t> number_in(const std::string& name) const {
    if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
      return std::nullopt;
    const std::string_view digits_of_it =
        std::string_view(name).substr(before.size(), name.size() - before.size() - behind.size());
    int64_t number = 0;
    if (digits_of_it.size() > kMostDigits || !all_digits(digits_of_it)) return std::nullopt;
    std::from_chars(digits_of_it.data(), digits_of_it.data() + digits_of_it.size(), number);
    return of(number) == name ? std::optional(number) : std::nullopt;
  }
};

// Nothing if the last part of the path has no "%d" or "%0Nd", or more than one. "%%" stands for "%".
std::optional<NumberedName> numbered(const std::string& path) {
  const std::string name = text_of(path_of(path).filename());
  NumberedName parsed;
  std::string* text = &parsed.before;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      text->push_back(name[i]);
      continue;
    }
    const size_t letter = name.find_first_not_of("0123456789", i + 1);
    if (letter == std::string::npos) return std::nullopt;
    if (name[letter] == '%' && letter == i + 1) {
      text->push_back('%');
    } else {
      if (name[letter] != 'd' || letter > i + 3 || text == &parsed.behind) return std::nullopt;
      std::from_chars(name.data() + i + 1, name.data() + letter, parsed.digits);
      text = &parsed.behind;
    }
    i = letter;
  }
  return text == &parsed.behind ? std::optional(parsed) : std::nullopt;
}

// "f3.png is missing", "f3.png to f7.png are missing"
std::string missing_text(const NumberedName& name, int64_t first, int64_t last) {
  return words("{}{} missing", name.of(first), last > first ? words(" to {} are", name.of(last)) : " is");
}

std::vector<std::string> numbered_files(const std::string& path, const NumberedName& name) {
  const fs::path folder = path_of(path).parent_path();
  std::vector<int64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator it(path_of(folder_of(path)), error), end; !error && it != end;
       it.increment(error)) {
    if (const auto number = name.number_in(text_of(it->path().filename()))) numbers.push_back(*number);
    check_count(path, numbers.size());
  }
  if (error) refuse(path, words("the folder cannot be read: {}", error.message()));
  if (numbers.empty()) {
    refuse_absent(path, "No picture has such a name. %d stands for a number, %04d for one of four digits");
  }
  std::ranges::sort(numbers);
  std::vector<std::string> files;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && numbers[i] != numbers[i - 1] + 1) {
      refuse(path, words("the numbers go from {} to {}, but {}. To read what is there: {}",
                         name.of(numbers.front()), name.of(numbers.back()),
                         missing_text(name, numbers[i - 1] + 1, numbers[i] - 1),
                         shown_path(text_of(folder / path_of(words("{}*{}", name.before, name.behind))))));
    }
    files.push_back(text_of(folder / path_of(name.of(numbers[i]))));
  }
  return files;
}

std::vector<std::string> matching_files(const std::string& path) {
  std::vector<std::string> files = matching_paths(path);
  std::erase_if(files, is_folder);
  if (files.empty()) refuse_absent(path, "No file matches it as a pattern");
  return files;
}

// The pictures of a folder; none if it has no pictures.
std::vector<std::string> folder_files(const std::string& path) {
  std::vector<std::string> files;
  std::string extension;
  std::error_code error;
  for (fs::directory_iterator it(path_of(path), error), end; !error && it != end; it.increment(error)) {
    const std::string file = text_of(it->path()), own = lower_case(text_of(it->path().extension()));
    const bool is_picture = contains(kPictureExtensions, own);
    if (!is_picture || text_of(it->path().filename()).starts_with('.')) continue;
    if (!files.empty() && own != extension) {
      refuse(path,
             words("the folder has pictures of several kinds ({} and {}). Name those to read, such as: {}",
                   extension, own, shown_path(words("{}/*{}", path, extension))));
    }
    extension = own;
    files.push_back(file);
    check_count(path, files.size());
  }
  return files;
}

SourceOptions options_of_picture(const SourceOptions& sequence, const std::string& path) {
  SourceOptions options = sequence;
  options.path = path;
  options.threads = options.decoders = 1;
  options.hardware = HardwareRequest();
  options.hardware.decoder = DecoderRequest::kSoftware;
  options.allow_damage = false;
  return options;
}

std::unique_ptr<VideoSource> open_picture(const SourceOptions& options) {
  std::unique_ptr<VideoSource> source =
      open_ffmpeg(options, ByteReader(open_byte_source(options.path, options.stop)));
  if (options.upright) source->turn_upright();
  return source;
}

std::string format_text(const VideoFormat& format) {
  std::string text = words("{}, {} bits, ", size_text(format.size()), format.bit_depth);
  if (format.matrix == Matrix::kRgb) return words("{}RGB, {} range", text, to_string(format.range));
  return words("{}{}, {} range, matrix {}", text, to_string(format.chroma), to_string(format.range),
               to_string(format.matrix));
}

// A picture, or why there is none.
struct ReadPicture {
  std::optional<Frame> frame;
  std::string fault;
};

ReadPicture read_picture(const SourceOptions& options, const VideoFormat& format) {
  ReadPicture picture;
  try {
    const std::unique_ptr<VideoSource> source = open_picture(options);
    const std::string own = format_text(source->info().format), wanted = format_text(format);
    if (own == wanted) {
      picture.frame = source->read();
      if (!picture.frame) picture.fault = words("{} has no picture", shown_path(options.path));
    } else {
      picture.fault = words("{} is {}, but the first picture is {}", shown_path(options.path), own, wanted);
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kResource) throw;
    picture.fault = error.what();
  }
  return picture;
}

class SequenceSource final : public VideoSource {
 public:
  SequenceSource(const SourceOptions& options, std::vector<std::string> files)
      : options_(options), files_(std::move(files)) {
    describe();
  }

  ~SequenceSource() override { pending_.clear(); }  // which waits for the pictures in work

  int64_t skip(int64_t count) override {
    const int64_t dropped = std::clamp<int64_t>(static_cast<int64_t>(files_.size()) - position_, 0, count);
    for (int64_t i = 0; i < dropped && !pending_.empty(); ++i) pending_.pop_front();
    position_ += dropped;
    return dropped;
  }

 private:
  std::optional<Frame> read_stored() override {
    while (!ended_) {
      start_more();
      std::optional<std::future<ReadPicture>> next = take_first(pending_);
      if (!next) {
        ended_ = true;
        if (damaged_ > 1)
          report_.warnings.push_back(
              words("{}: {} were left out", shown_path(info_.path), counted(damaged_, "picture")));
        break;
      }
      const int64_t index = position_++;
      start_more();
      ReadPicture picture = next->get();
      if (options_.stop.is_requested()) {
        ended_ = true;
        throw Error(ErrorKind::kIncomplete, "{}: frame {}: reading was interrupted", shown_path(info_.path),
                    index);
      }
      if (!picture.frame) {
        note_damage(picture.fault, index);
        continue;
      }
      picture.frame->index = index;
      picture.frame->timestamp.reset();
      if (const auto rate = info_.frame_rate()) picture.frame->timestamp = static_cast<double>(index) / *rate;
      return std::move(picture.frame);
    }
    return std::nullopt;
  }

  void restart(const SourceOptions& options) override { options_.threads = options.threads; }
  void describe() {
    const std::unique_ptr<VideoSource> first = open_picture(options_of_picture(options_, files_.front()));
    report_ = first->report();
    info_ = first->info();
    info_.path = info_.format.name = options_.path;
    info_.container = kSequenceContainer;
    info_.frames = static_cast<int64_t>(files_.size());
    info_.bit_rate.reset();
    info_.duration.reset();
    info_.takes_frame_rate = true;
    info_.rate = options_.frame_rate.value_or(FrameRate());
    info_.format.frame_rate = info_.frame_rate().value_or(0);
    if (info_.frame_rate()) info_.duration = static_cast<double>(files_.size()) / *info_.frame_rate();
    int64_t bytes = 0;
    for (const std::string& file : files_) {
      std::error_code error;
      const auto size = fs::file_size(path_of(file), error);
      bytes += error ? 0 : static_cast<int64_t>(size);
    }
    info_.file_bytes = bytes;
  }

  void start_more() {
    const size_t most = most_pending();
    while (pending_.size() < most && static_cast<size_t>(position_) + pending_.size() < files_.size()) {
      const std::string& file = files_[static_cast<size_t>(position_) + pending_.size()];
      const auto policy = most > 1 ? std::launch::async : std::launch::deferred;
      pending_.push_back(
          std::async(policy, [options = options_of_picture(options_, file), format = info_.format] {
            return read_picture(options, format);
          }));
    }
  }

  void note_damage(const std::string& fault, int64_t index) {
    const std::string text = words("{}: frame {}: {}", shown_path(info_.path), index, fault);
    if (!options_.allow_damage) {
      ended_ = true;
      throw Error(ErrorKind::kIncomplete, "{}. Try: --allow-damage, which leaves it out", text);
    }
    if (damaged_++ == 0) report_.warnings.push_back(words("{}; it is left out, as others would be", text));
  }

  // One picture for each thread, but no more than may lie ahead.
  size_t most_pending() const {
    const int threads = std::min(options_.threads > 0 ? options_.threads : usable_cores(), kMostThreads);
    const PlaneSize size = {info_.format.width, info_.format.height};
    const int64_t bytes = sample_count(size, info_.format.chroma, plane_count(info_.format.chroma)) *
                          (info_.format.bit_depth > 8 ? 2 : 1);
    const int64_t room =
        options_.ahead_bytes > 0 ? options_.ahead_bytes / std::max<int64_t>(bytes, 1) : threads;
    return static_cast<size_t>(std::clamp<int64_t>(room, 1, threads));
  }

  SourceOptions options_;
  const std::vector<std::string> files_;
  std::deque<std::future<ReadPicture>> pending_;  // from position_ on
  int64_t position_ = 0;                          // of the next picture
  int64_t damaged_ = 0;
  bool ended_ = false;
};

}  // namespace

bool names_sequence(const std::string& path) {
  if (is_folder(path)) return true;
  return !file_status(path) && (numbered(path) || path.find_first_of("*?[") != std::string::npos);
}

std::optional<std::vector<std::string>> sequence_files(const std::string& path) {
  if (!names_sequence(path)) return std::nullopt;
  const bool is_of_folder = is_folder(path);
  if (const auto name = numbered(path); name && !is_of_folder) return numbered_files(path, *name);
  std::vector<std::string> files = is_of_folder ? folder_files(path) : matching_files(path);
  if (files.empty()) return std::nullopt;
  check_count(path, files.size());
  std::ranges::sort(files, natural_less);
  return files;
}

std::unique_ptr<VideoSource> open_sequence(const SourceOptions& options, std::vector<std::string> files) {
  if (options.hardware.decoder == DecoderRequest::kHardware) {
    throw Error(ErrorKind::kBackend,
                "{} is a sequence of pictures, which software decodes. Try: --decoder auto",
                shown_path(options.path));
  }
  return std::make_unique<SequenceSource>(options, std::move(files));
}

}  // namespace vq::cli
