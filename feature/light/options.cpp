#include <algorithm>
#include <optional>

#include "core/error.h"
#include "feature/light/light.h"

namespace vq::light {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::array<std::string_view, 5> kMatrices = {kAuto, "bt601", "bt709", "bt2020", "rgb"};
constexpr std::array<std::string_view, 6> kTransfers = {kAuto, "bt1886", "srgb", "linear", "pq", "hlg"};
constexpr std::array<std::string_view, 3> kPrimaries = {kAuto, "bt709", "bt2020"};
constexpr std::array<std::string_view, 3> kRanges = {kAuto, "limited", "full"};
constexpr std::array<std::string_view, 7> kLocations = {kAuto, "left",       "center", "topleft",
                                                        "top", "bottomleft", "bottom"};
constexpr std::array<std::string_view, 2> kChromas = {"cubic", "repeat"};

constexpr OptionSpec choice(std::string_view name, std::span<const std::string_view> choices,
                            std::string_view help) {
  return {.name = name,
          .kind = OptionKind::kChoice,
          .default_text = choices.front(),
          .choices = choices,
          .help = help};
}

}  // namespace

constinit const std::array<OptionSpec, kOptionCount> kOptionSpecs = {
    choice("matrix", kMatrices,
           "how luma and chroma are made of RGB; auto: as tagged, else bt709 for HD and bt601 below"),
    choice("transfer", kTransfers, "transfer function of the display; auto: as tagged, else bt1886"),
    choice("primaries", kPrimaries, "colours of R, G and B; auto: as tagged, else those of the matrix"),
    choice("range", kRanges, "range of code values; auto: as tagged, else limited, full for RGB"),
    choice("chroma_location", kLocations, "where chroma samples lie; auto: as tagged, else left"),
    choice("chroma", kChromas, "how chroma becomes as large as luma: cubic, or each sample repeated"),
};

std::string_view to_string(Curve curve) {
  switch (curve) {
    case Curve::kSrgb:
      return "srgb";
    case Curve::kLinear:
      return "linear";
    case Curve::kPq:
      return "pq";
    case Curve::kHlg:
      return "hlg";
    case Curve::kBt1886:
      break;
  }
  return "bt1886";
}

namespace {

// The value that is asked for; nothing for "auto".
template <typename T, size_t count>
std::optional<T> asked(const OptionSet& options, std::string_view name, const std::array<T, count>& values) {
  const std::string& text = options.get_text(name);
  for (const T value : values) {
    if (text == to_string(value)) return value;
  }
  return std::nullopt;
}

constexpr std::array kAllMatrices = {Matrix::kBt601, Matrix::kBt709, Matrix::kBt2020, Matrix::kRgb};
constexpr std::array kAllCurves = {Curve::kBt1886, Curve::kSrgb, Curve::kLinear, Curve::kPq, Curve::kHlg};
constexpr std::array kAllPrimaries = {Primaries::kBt709, Primaries::kBt2020};
constexpr std::array kAllRanges = {Range::kLimited, Range::kFull};
constexpr std::array kAllLocations = {ChromaLocation::kLeft,       ChromaLocation::kCenter,
                                      ChromaLocation::kTopLeft,    ChromaLocation::kTop,
                                      ChromaLocation::kBottomLeft, ChromaLocation::kBottom};

[[noreturn]] void refuse_matrix(const VideoFormat& video) {
  throw Error(ErrorKind::kMismatch, video.name + " has the matrix " + std::string(to_string(video.matrix)) +
                                        ", from which RGB is not derived here. Try: matrix=bt601, bt709 or "
                                        "bt2020");
}

Matrix matrix_of(const OptionSet& options, const VideoFormat& video) {
  const std::optional<Matrix> wanted = asked(options, "matrix", kAllMatrices);
  if (video.matrix == Matrix::kRgb) {
    if (wanted && *wanted != Matrix::kRgb)
      throw Error(ErrorKind::kMismatch, video.name + " is RGB: matrix=auto or rgb");
    return Matrix::kRgb;
  }
  if (wanted == Matrix::kRgb && video.chroma != Chroma::k444)
    throw Error(ErrorKind::kMismatch, video.name + " is not RGB: its planes differ in size");
  if (wanted) return *wanted;
  switch (const Matrix matrix = matrix_of(video)) {
    case Matrix::kBt601:
    case Matrix::kBt709:
    case Matrix::kBt2020:
      return matrix;
    case Matrix::kUnspecified:
    case Matrix::kFcc:
    case Matrix::kSmpte240:
    case Matrix::kOther:
    case Matrix::kRgb:
      break;
  }
  refuse_matrix(video);
}

Curve curve_of(const OptionSet& options, const VideoFormat& video, Matrix matrix) {
  if (const std::optional<Curve> wanted = asked(options, "transfer", kAllCurves)) return *wanted;
  switch (video.transfer) {
    case Transfer::kSrgb:
      return Curve::kSrgb;
    case Transfer::kLinear:
      return Curve::kLinear;
    case Transfer::kPq:
      return Curve::kPq;
    case Transfer::kHlg:
      return Curve::kHlg;
    case Transfer::kUnspecified:
      return matrix == Matrix::kRgb ? Curve::kSrgb : Curve::kBt1886;
    case Transfer::kBt1886:
    case Transfer::kOther:
      break;
  }
  return Curve::kBt1886;
}

bool has_bt2020_primaries(const OptionSet& options, const VideoFormat& video, Matrix matrix) {
  if (const std::optional<Primaries> wanted = asked(options, "primaries", kAllPrimaries))
    return *wanted == Primaries::kBt2020;
  if (video.primaries == Primaries::kUnspecified) return matrix == Matrix::kBt2020;
  return video.primaries == Primaries::kBt2020;
}

bool is_full_range(const OptionSet& options, const VideoFormat& video, Matrix matrix) {
  if (const std::optional<Range> wanted = asked(options, "range", kAllRanges)) return *wanted == Range::kFull;
  if (video.range == Range::kUnspecified) return matrix == Matrix::kRgb;
  return video.range == Range::kFull;
}

ChromaLocation location_of(const OptionSet& options, const VideoFormat& video) {
  if (const auto wanted = asked(options, "chroma_location", kAllLocations)) return *wanted;
  return video.chroma_location == ChromaLocation::kUnspecified ? ChromaLocation::kLeft
                                                               : video.chroma_location;
}

}  // namespace

