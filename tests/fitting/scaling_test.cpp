// Pictures in another size: figures of libswscale, and the same samples from every implementation.
#include "feature/fitting/fitting.h"

#include <gtest/gtest.h>

#include "tests/fitting/fitted_samples.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::fitting::test {
namespace {

struct Case {
  PlaneSize from;
  int from_bits;
  Chroma chroma;
  PlaneSize to;
  int to_bits;
  ScaleKernel kernel;
  uint64_t digest;  // of libswscale's samples, by digest_of()
};

// Made with libswscale 6.7.100 (FFmpeg 5.1.9) and its flags accurate_rnd and bitexact.
constexpr Case kCases[] = {
    {{640, 360}, 8, Chroma::k420, {1920, 1080}, 8, ScaleKernel::kBicubic, 0x8a2ba8b69eb46f6c},
    {{640, 360}, 8, Chroma::k422, {1920, 1080}, 10, ScaleKernel::kLanczos, 0xad87c91b59caed2c},
    {{640, 360}, 10, Chroma::k444, {1920, 1080}, 10, ScaleKernel::kBicubic, 0x11ca248cd8fa1959},
    {{64, 36}, 10, Chroma::k400, {96, 54}, 12, ScaleKernel::kLanczos, 0x49c6ee5fccfadaac},
    {{64, 36}, 12, Chroma::k422, {96, 54}, 16, ScaleKernel::kBicubic, 0xdadbf2153be0caf0},
    {{64, 36}, 16, Chroma::k444, {96, 54}, 16, ScaleKernel::kLanczos, 0x2626eb29dcc6312a},
    {{33, 17}, 9, Chroma::k400, {50, 40}, 9, ScaleKernel::kBicubic, 0x55f3bc80fadcb1b6},
    {{33, 17}, 8, Chroma::k420, {50, 40}, 16, ScaleKernel::kLanczos, 0x72a8a3ca10b53048},
    {{33, 17}, 14, Chroma::k444, {50, 40}, 14, ScaleKernel::kBicubic, 0xe48ed762504e9dbe},
    {{50, 40}, 8, Chroma::k400, {33, 17}, 8, ScaleKernel::kLanczos, 0x3108ada22c12f73c},
    {{50, 40}, 8, Chroma::k420, {33, 17}, 10, ScaleKernel::kBicubic, 0x78f6693874b7d157},
    {{50, 40}, 10, Chroma::k422, {33, 17}, 10, ScaleKernel::kLanczos, 0x5033c2a371fb8ac0},
    {{176, 144}, 10, Chroma::k400, {1920, 1080}, 12, ScaleKernel::kBicubic, 0x7d5fa132a7329c2e},
    {{176, 144}, 12, Chroma::k420, {1920, 1080}, 16, ScaleKernel::kLanczos, 0xcf5591de97408ec5},
    {{176, 144}, 16, Chroma::k422, {1920, 1080}, 16, ScaleKernel::kBicubic, 0xdbeea54a859dac3c},
    {{96, 54}, 9, Chroma::k444, {64, 36}, 9, ScaleKernel::kLanczos, 0xc055bad8574e130e},
    {{96, 54}, 8, Chroma::k420, {64, 36}, 16, ScaleKernel::kBicubic, 0x15cd99efc0cd72c2},
    {{96, 54}, 14, Chroma::k422, {64, 36}, 14, ScaleKernel::kLanczos, 0xb681a742b7bf059b},
    {{100, 30}, 8, Chroma::k444, {101, 90}, 8, ScaleKernel::kBicubic, 0x01fd1f7296250f65},
    {{100, 30}, 8, Chroma::k400, {101, 90}, 10, ScaleKernel::kLanczos, 0x314603b2d639a8f3},
    {{100, 30}, 10, Chroma::k422, {101, 90}, 10, ScaleKernel::kBicubic, 0x259709461103317a},
    {{30, 100}, 10, Chroma::k444, {90, 99}, 12, ScaleKernel::kLanczos, 0x879fecb8af9175e6},
    {{30, 100}, 12, Chroma::k400, {90, 99}, 16, ScaleKernel::kBicubic, 0xaacc2fa3946702b7},
    {{30, 100}, 16, Chroma::k420, {90, 99}, 16, ScaleKernel::kLanczos, 0x64b469defb4d225a},
    {{7, 5}, 9, Chroma::k444, {16, 9}, 9, ScaleKernel::kBicubic, 0x118f751ab06cbe97},
    {{7, 5}, 8, Chroma::k400, {16, 9}, 16, ScaleKernel::kLanczos, 0x2f100e1a171acf43},
    {{7, 5}, 14, Chroma::k420, {16, 9}, 14, ScaleKernel::kBicubic, 0xf3b1063e5e616e91},
    {{192, 108}, 8, Chroma::k422, {20, 12}, 8, ScaleKernel::kLanczos, 0x99d5701d24e87a18},
    {{192, 108}, 8, Chroma::k400, {20, 12}, 10, ScaleKernel::kBicubic, 0xb18d276feb72f150},
    {{192, 108}, 10, Chroma::k420, {20, 12}, 10, ScaleKernel::kLanczos, 0x27c3772a947dea80},
    {{2, 2}, 10, Chroma::k422, {5, 3}, 12, ScaleKernel::kBicubic, 0x9671ebbeba3f723b},
    {{2, 2}, 12, Chroma::k444, {5, 3}, 16, ScaleKernel::kLanczos, 0xfb0e365a3ac7675f},
    {{2, 2}, 16, Chroma::k420, {5, 3}, 16, ScaleKernel::kBicubic, 0x2e3becaee9ed262f},
    {{16, 1}, 9, Chroma::k422, {33, 1}, 9, ScaleKernel::kLanczos, 0xe6e129735b932902},
    {{16, 1}, 8, Chroma::k444, {33, 1}, 16, ScaleKernel::kBicubic, 0x99c4a77edab71081},
    {{16, 1}, 14, Chroma::k400, {33, 1}, 14, ScaleKernel::kLanczos, 0x8de8f6c1807895de},
    {{320, 180}, 8, Chroma::k422, {1280, 544}, 8, ScaleKernel::kBicubic, 0xc53078cff939681d},
    {{320, 180}, 8, Chroma::k444, {1280, 544}, 10, ScaleKernel::kLanczos, 0x9c35df27da4dc05c},
    {{320, 180}, 10, Chroma::k400, {1280, 544}, 10, ScaleKernel::kBicubic, 0xf5b1608171829767},
};

VideoFormat format_of(const Case& one) {
  return {.name = "noise",
          .width = one.from.width,
          .height = one.from.height,
          .bit_depth = one.from_bits,
          .chroma = one.chroma};
}

Frame noise(const VideoFormat& format, int new_width) {
  std::minstd_rand random(
      static_cast<unsigned>(format.width * 31 + format.height * 17 + format.bit_depth + new_width));
  return vq::test::drawn_frame(format,
                               [&](int, int, int) { return random() >> 7 & ((1U << format.bit_depth) - 1); });
}

// FNV-1a over samples, plane by plane.
uint64_t digest_of(const std::vector<Samples>& planes) {
  uint64_t digest = 14695981039346656037U;
  for (const Samples& plane : planes) {
    for (const uint16_t sample : plane) digest = (digest ^ sample) * 1099511628211U;
  }
  return digest;
}

TEST(Scaling, HasTheFiguresOfLibswscale) {
  std::vector<vq::test::Implementation<Fit>> all = {
      {"scalar", [](const Frame& frame, const VideoFormat& format, const Fitting& fitting) {
         return fitted_by(frame, format, fitting, {.backend = Backend::kScalar});
       }}};
  for (const auto& added : vq::test::added_implementations<Fit>()) all.push_back(added);
  if (all.size() == 1) {
    all.push_back({"simd", [](const Frame& frame, const VideoFormat& format, const Fitting& fitting) {
                     return fitted_by(frame, format, fitting, {});
                   }});
  }
  for (const Case& one : kCases) {
    const VideoFormat format = format_of(one);
    const Fitting fitting{.size = one.to, .least_bits = one.to_bits, .kernel = one.kernel};
    for (const auto& implementation : all) {
      EXPECT_EQ(digest_of(implementation(noise(format, one.to.width), format, fitting)), one.digest)
          << implementation.name << ", " << one.from.width << "x" << one.from.height << " to " << one.to.width
          << "x" << one.to.height << ", " << one.from_bits << " to " << one.to_bits << " bits";
    }
  }
}

// Planes without a sample to spare, so that sanitizers see who reads on; widths around those of vectors.
TEST(Scaling, EveryImplementationHasTheSameSamples) {
  const auto all = vq::test::all_implementations(scalar::kStages, simd::stages_for);
  unsigned seed = 0;
  for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 130}) {
    for (const int new_width : {1, 4, 15, 17, 33, 64, 65, 195}) {
      const int bits = 8 + static_cast<int>(seed % 9), new_bits = seed % 2 == 0 ? bits : std::max(bits, 10);
      const PlaneSize size = {width, 5 + static_cast<int>(seed % 7)},
                      new_size = {new_width, 3 + static_cast<int>(seed % 11)};
      vq::test::DecodedPlane from(size.width, size.height, bits);
      std::minstd_rand random(++seed);
      from.fill([&](int, int) { return random() >> 7 & ((1U << bits) - 1); });
      const VideoFormat format = {.name = "noise",
                                  .width = size.width,
                                  .height = size.height,
                                  .bit_depth = bits,
                                  .chroma = Chroma::k400};
      VideoFormat to = format;
      std::tie(to.width, to.height, to.bit_depth) = std::tuple(new_size.width, new_size.height, new_bits);
      const Scaling scaling(format, to, seed % 3 == 0 ? ScaleKernel::kLanczos : ScaleKernel::kBicubic);
      vq::test::expect_same_of_all(all, "case " + std::to_string(seed), [&](const auto& one) {
        ScalingRows rows(scaling.plane(0));
        Plane<uint8_t> bytes(new_size.width, new_size.height);
        Plane<uint16_t> words(new_size.width, new_size.height);
        ScaledPlane out;
        new_bits > 8 ? void(out.u16 = words.view()) : void(out.u8 = bytes.view());
        one.stages.scale_plane(from.view(), scaling.plane(0), rows, out);
        return new_bits > 8 ? samples_of(words.view()) : samples_of(bytes.view());
      });
    }
  }
}

// Nothing is darker or brighter than what it is made of, and one step is enough for any reduction.
TEST(Scaling, KeepsFlatPictures) {
  for (const int to : {1, 3, 20, 63, 64, 65, 400}) {
    for (const ScaleKernel kernel : {ScaleKernel::kBicubic, ScaleKernel::kLanczos}) {
      const VideoFormat format = {
          .name = "flat", .width = 64, .height = 64, .bit_depth = 10, .chroma = Chroma::k400};
      const Frame flat = vq::test::drawn_frame(format, [](int, int, int) { return 701; });
      const std::vector<Samples> made = fitted_by(flat, format, {.size = {to, to}, .kernel = kernel}, {});
      EXPECT_EQ(made.front(), Samples(static_cast<size_t>(to) * static_cast<size_t>(to), 701)) << to;
    }
  }
}

}  // namespace
}  // namespace vq::fitting::test
