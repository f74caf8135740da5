// Chroma of another sampling and samples of another matrix, against slow, obvious computations.
#include "feature/fitting/fitting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace vq {
namespace {

constexpr std::array kLocations = {ChromaLocation::kLeft,       ChromaLocation::kCenter,
                                   ChromaLocation::kTopLeft,    ChromaLocation::kTop,
                                   ChromaLocation::kBottomLeft, ChromaLocation::kBottom};

VideoFormat video(PlaneSize size, int bits, Chroma chroma) {
  return {.name = "a", .width = size.width, .height = size.height, .bit_depth = bits, .chroma = chroma};
}

// A picture of random samples, which it owns.
struct Noise {
  std::array<Plane<uint8_t>, 3> bytes;
  std::array<Plane<uint16_t>, 3> words;
  Frame frame;

  Noise(const VideoFormat& format, int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    frame.bit_depth = format.bit_depth;
    for (size_t i = 0; i < 3; ++i) {
      const PlaneSize size = plane_size(format, static_cast<int>(i));
      bytes[i] = Plane<uint8_t>(size.width, size.height);
      words[i] = Plane<uint16_t>(size.width, size.height);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          words[i].row(y)[x] = static_cast<uint16_t>(random() % (1U << format.bit_depth));
          bytes[i].row(y)[x] = static_cast<uint8_t>(words[i].row(y)[x]);
        }
      }
      if (format.bit_depth > 8) {
        frame.planes[i].u16 = words[i].view();
      } else {
        frame.planes[i].u8 = bytes[i].view();
      }
    }
  }
};

// Beyond an edge lies what is at the edge.
double sample(const SampleView& view, int x, int y) {
  x = std::clamp(x, 0, view.width() - 1);
  y = std::clamp(y, 0, view.height() - 1);
  return view.is_u8() ? view.u8.row(y)[x] : view.u16.row(y)[x];
}

bool is_centred(ChromaLocation location) {
  return location == ChromaLocation::kCenter || location == ChromaLocation::kTop ||
         location == ChromaLocation::kBottom;
}
bool is_top(ChromaLocation location) {
  return location == ChromaLocation::kTopLeft || location == ChromaLocation::kTop;
}
bool is_bottom(ChromaLocation location) {
  return location == ChromaLocation::kBottomLeft || location == ChromaLocation::kBottom;
}

// Where chroma sample 0 lies among samples that are `count` times as many.
double first_column(ChromaLocation location, int count) {
  return is_centred(location) ? (count - 1) / 2.0 : 0;
}
double first_row(ChromaLocation location, int count) {
  return is_top(location) ? 0 : is_bottom(location) ? count - 1 : (count - 1) / 2.0;
}

// Samples of an axis around a place, with their weights.
std::vector<std::pair<int, double>> around(double place, bool is_halved) {
  const int at = static_cast<int>(std::floor(place));
  if (!is_halved) return {{at, 1}};
  if (place != at) return {{at, 0.5}, {at + 1, 0.5}};
  return {{at - 1, 0.25}, {at, 0.5}, {at + 1, 0.25}};
}

