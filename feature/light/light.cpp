#include "feature/light/light.h"

#include "core/error.h"

namespace vq::light {

// Catmull-Rom weights of the samples -1, 0, 1 and 2 at position t between 0 and 1. Exact for the positions
// that occur, which are eighths.
static Axis::Taps cubic_taps(double t) {
  const double t2 = t * t, t3 = t2 * t;
  return {static_cast<float>(0.5 * (-t + 2 * t2 - t3)), static_cast<float>(0.5 * (2 - 5 * t2 + 3 * t3)),
          static_cast<float>(0.5 * (t + 4 * t2 - 3 * t3)), static_cast<float>(0.5 * (t3 - t2))};
}

// `offset`: place of chroma sample 0 among those of the picture.
static Axis cubic_axis(int shift, double offset) {
  Axis axis{.shift = shift};
  for (int phase = 0; phase < axis.phases(); ++phase) {
    const double x = (phase - offset) / axis.phases(), base = std::floor(x);
    const auto i = static_cast<size_t>(phase);
    axis.first[i] = static_cast<int>(base) - 1;
    axis.taps[i] = cubic_taps(x - base);
  }
  return axis;
}

// Chroma samples lie in the middle of those of the picture.
static Axis linear_axis(int shift) {
  Axis axis = cubic_axis(shift, ((1 << shift) - 1) / 2.0);
  for (int phase = 0; phase < axis.phases(); ++phase) {
    const auto i = static_cast<size_t>(phase);
    const double x = (phase + 0.5) / axis.phases() - 0.5;
    const auto t = static_cast<float>(x - std::floor(x));
    axis.taps[i] = {0, 1 - t, t, 0};
  }
  return axis;
}

static Axis repeating_axis(int shift) {
  Axis axis{.shift = shift};
  axis.first.fill(-1);
  axis.taps.fill(Axis::Taps{0, 1, 0, 0});
  return axis;
}

static void set_scales(Conversion& conversion, int bit_depth) {
  const double step = std::ldexp(1.0, bit_depth - 8), grey = 128 * step;
  const bool is_full = conversion.reading.is_full_range;
  const double luma_span = is_full ? 256 * step - 1 : 219 * step,
               chroma_span = is_full ? 256 * step - 1 : 224 * step;
  conversion.luma = {is_full ? 0.0F : static_cast<float>(16 * step), static_cast<float>(1 / luma_span)};
  conversion.chroma = {static_cast<float>(grey), static_cast<float>(1 / chroma_span)};
  if (conversion.reading.matrix == Matrix::kRgb) {
    conversion.chroma = conversion.luma;
  } else if (conversion.reading.chroma == ChromaFilter::kBilinear) {
    conversion.luma.least = 0, conversion.luma.most = 1;
    conversion.chroma.least = -0.5F, conversion.chroma.most = 0.5F;
  }
}

// SMPTE ST 2084.
constexpr double kC1 = 0.8359375, kC2 = 18.8515625, kC3 = 18.6875, kM1 = 0.1593017578125, kM2 = 78.84375;
constexpr double kPqPeak = 100;  // of light

static std::vector<float> curve_table(Curve curve) {
  if (curve != Curve::kPq && curve != Curve::kHlg) return {};
  std::vector<float> table;
  for (int i = 0; i <= kCurveSteps; ++i) {
    const double v = static_cast<double>(i) / kCurveSteps;
    const double light = curve == Curve::kPq ? light_of_pq(v) : hlg_light(v);
    // The first steps of PQ are dark beyond any use; nothing is subnormal.
    table.push_back(light < 0x1p-40 ? 0.0F : static_cast<float>(light));
  }
  table.push_back(table.back());
  return table;
}

constexpr int kNoRow = -1;

// Width of scratch rows: the most columns of chroma that a picture of this width has in any sampling.
static int scratch_width(int width) { return width + 2 * kMargin; }

constexpr std::string_view kAuto = "auto";

// The value that is asked for; nothing for "auto".
template <typename T, size_t count>
static std::optional<T> asked(std::string_view text, const std::array<T, count>& values) {
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

[[noreturn]] static void refuse_matrix(const VideoFormat& video) {
  throw Error(ErrorKind::kMismatch,
              "{} has the matrix {}, from which RGB is not derived here. Try: matrix=bt601, bt709 or bt2020",
              video.name, to_string(video.matrix));
}

static Matrix matrix_of(const LightOptions& options, const VideoFormat& video) {
  const std::optional<Matrix> wanted = asked(options.matrix, kAllMatrices);
  if (video.matrix == Matrix::kRgb) {
    if (wanted && *wanted != Matrix::kRgb)
      throw Error(ErrorKind::kMismatch, video.name + " is RGB: matrix=auto or rgb");
    return Matrix::kRgb;
  }
  if (wanted == Matrix::kRgb && video.chroma != Chroma::k444)
    throw Error(ErrorKind::kMismatch, video.name + " is not RGB: its planes differ in size");
  if (wanted) return *wanted;
  if (const Matrix matrix = matrix_of(video); contains(kAllMatrices, matrix)) return matrix;
  refuse_matrix(video);
}

static Curve curve_of(const LightOptions& options, const VideoFormat& video, Matrix matrix) {
  if (const std::optional<Curve> wanted = asked(options.transfer, kAllCurves)) return *wanted;
  if (video.transfer == Transfer::kUnspecified && matrix == Matrix::kRgb) return Curve::kSrgb;
  return asked(to_string(video.transfer), kAllCurves).value_or(Curve::kBt1886);
}

static bool has_bt2020_primaries(const LightOptions& options, const VideoFormat& video, Matrix matrix) {
  if (const std::optional<Primaries> wanted = asked(options.primaries, kAllPrimaries))
    return *wanted == Primaries::kBt2020;
  if (video.primaries == Primaries::kUnspecified) return matrix == Matrix::kBt2020;
  return video.primaries == Primaries::kBt2020;
}

static bool is_full_range(const LightOptions& options, const VideoFormat& video, Matrix matrix) {
  if (const std::optional<Range> wanted = asked(options.range, kAllRanges)) return *wanted == Range::kFull;
  if (video.range == Range::kUnspecified) return matrix == Matrix::kRgb;
  return video.range == Range::kFull;
}

static ChromaFilter chroma_filter_of(std::string_view word) {
  if (word == kBilinearWord) return ChromaFilter::kBilinear;
  return word == kChromas[1] ? ChromaFilter::kRepeat : ChromaFilter::kCubic;
}

static ChromaLocation location_of(const LightOptions& options, const VideoFormat& video) {
  if (const auto wanted = asked(options.chroma_location, kAllLocations)) return *wanted;
  return video.chroma_location == ChromaLocation::kUnspecified ? ChromaLocation::kLeft
                                                               : video.chroma_location;
}

double light_of_pq(double value) {
  const double q = std::pow(value, 1 / kM2);
  return kPqPeak * std::pow(std::max(q - kC1, 0.0) / (kC2 - kC3 * q), 1 / kM1);
}

double pq_of_light(double light) {
  const double y = std::pow(light / kPqPeak, kM1);
  return std::pow((kC1 + kC2 * y) / (1 + kC3 * y), kM2);
}

double hlg_light(double value) {
  constexpr double kA = 0.17883277, kB = 1 - 4 * kA, kC = 0.55991073;
  return value <= 0.5 ? value * value / 3 : (std::exp((value - kC) / kA) + kB) / 12;
}

Conversion make_conversion(const Reading& reading, const VideoFormat& video) {
  Conversion conversion{.reading = reading,
                        .size = {video.width, video.height},
                        .has_chroma = plane_count(video.chroma) == kMaxPlanes};
  const auto [x, y] = chroma_shifts(video.chroma);
  const auto [column, row] = first_chroma(reading.location, {x, y});
  const auto axis = [&](int shift, int first) {
    if (reading.chroma == ChromaFilter::kRepeat) return repeating_axis(shift);
    return reading.chroma == ChromaFilter::kCubic ? cubic_axis(shift, first / 2.0) : linear_axis(shift);
  };
  conversion.columns = axis(x, column);
  conversion.rows = axis(y, row);
  set_scales(conversion, video.bit_depth);
  const auto [kr, kb] = luma_shares(reading.matrix).value_or(*luma_shares(Matrix::kBt709));
  conversion.red_of_cr = static_cast<float>(2 * (1 - kr));
  conversion.blue_of_cb = static_cast<float>(2 * (1 - kb));
  conversion.kr = static_cast<float>(kr);
  conversion.kb = static_cast<float>(kb);
  conversion.one_over_kg = static_cast<float>(1 / (1 - kr - kb));
  conversion.curve = curve_table(reading.curve);
  return conversion;
}

SampleRow row_of(const SampleView& plane, int y) {
  if (plane.is_u8()) return {plane.u8.row(y), nullptr, plane.u8.width};
  return {nullptr, plane.u16.row(y), plane.u16.width};
}

LightRows::LightRows(const Stages& stages, const Conversion& conversion)
    : stages_(stages),
      conversion_(conversion),
      blended_(conversion.size.width, 2),
      scratch_(scratch_width(conversion.size.width), 1) {
  for (Plane<float>& plane : spread_) plane = Plane<float>(conversion.size.width, Axis::kTaps);
}

void LightRows::start(const Frame& frame) {
  frame_ = &frame;
  for (auto& rows : spread_rows_) rows.fill(kNoRow);
}

// Row `row` of a chroma plane at all columns; those beyond an edge are that of the edge.
const float* LightRows::chroma_row(size_t plane, int row) {
  const SampleView& view = frame_->planes[plane + 1];
  row = std::clamp(row, 0, view.height() - 1);
  const int slot = row % Axis::kTaps;
  float* const out = spread_[plane].row(slot);
  int& has = spread_rows_[plane][static_cast<size_t>(slot)];
  if (has != row) {
    float* const scratch = scratch_.row(0) + kMargin;
    stages_.spread_chroma(row_of(view, row), {conversion_.chroma, &conversion_.columns, scratch},
                          conversion_.size.width, out);
    has = row;
  }
  return out;
}

const float* LightRows::chroma_at(size_t plane, int y) {
  const Axis& axis = conversion_.rows;
  const int phase = y & (axis.phases() - 1);
  const auto p = static_cast<size_t>(phase);
  const int first = (y >> axis.shift) + axis.first[p];
  if (axis.is_plain(phase)) return chroma_row(plane, first + 1);
  const float* rows[Axis::kTaps];
  for (int i = 0; i < Axis::kTaps; ++i) rows[i] = chroma_row(plane, first + i);
  float* const out = blended_.row(static_cast<int>(plane));
  stages_.blend_rows(rows, axis.taps[p], conversion_.size.width, out);
  return out;
}

void LightRows::row(int y, RgbRow<float> out) {
  const SampleRow luma = row_of(frame_->luma(), y);
  if (conversion_.has_chroma) {
    const float* const cb = chroma_at(0, y);
    stages_.to_light(luma, cb, chroma_at(1, y), conversion_, out);
  } else {
    // Never written: zeros.
    stages_.to_light(luma, blended_.row(0), blended_.row(1), conversion_, out);
  }
}

void fill_light(LightRows& rows, const Frame& frame, const std::array<PlaneView<float>, 3>& rgb) {
  rows.start(frame);
  for (int y = 0; y < rgb[0].height; ++y) rows.row(y, {rgb[0].row(y), rgb[1].row(y), rgb[2].row(y)});
}

std::string_view to_string(ChromaFilter filter) {
  constexpr std::string_view kWords[] = {kChromas[0], kChromas[1], kBilinearWord};
  return kWords[static_cast<size_t>(filter)];
}

std::string_view to_string(Curve curve) {
  constexpr std::string_view kWords[] = {"bt1886", "srgb", "linear", "pq", "hlg"};
  return kWords[static_cast<size_t>(curve)];
}

LumaReading luma_reading_of(std::string_view range, std::string_view transfer, const VideoFormat& video) {
  const int top = (1 << video.bit_depth) - 1, step = (top + 1) / 256;
  const bool is_full = is_full_range({.range = range}, video, video.matrix);
  const Curve tagged = video.transfer == Transfer::kPq    ? Curve::kPq
                       : video.transfer == Transfer::kHlg ? Curve::kHlg
                                                          : Curve::kBt1886;
  return {.is_full_range = is_full,
          .curve = asked(transfer, kAllCurves).value_or(tagged),
          .black = is_full ? 0 : 16 * step,
          .span = is_full ? top : 219 * step};
}

Reading reading_of(const LightOptions& options, const VideoFormat& video) {
  const Matrix matrix = matrix_of(options, video);
  return {.matrix = matrix,
          .curve = curve_of(options, video, matrix),
          .has_bt2020_primaries = has_bt2020_primaries(options, video, matrix),
          .is_full_range = is_full_range(options, video, matrix),
          .location = location_of(options, video),
          .chroma = chroma_filter_of(options.chroma)};
}

std::vector<std::pair<std::string, std::string>> in_words(const Reading& reading, const VideoFormat& video) {
  std::vector<std::pair<std::string, std::string>> words = {
      {"matrix", std::string(to_string(reading.matrix))},
      {"transfer", std::string(to_string(reading.curve))},
      {"primaries", reading.has_bt2020_primaries ? "bt2020" : "bt709"},
      {"range", reading.is_full_range ? "full" : "limited"}};
  const auto [x, y] = chroma_shifts(video.chroma);
  if (x == 0 && y == 0) return words;
  if (reading.chroma != ChromaFilter::kBilinear)
    words.emplace_back("chroma_location", to_string(reading.location));
  words.emplace_back("chroma", to_string(reading.chroma));
  return words;
}

std::vector<std::string> notes_on(const LightOptions& options, const VideoFormat& video,
                                  const VideoFormat* reference) {
  std::vector<std::string> notes;
  const Reading reading = reading_of(options, video);
  if (options.matrix == kAuto && video.matrix == Matrix::kUnspecified)
    notes.push_back("matrix=" + std::string(to_string(reading.matrix)) + " (assumed from the size)");
  if (options.transfer == kAuto &&
      (video.transfer == Transfer::kUnspecified || video.transfer == Transfer::kOther))
    notes.push_back("transfer=" + std::string(to_string(reading.curve)) + " (assumed)");
  if (options.primaries == kAuto &&
      (video.primaries == Primaries::kBt601 || video.primaries == Primaries::kOther))
    notes.push_back("primaries=bt709 (the video's " + std::string(to_string(video.primaries)) +
                    " are not converted)");
  if (reference == nullptr) return notes;
  const auto words = in_words(reading, video);
  for (const auto& word : in_words(reading_of(options, *reference), *reference)) {
    const bool is_there =
        std::ranges::any_of(words, [&](const auto& own) { return own.first == word.first; });
    if (is_there && !contains(words, word))
      notes.push_back(word.first + "=" + word.second + " (of the reference)");
  }
  return notes;
}

constexpr size_t kFold = 256;

static float folded(std::array<float, kFold> values) {
  for (size_t half = kFold / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) values[i] = values[i] + values[i + half];
  }
  return values[0];
}

double total(std::span<const float> tiles) {
  double sum = 0;
  for (size_t first = 0; first < tiles.size(); first += kFold) {
    std::array<float, kFold> values = {};
    std::ranges::copy(tiles.subspan(first, std::min(kFold, tiles.size() - first)), values.begin());
    sum += static_cast<double>(folded(values));
  }
  return sum;
}

void fold_tiles(std::array<float*, kTile / 2> rows, int width, float* tiles) {
  const int count = tiles_of(width), end = count * kTile;
  for (size_t half = rows.size() / 2; half > 0; half /= 2) {
    for (size_t y = 0; y < half; ++y) {
      for (int x = 0; x < end; ++x) rows[y][x] = rows[y][x] + rows[y + half][x];
    }
  }
  for (int i = 0; i < count; ++i) {
    float* const row = rows[0] + ptrdiff_t{i} * kTile;
    for (int half = kTile / 2; half > 0; half /= 2) {
      for (int x = 0; x < half; ++x) row[x] = row[x] + row[x + half];
    }
    tiles[i] = row[0];
  }
}

}  // namespace vq::light
