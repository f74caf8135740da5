#include "cli/pictures/still.h"

#include "cli/decoding/frame_reader.h"
#include "feature/fitting/fitting.h"
#include "feature/light/light.h"

namespace vq::cli {
namespace {

// The level for every sample of luma that a plane can hold.
template <typename Level>
std::vector<Level> level_table(const VideoFormat& format, int white) {
  const double unit = std::ldexp(1.0, format.bit_depth - 8);
  const bool full = format.range == Range::kFull;
  const double black = full ? 0 : 16 * unit;
  const double scale = 1 / (full ? std::ldexp(1.0, format.bit_depth) - 1 : 219 * unit);
  std::vector<Level> levels(size_t{1} << format.bit_depth);
  for (size_t i = 0; i < levels.size(); ++i) {
    const long level = std::lround((static_cast<double>(i) - black) * scale * white);
    levels[i] = static_cast<Level>(std::clamp(level, 0L, long{white}));
  }
  return levels;
}

// Looked up, for a picture has too many samples to round each.
template <typename T, typename Level>
void take_levels(PlaneView<const T> from, const std::vector<Level>& levels, PlaneView<Level> to) {
  for (int y = 0; y < to.height; ++y) {
    const T* const row = from.row(y);
    std::transform(row, row + to.width, to.row(y),
                   [&](T sample) { return levels[std::min<size_t>(sample, levels.size() - 1)]; });
  }
}

template <typename Level>
Plane<Level> luma_levels(const Still& still, int white) {
  Plane<Level> plane(still.width(), still.height());
  const std::vector<Level> levels = level_table<Level>(still.format, white);
  const SampleView& luma = still.frame.luma();
  luma.is_u8() ? take_levels(luma.u8, levels, plane.view()) : take_levels(luma.u16, levels, plane.view());
  return plane;
}

template <typename T>
using Planes = std::array<Plane<T>, kMaxPlanes>;

// A plane of this size, which is no larger, of the mean of the samples that each of its own stands for, as
// `level` makes it of that.
template <typename To, typename T, typename Level>
Plane<To> shrunk_plane(PlaneView<const T> from, const PlaneSize& size, const Level& level) {
  Plane<To> plane(size.width, size.height);
  const PlaneView<To> to = plane.view();
  const auto start = [](int position, int in, int out) {
    return static_cast<int>(int64_t{position} * in / out);
  };
  for (int y = 0; y < to.height; ++y) {
    const int top = start(y, from.height, to.height);
    const int bottom = std::max(top + 1, start(y + 1, from.height, to.height));
    for (int x = 0; x < to.width; ++x) {
      const int left = start(x, from.width, to.width);
      const int right = std::max(left + 1, start(x + 1, from.width, to.width));
      int64_t sum = 0;
      for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) sum += from.row(v)[u];
      }
      to.row(y)[x] = level(static_cast<double>(sum) / ((bottom - top) * (right - left)));
    }
  }
  return plane;
}

template <typename T>
Plane<T> shrunk(PlaneView<const T> from, const PlaneSize& size) {
  if (size.width >= from.width && size.height >= from.height) return copy_plane(from);
  return shrunk_plane<T>(from, {std::min(size.width, from.width), std::min(size.height, from.height)},
                         [](double mean) { return static_cast<T>(std::lround(mean)); });
}

template <typename T>
void keep_planes(const Frame& from, PlaneView<const T> SampleView::*view, Still& still) {
  const auto planes = std::make_shared<Planes<T>>();
  for (int i = 0; i < plane_count(still.format.chroma); ++i) {
    const auto place = static_cast<size_t>(i);
    const PlaneSize size = plane_size({still.format.width, still.format.height}, still.format.chroma, i);
    (*planes)[place] = shrunk<T>(from.planes[place].*view, size);
    still.frame.planes[place].*view = (*planes)[place].view();
  }
  still.frame.owner = planes;
}

// With the nearest of the matrices of which metrics of light make RGB.
light::Reading reading_of(VideoFormat format) {
  if (format.matrix == Matrix::kFcc) format.matrix = Matrix::kBt601;
  if (format.matrix == Matrix::kSmpte240) format.matrix = Matrix::kBt709;
  if (format.matrix == Matrix::kOther) format.matrix = Matrix::kUnspecified;
  return light::reading_of({}, format);
}