TEST(SampleFitter, CoarserChromaIsTheMeanAroundItsPlace) {
  struct Step {
    Chroma from, to;
  };
  for (const auto& [from, to] : {Step{Chroma::k422, Chroma::k420}, Step{Chroma::k444, Chroma::k420},
                                 Step{Chroma::k444, Chroma::k422}, Step{Chroma::k440, Chroma::k420}}) {
    const int across = chroma_shifts(to).x - chroma_shifts(from).x,
              down = chroma_shifts(to).y - chroma_shifts(from).y;
    for (const PlaneSize size : {PlaneSize{1, 1}, PlaneSize{5, 3}, PlaneSize{16, 10}, PlaneSize{33, 7}}) {
      for (const int bits : {8, 9, 10, 12, 14, 16}) {
        for (const ChromaLocation location : kLocations) {
          SCOPED_TRACE(std::string(to_string(from)) + " to " + std::string(to_string(to)) + ", " +
                       std::to_string(size.width) + "x" + std::to_string(size.height) + ", " +
                       std::to_string(bits) + " bits, " + std::string(to_string(location)));
          const VideoFormat format = video(size, bits, from);
          const Noise noise(format, bits);
          const Fitting fitting{.chroma = ChromaForm{to, location}};
          const VideoFormat fitted = fitted_format(format, fitting);
          ASSERT_EQ(fitted.chroma, to);
          const Frame frame = make_frame_fitter(format, fitting, 3, {})->fit(noise.frame);
          EXPECT_EQ(frame.planes[0].u8.data, noise.frame.planes[0].u8.data);
          EXPECT_EQ(frame.planes[0].u16.data, noise.frame.planes[0].u16.data);
          for (size_t plane = 1; plane < 3; ++plane) {
            const PlaneSize chroma = plane_size(fitted, static_cast<int>(plane));
            ASSERT_EQ(frame.planes[plane].width(), chroma.width);
            ASSERT_EQ(frame.planes[plane].height(), chroma.height);
            for (int y = 0; y < chroma.height; ++y) {
              for (int x = 0; x < chroma.width; ++x) {
                double mean = 0;
                for (const auto& [row, weight] :
                     around((y << down) + (down > 0 ? first_row(location, 2) : 0), down > 0)) {
                  for (const auto& [column, share] :
                       around((x << across) + (across > 0 ? first_column(location, 2) : 0), across > 0))
                    mean += weight * share * sample(noise.frame.planes[plane], column, row);
                }
                ASSERT_EQ(sample(frame.planes[plane], x, y), std::floor(mean + 0.5)) << x << ", " << y;
              }
            }
          }
        }
      }
    }
  }
}

TEST(SampleFitter, ConvertsNoChromaThatIsAsCoarseOrOtherwiseSampled) {
  for (const Chroma chroma : {Chroma::k420, Chroma::k400, Chroma::kOther, Chroma::k411, Chroma::k410})
    EXPECT_FALSE(has_finer_chroma(chroma, Chroma::k420)) << to_string(chroma);
  EXPECT_FALSE(has_finer_chroma(Chroma::k422, Chroma::k440));
  EXPECT_FALSE(has_finer_chroma(Chroma::k420, Chroma::k422));
  EXPECT_FALSE(has_finer_chroma(Chroma::k420, Chroma::k400));
  EXPECT_TRUE(has_finer_chroma(Chroma::k422, Chroma::k411));
}

// Catmull-Rom.
double between(const std::array<double, 4>& samples, double t) {
  const auto [a, b, c, d] = samples;
  return 0.5 *
         (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t);
}

// The samples of a chroma plane at a place of luma.
double chroma_at(const SampleView& plane, const VideoFormat& format, int x, int y) {
  const auto [across, down] = chroma_shifts(format.chroma);
  const double column = (x - first_column(format.chroma_location, 1 << across)) / (1 << across),
               row = (y - first_row(format.chroma_location, 1 << down)) / (1 << down);
  const int left = static_cast<int>(std::floor(column)), top = static_cast<int>(std::floor(row));
  std::array<double, 4> rows;
  for (int j = 0; j < 4; ++j) {
    std::array<double, 4> samples;
    for (int i = 0; i < 4; ++i) samples[static_cast<size_t>(i)] = sample(plane, left - 1 + i, top - 1 + j);
    rows[static_cast<size_t>(j)] = between(samples, column - left);
  }
  return between(rows, row - top);
}

struct Colour {
  double y, cb, cr;
};