Reading reading_of(const OptionSet& options, const VideoFormat& video) {
  const Matrix matrix = matrix_of(options, video);
  return {.matrix = matrix,
          .curve = curve_of(options, video, matrix),
          .has_bt2020_primaries = has_bt2020_primaries(options, video, matrix),
          .is_full_range = is_full_range(options, video, matrix),
          .location = location_of(options, video),
          .repeats_chroma = options.get_text("chroma") == "repeat"};
}

std::vector<std::pair<std::string, std::string>> in_words(const Reading& reading, const VideoFormat& video) {
  std::vector<std::pair<std::string, std::string>> words = {
      {"matrix", std::string(to_string(reading.matrix))},
      {"transfer", std::string(to_string(reading.curve))},
      {"primaries", reading.has_bt2020_primaries ? "bt2020" : "bt709"},
      {"range", reading.is_full_range ? "full" : "limited"}};
  const auto [x, y] = chroma_shifts(video.chroma);
  if (x == 0 && y == 0) return words;
  words.emplace_back("chroma_location", to_string(reading.location));
  words.emplace_back("chroma", reading.repeats_chroma ? "repeat" : "cubic");
  return words;
}

std::vector<std::string> notes_on(const OptionSet& options, const VideoFormat& video,
                                  const VideoFormat* reference) {
  std::vector<std::string> notes;
  const auto is_open = [&](std::string_view name) { return options.get_text(name) == kAuto; };
  const Reading reading = reading_of(options, video);
  if (is_open("matrix") && video.matrix == Matrix::kUnspecified)
    notes.push_back("matrix=" + std::string(to_string(reading.matrix)) + " (assumed from the size)");
  if (is_open("transfer") && (video.transfer == Transfer::kUnspecified || video.transfer == Transfer::kOther))
    notes.push_back("transfer=" + std::string(to_string(reading.curve)) + " (assumed)");
  if (is_open("primaries") && (video.primaries == Primaries::kBt601 || video.primaries == Primaries::kOther))
    notes.push_back("primaries=bt709 (the video's " + std::string(to_string(video.primaries)) +
                    " are not converted)");
  if (reference == nullptr) return notes;
  const auto words = in_words(reading, video);
  for (const auto& word : in_words(reading_of(options, *reference), *reference)) {
    const bool is_there =
        std::ranges::any_of(words, [&](const auto& own) { return own.first == word.first; });
    if (is_there && std::ranges::find(words, word) == words.end())
      notes.push_back(word.first + "=" + word.second + " (of the reference)");
  }
  return notes;
}

}  // namespace vq::light