uint8_t byte_of(float share) { return static_cast<uint8_t>(std::clamp(share, 0.0F, 1.0F) * 255 + 0.5F); }

// ITU-R BT.2408's white, and the peak that HLG is defined for and most of PQ keeps to.
constexpr double kWhiteNits = 203, kPeakNits = 1000;
constexpr double kPqUnitNits = 100;  // 1.0 of PQ's light

// Report ITU-R BT.2390, section 5.4.1.
double displayed_nits(double nits) {
  const auto pq_of_nits = [](double value) { return light::pq_of_light(value / kPqUnitNits); };
  const double peak = pq_of_nits(kPeakNits), top = pq_of_nits(kWhiteNits) / peak, knee = 1.5 * top - 0.5;
  const double level = std::min(pq_of_nits(nits) / peak, 1.0);
  if (level <= knee) return nits;
  const double t = (level - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
  const double spline =
      (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * top;
  return kPqUnitNits * light::light_of_pq(spline * peak);
}

// Tables by the square root, which are finer where it is dark.
constexpr int kSteps = 4096;
size_t step_of(float share) {
  return static_cast<size_t>(std::sqrt(std::clamp(share, 0.0F, 1.0F)) * kSteps + 0.5F);
}

std::vector<float> mapped_table() {
  std::vector<float> table;
  for (int i = 0; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    const double nits = std::max(share * share * kPeakNits, 1e-6);
    table.push_back(static_cast<float>(displayed_nits(nits) / nits));
  }
  return table;
}

std::vector<float> srgb_table() {
  std::vector<float> table;
  for (int i = 0; i <= kSteps; ++i) {
    const double root = static_cast<double>(i) / kSteps, share = root * root;
    table.push_back(
        static_cast<float>(share <= 0.0031308 ? 12.92 * share : 1.055 * std::pow(share, 1 / 2.4) - 0.055));
  }
  return table;
}

// Converts linear light with BT.709's primaries to what a page shows.
class ShownLight {
 public:
  // `unit`: cd/m2 of 1.0; 0 for light of which 1.0 is white, which is not mapped.
  explicit ShownLight(float unit) : unit_(unit), srgb_(srgb_table()) {
    if (unit > 0) gains_ = mapped_table();
  }
  Colour operator()(float r, float g, float b) const {
    if (unit_ > 0) {
      const float peak = std::max({r, g, b, 0.0F}) * unit_ / static_cast<float>(kPeakNits);
      // Beyond the peak all is white, of whatever hue it is.
      const float gain =
          gains_[step_of(peak)] * unit_ / static_cast<float>(kWhiteNits) / std::max(peak, 1.0F);
      r *= gain, g *= gain, b *= gain;
    }
    return {byte_of(srgb_[step_of(r)]), byte_of(srgb_[step_of(g)]), byte_of(srgb_[step_of(b)])};
  }

 private:
  const float unit_;
  const std::vector<float> srgb_;
  std::vector<float> gains_;
};

// Light's 1.0 in cd/m2; 0 if that is white, whatever it is.
double unit_of(const light::Reading& reading) {
  if (reading.curve == light::Curve::kPq) return kPqUnitNits;
  return reading.curve == light::Curve::kHlg ? kPeakNits : 0;  // 1.0 of HLG is its peak
}

// Calls read(x, y, r, g, b) for each sample, in the order of rows.
template <typename Read>
void read_rows(const Still& still, const light::Reading& reading, const Read& read) {
  const light::Conversion conversion = light::make_conversion(reading, still.format);
  light::LightRows rows(light::Stages::of({}), conversion);
  rows.start(still.frame);
  Plane<float> row(still.width(), 3);
  for (int y = 0; y < still.height(); ++y) {
    rows.row(y, {row.row(0), row.row(1), row.row(2)});
    for (int x = 0; x < still.width(); ++x) read(x, y, row.row(0)[x], row.row(1)[x], row.row(2)[x]);
  }
}

template <typename Draw>
void draw_rows(const Still& still, const light::Reading& reading, const Draw& draw, RgbImage& image) {
  read_rows(still, reading, [&](int x, int y, float r, float g, float b) {
    const Colour colour = draw(r, g, b);
    uint8_t* const to = image.row(y) + 3 * x;
    to[0] = colour.red, to[1] = colour.green, to[2] = colour.blue;
  });
}

void draw_grey(PlaneView<const uint8_t> grey, RgbImage& image) {
  for (int y = 0; y < grey.height; ++y) {
    for (int x = 0; x < grey.width; ++x) std::fill_n(image.row(y) + 3 * x, 3, grey.row(y)[x]);
  }
}

}  // namespace

Still still_of(const Frame& frame, const VideoFormat& format, const PlaneSize& size) {
  Still still{.format = format, .video = {format.width, format.height}, .frame = {}};
  still.format.matrix = reading_of(format).matrix;  // by the size of the video if no tag says
  if (frame.planes[1].empty() || plane_count(format.chroma) == 1) still.format.chroma = Chroma::k400;
  still.format.width = size.width;
  still.format.height = size.height;
  still.format.bit_depth = frame.bit_depth;
  still.frame.bit_depth = frame.bit_depth;
  still.frame.index = frame.index;
  still.frame.timestamp = frame.timestamp;
  frame.luma().is_u8() ? keep_planes<uint8_t>(frame, &SampleView::u8, still)
                       : keep_planes<uint16_t>(frame, &SampleView::u16, still);
  return still;
}

int64_t still_bytes(const VideoFormat& format, const PlaneSize& size) {
  constexpr int64_t kGuards = 128;
  int64_t samples = 0;
  for (int i = 0; i < plane_count(format.chroma); ++i) {
    const PlaneSize plane = plane_size(size, format.chroma, i);
    samples += (plane.width + kGuards) * plane.height;
  }
  return samples * (format.bit_depth > 8 ? 2 : 1);
}

Still scaled_still(const Still& still, const PlaneSize& size) {
  if (still.width() == size.width && still.height() == size.height) return still;
  const Fitting fitting{.size = size};
  const int planes = plane_count(still.format.chroma);
  Still scaled = still;
  scaled.frame = make_frame_fitter(still.format, fitting, planes, {})->fit(still.frame);
  scaled.format = fitted_format(still.format, fitting);
  return scaled;
}

Plane<uint8_t> grey_of(const Still& still) { return luma_levels<uint8_t>(still, 255); }

std::string_view tone_mapped_transfer(const VideoFormat& format) {
  if (format.transfer == Transfer::kPq) return "PQ";
  return format.transfer == Transfer::kHlg ? "HLG" : "";
}

std::optional<LightUse> light_use_of(const Still& still) {
  if (tone_mapped_transfer(still.format).empty()) return std::nullopt;
  const light::Reading reading = reading_of(still.format);
  const double unit = unit_of(reading);
  int64_t outside_bt709 = 0, outside_p3 = 0;
  double peak = 0;
  read_rows(still, reading, [&](int, int, float r, float g, float b) {
    // From BT.709's primaries to those of P3 with D65 (SMPTE EG 432-1), and to BT.2020's (ITU-R BT.2087).
    const float p3_r = 0.8224620F * r + 0.1775380F * g, p3_g = 0.0331942F * r + 0.9668058F * g,
                p3_b = 0.0170826F * r + 0.0723974F * g + 0.9105200F * b;
    const float wide_r = 0.6274F * r + 0.3293F * g + 0.0433F * b,
                wide_g = 0.0691F * r + 0.9195F * g + 0.0114F * b,
                wide_b = 0.0164F * r + 0.0880F * g + 0.8956F * b;
    const double nits = unit * std::max({wide_r, wide_g, wide_b});
    peak = std::max(peak, nits);
    const auto is_outside = [&](float x, float y, float z) {
      return nits >= 1 && std::min({x, y, z}) < -0.005F * std::max({x, y, z});
    };
    outside_bt709 += is_outside(r, g, b) ? 1 : 0;
    outside_p3 += is_outside(p3_r, p3_g, p3_b) ? 1 : 0;
  });
  const double samples = static_cast<double>(still.width()) * still.height();
  return LightUse{peak, static_cast<double>(outside_bt709) / samples,
                  static_cast<double>(outside_p3) / samples};
}

RgbImage colours_of(const Still& still) {
  RgbImage image(still.width(), still.height());
  light::Reading reading = reading_of(still.format);
  const bool is_light = reading.curve == light::Curve::kPq || reading.curve == light::Curve::kHlg ||
                        reading.curve == light::Curve::kLinear;
  if (is_light) {
    draw_rows(still, reading, ShownLight(static_cast<float>(unit_of(reading))), image);
  } else if (still.format.chroma == Chroma::k400) {
    draw_grey(grey_of(still).view(), image);
  } else {
    // Coded values are sent to displays as they are.
    reading.curve = light::Curve::kLinear;
    reading.has_bt2020_primaries = false;
    const auto draw = [](float r, float g, float b) { return Colour{byte_of(r), byte_of(g), byte_of(b)}; };
    draw_rows(still, reading, draw, image);
  }
  return image;
}

Plane<uint8_t> difference_of(const Still& a, const Still& b, const PlaneSize& limit) {
  // Fine enough for steps of ten bits.
  constexpr int kUnit = 64;
  const auto first = luma_levels<uint16_t>(a, 255 * kUnit), second = luma_levels<uint16_t>(b, 255 * kUnit);
  Plane<uint16_t> apart(a.width(), a.height());
  for (int y = 0; y < apart.height(); ++y) {
    std::transform(first.row(y), first.row(y) + apart.width(), second.row(y), apart.row(y),
                   [](int one, int other) { return static_cast<uint16_t>(std::abs(one - other)); });
  }
  const auto level = [](double mean) {
    return static_cast<uint8_t>(std::min(std::lround(mean * kDifferenceGain / kUnit), 255L));
  };
  return shrunk_plane<uint8_t>(std::as_const(apart).view(), fitted({apart.width(), apart.height()}, limit),
                               level);
}

SnapshotMaker::SnapshotMaker(const ObservedVideo& video, const PlaneSize& limit)
    : format_(video.format),
      reference_(video.reference),
      metric_(video.metric),
      histograms_(video.histograms) {
  const PlaneSize size = fitted({format_.width, format_.height}, limit);
  width_ = size.width;
  height_ = size.height;
  if (reference_) reference_size_ = fitted({reference_->width, reference_->height}, limit);
  for (const HeatmapInfo& info : video.heatmaps) {
    scales_.push_back({positions(info.width, width_), positions(info.height, height_),
                       static_cast<float>(info.score_weight * (kLocalScoreSteps / metric_.usual_top))});
  }
}

int64_t SnapshotMaker::bytes() const {
  constexpr int64_t kGuards = 128;
  const int64_t local = scales_.empty() ? 0 : (width_ + kGuards) * height_;
  return local + still_bytes(format_, {width_, height_}) +
         (reference_ ? still_bytes(*reference_, reference_size_) : 0);
}

std::vector<SnapshotMaker::Position> SnapshotMaker::positions(int heatmap_side, int picture_side) {
  std::vector<Position> table(static_cast<size_t>(picture_side));
  for (size_t i = 0; i < table.size(); ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * heatmap_side / picture_side - 0.5;
    const double inside = std::clamp(centre, 0.0, static_cast<double>(heatmap_side - 1));
    table[i].first = static_cast<int>(inside);
    table[i].second = std::min(table[i].first + 1, heatmap_side - 1);
    table[i].share = static_cast<float>(inside - table[i].first);
  }
  return table;
}

// Rows of a heatmap made as wide as the picture, each once: two that follow each other are needed at a time.
class SnapshotMaker::WideRows {
 public:
  WideRows(const Scale& scale, const Plane<uint16_t>& map) : scale_(scale), map_(map) {
    for (std::vector<float>& row : rows_) row.resize(scale.columns.size());
  }

  // Linear between the four nearest samples: along the rows first, then between two of them.
  void add(int y, std::vector<float>& sums) {
    const Position& position = scale_.rows[static_cast<size_t>(y)];
    const float* const above = wide(position.first);
    const float* const below = wide(position.second);
    const float share = position.share;
    for (size_t x = 0; x < sums.size(); ++x) sums[x] += above[x] * (1 - share) + below[x] * share;
  }

 private:
  const float* wide(int y) {
    const size_t slot = static_cast<size_t>(y) % 2;
    std::vector<float>& row = rows_[slot];
    if (held_[slot] == y) return row.data();
    held_[slot] = y;
    const uint16_t* const samples = map_.row(y);
    for (size_t x = 0; x < row.size(); ++x) {
      const Position& column = scale_.columns[x];
      row[x] = scale_.weight * (static_cast<float>(samples[column.first]) * (1 - column.share) +
                                static_cast<float>(samples[column.second]) * column.share);
    }
    return row.data();
  }

  const Scale& scale_;
  const Plane<uint16_t>& map_;
  std::array<std::vector<float>, 2> rows_;
  std::array<int, 2> held_ = {-1, -1};
};

Snapshot SnapshotMaker::make(const ScoredFrame& frame) const {
  Snapshot shot;
  shot.metric = metric_;
  shot.name = file_part(format_.name);
  shot.frame = frame.picture.index;
  shot.timestamp = frame.picture.timestamp;
  shot.score = frame.score;
  shot.histograms = drawn(histograms_, frame.histograms);
  shot.picture = still_of(on_host(frame.picture), format_, {width_, height_});
  if (reference_ && frame.reference != nullptr)
    shot.reference = still_of(on_host(*frame.reference), *reference_, reference_size_);
  if (!frame.heatmaps.empty()) add_local(frame.heatmaps, shot);
  return shot;
}

void SnapshotMaker::add_local(std::span<const Plane<uint16_t>> heatmaps, Snapshot& shot) const {
  shot.local = Plane<uint8_t>(width_, height_);
  std::vector<WideRows> maps;
  for (size_t k = 0; k < scales_.size(); ++k) maps.emplace_back(scales_[k], heatmaps[k]);
  std::vector<float> sums(static_cast<size_t>(width_));
  for (int y = 0; y < height_; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (WideRows& map : maps) map.add(y, sums);
    for (size_t x = 0; x < sums.size(); ++x) {
      shot.local.row(y)[x] = static_cast<uint8_t>(std::min(sums[x] + 0.5F, 255.0F));
    }
  }
}

// Colours have no detail that is lost at such a size, and in steps that are not seen.
constexpr int kLayerWidth = 640, kLayerHeight = 360;
constexpr int kLayerStep = 4;  // of Snapshot::local

// The local scores at a size that is enough for a layer, each the mean of those it stands for.
static Plane<uint8_t> layer_of(PlaneView<const uint8_t> local) {
  const auto round = [](double sum) {
    return static_cast<uint8_t>(std::lround(sum / kLayerStep) * kLayerStep);
  };
  return shrunk_plane<uint8_t>(local, fitted({local.width, local.height}, {kLayerWidth, kLayerHeight}),
                               round);
}

// Sizes of one shape, as far as whole samples allow.
static bool have_one_shape(const PlaneSize& a, const PlaneSize& b) {
  constexpr double kTolerance = 0.01;
  const double ratio = static_cast<double>(a.width) * b.height / (static_cast<double>(b.width) * a.height);
  return std::fabs(ratio - 1) < kTolerance;
}

static Still at_size_of(const Still& still, const Still& reference) {
  const bool is_scaled = !reference.empty() && have_one_shape(still.video, reference.video);
  return is_scaled ? scaled_still(still, {reference.width(), reference.height()}) : still;
}

PagePicture picture_of(const Still& still, PageQuality quality) {
  const RgbImage image = colours_of(still);
  return quality == PageQuality::kLossless ? lossless_picture(image) : page_picture(image, kPagePictureBytes);
}

FramePicture picture_of(const Snapshot& shot, PageQuality quality) {
  const Still& reference = shot.reference;
  const Still still = at_size_of(shot.picture, reference);
  FramePicture picture{shot, picture_of(still, quality)};
  if (still.width() != shot.picture.width() || still.height() != shot.picture.height())
    picture.scaled_from = shot.picture.video;
  picture.tone_mapped = tone_mapped_transfer(still.format);
  picture.light = light_use_of(still);
  if (!reference.empty()) {
    if (still.width() == reference.width() && still.height() == reference.height()) {
      const Plane<uint8_t> apart = difference_of(still, reference, {kLayerWidth, kLayerHeight});
      picture.difference = page_picture(apart.view(), kDifferenceBytes);
    }
    if (picture.tone_mapped.empty()) picture.tone_mapped = tone_mapped_transfer(reference.format);
  }
  if (shot.local.width() > 0) picture.heat = page_layer(layer_of(shot.local.view()).view(), local_colours());
  picture.histograms = shot.histograms;
  return picture;
}

}  // namespace vq::cli