// By way of R, G and B. Y is 0 to 1, Cb and Cr lie around 0.
Colour converted(const Colour& in, Matrix from, Matrix to) {
  const LumaShares a = *luma_shares(from), b = *luma_shares(to);
  const double red = in.y + 2 * (1 - a.red) * in.cr, blue = in.y + 2 * (1 - a.blue) * in.cb,
               green = (in.y - a.red * red - a.blue * blue) / (1 - a.red - a.blue);
  const double y = b.red * red + (1 - b.red - b.blue) * green + b.blue * blue;
  return {y, (blue - y) / (2 * (1 - b.blue)), (red - y) / (2 * (1 - b.red))};
}

void expect_nearest(double found, double exact, int bits) {
  const double clipped = std::clamp(exact, 0.0, std::ldexp(1.0, bits) - 1);
  ASSERT_NEAR(found, clipped, 0.51) << exact;
}

TEST(SampleFitter, AnotherMatrixSaysTheSameColours) {
  for (const Chroma chroma : {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k410}) {
    for (const Range range : {Range::kLimited, Range::kFull}) {
      for (const int bits : {8, 10, 16}) {
        for (const ChromaLocation location : kLocations) {
          VideoFormat format = video({17, 11}, bits, chroma);
          format.range = range;
          format.matrix = Matrix::kBt601;
          format.chroma_location = location;
          SCOPED_TRACE(std::string(to_string(chroma)) + ", " + std::string(to_string(range)) + ", " +
                       std::to_string(bits) + " bits, " + std::string(to_string(location)));
          const Noise noise(format, bits);
          const Fitting fitting{.matrix = Matrix::kBt709};
          const Frame frame = make_frame_fitter(format, fitting, 3, {})->fit(noise.frame);
          const double level = std::ldexp(1.0, bits - 8), most = std::ldexp(1.0, bits) - 1;
          const double black = range == Range::kFull ? 0 : 16 * level,
                       span = range == Range::kFull ? most : 219 * level,
                       chroma_span = range == Range::kFull ? most : 224 * level;
          const auto shares = [&](double y, double cb, double cr) {
            return converted(
                {(y - black) / span, (cb - 128 * level) / chroma_span, (cr - 128 * level) / chroma_span},
                Matrix::kBt601, Matrix::kBt709);
          };
          for (int y = 0; y < format.height; ++y) {
            for (int x = 0; x < format.width; ++x) {
              const Colour colour =
                  shares(sample(noise.frame.planes[0], x, y), chroma_at(noise.frame.planes[1], format, x, y),
                         chroma_at(noise.frame.planes[2], format, x, y));
              expect_nearest(sample(frame.planes[0], x, y), black + span * colour.y, bits);
            }
          }
          for (int y = 0; y < frame.planes[1].height(); ++y) {
            for (int x = 0; x < frame.planes[1].width(); ++x) {
              const Colour colour =
                  shares(0, sample(noise.frame.planes[1], x, y), sample(noise.frame.planes[2], x, y));
              expect_nearest(sample(frame.planes[1], x, y), 128 * level + chroma_span * colour.cb, bits);
              expect_nearest(sample(frame.planes[2], x, y), 128 * level + chroma_span * colour.cr, bits);
            }
          }
        }
      }
    }
  }
}

// Luma that is read alone is made of all planes, so a picture with other chroma is no repeat.
TEST(SampleFitter, LumaOfAnotherMatrixRepeatsOnlyWithItsChroma) {
  VideoFormat format = video({8, 4}, 8, Chroma::k420);
  format.matrix = Matrix::kBt601;
  Noise noise(format, 1);
  const auto fitter = make_frame_fitter(format, {.matrix = Matrix::kBt709}, 1, {});
  noise.frame.repeated_planes = 1;
  const Frame luma = fitter->fit(noise.frame);
  EXPECT_EQ(luma.repeated_planes, 0);
  EXPECT_TRUE(luma.planes[1].empty());
  noise.frame.repeated_planes = 3;
  EXPECT_EQ(fitter->fit(noise.frame).repeated_planes, 3);
}

}  // namespace
}  // namespace vq
