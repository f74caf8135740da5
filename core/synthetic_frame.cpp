#include "core/synthetic_frame.h"

#include <random>

namespace vq {
namespace {

constexpr int kLevels = 1024;  // of 10-bit video, in which all is drawn

int level_of(Synthetic kind, int x, int y, int frame, std::minstd_rand& random) {
  if (kind == Synthetic::kFlat) return 300 + frame % 512;
  if (kind == Synthetic::kNoise) return static_cast<int>(random() >> 8) & (kLevels - 1);
  if (kind == Synthetic::kRamps) return 64 + (x / 12 + y / 14 + frame) % 400;
  const int band = (x + 2 * y + 8 * frame) / 97;
  if (kind == Synthetic::kTextured && band % 3 == 0)
    return 160 + 4 * (band % 90) + static_cast<int>(random() >> 8) % 24;
  return 160 + 4 * (band % 90);
}

// Detail of one size: random values 2^cell_bits samples apart, and lines between them.
struct Octave {
  int cell_bits = 0, amplitude = 0;
};
constexpr Octave kCoarse = {8, 160};
constexpr Octave kFine[] = {{6, 80}, {4, 48}, {2, 32}};

// 0..255, by position and size.
int lattice_value(int x, int y, int cell_bits) {
  uint32_t mixed = static_cast<uint32_t>(x) * 0x9E3779B1U + static_cast<uint32_t>(y) * 0x85EBCA77U +
                   static_cast<uint32_t>(cell_bits) * 0xC2B2AE3DU;
  mixed = (mixed ^ (mixed >> 15)) * 0x2C1B3C6DU;
  mixed = (mixed ^ (mixed >> 12)) * 0x297A2D39U;
  return static_cast<int>(mixed >> 24);
}

// Adds detail to a row that begins at (x, y) of an endless picture.
void add_detail(const Octave& octave, int x, int y, std::span<int> row) {
  const int bits = octave.cell_bits, cell = 1 << bits, below = y & (cell - 1);
  const auto between = [&](int column) {
    return lattice_value(column, y >> bits, bits) * (cell - below) +
           lattice_value(column, (y >> bits) + 1, bits) * below;
  };
  int column = x >> bits, left = between(column), right = between(column + 1);
  for (size_t i = 0; i < row.size();) {
    int behind = static_cast<int>(static_cast<size_t>(x) + i) & (cell - 1);
    for (; behind < cell && i < row.size(); ++behind, ++i) {
      const int value = (left * (cell - behind) + right * behind) >> (2 * bits);
      row[i] += (value - 128) * octave.amplitude / 128;
    }
    left = right;
    right = between(++column + 1);
  }
}

// Grain is random from frame to frame; all else moves.
void draw_film(bool is_soft, PlaneSize size, int y, int frame, std::minstd_rand& random, std::span<int> row) {
  const int moved_x = 3 * frame, moved_y = y + frame;
  std::fill(row.begin(), row.end(), kLevels / 2);
  add_detail(kCoarse, moved_x, moved_y, row);
  if (y < size.height / 3) {
    // Steps of 8-bit video, or two of them.
    const int step = is_soft ? 8 : 4;
    for (int& level : row) level -= level % step;
    return;
  }
  for (Octave octave : kFine) {
    if (is_soft) octave.amplitude -= octave.amplitude >> (octave.cell_bits - 1);
    add_detail(octave, moved_x, moved_y, row);
  }
  for (int& level : row) {
    const int grain = static_cast<int>(random() >> 8) % 16 - 8;
    level += is_soft ? grain / 4 : grain;
  }
}

// A row of a plane, as levels.
void draw(Synthetic kind, PlaneSize size, int y, int frame, std::minstd_rand& random, std::span<int> row) {
  if (kind == Synthetic::kFilm || kind == Synthetic::kSoftFilm) {
    return draw_film(kind == Synthetic::kSoftFilm, size, y, frame, random, row);
  }
  int x = 0;
  for (int& level : row) level = level_of(kind, x++, y, frame, random);
}

// The plane's view of samples that `owner` keeps.
template <typename T>
PlaneView<const T> make_plane(Synthetic kind, PlaneSize size, int depth, int frame,
                              std::shared_ptr<const void>& owner) {
  const auto samples = std::make_shared<std::vector<T>>();
  samples->reserve(static_cast<size_t>(size.width) * static_cast<size_t>(size.height));
  std::minstd_rand random(static_cast<unsigned>(frame) + 1);
  std::vector<int> row(static_cast<size_t>(size.width));
  for (int y = 0; y < size.height; ++y) {
    draw(kind, size, y, frame, random, row);
    for (const int level : row) {
      samples->push_back(static_cast<T>(depth < 10 ? level >> (10 - depth) : level << (depth - 10)));
    }
  }
  owner = samples;
  return {samples->data(), size.width, size.height, size.width};
}

}  // namespace

Frame synthetic_frame(Synthetic kind, const VideoFormat& format, int64_t number, int planes) {
  Frame frame;
  frame.bit_depth = format.bit_depth;
  frame.index = number;
  const auto owners = std::make_shared<std::array<std::shared_ptr<const void>, kMaxPlanes>>();
  for (int i = 0; i < std::min(planes, plane_count(format.chroma)); ++i) {
    const auto plane = static_cast<size_t>(i);
    const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
    std::shared_ptr<const void>& owner = (*owners)[plane];
    const int drift = static_cast<int>(number % 1024) + i;
    if (format.bit_depth == 8) {
      frame.planes[plane].u8 = make_plane<uint8_t>(kind, size, 8, drift, owner);
    } else {
      frame.planes[plane].u16 = make_plane<uint16_t>(kind, size, format.bit_depth, drift, owner);
    }
  }
  frame.owner = owners;
  return frame;
}

FramePair synthetic_pair(Synthetic kind, const VideoFormat& format, int64_t number, const FrameNeeds& use) {
  FramePair pair;
  pair.index = number;
  if (!use.reference) {
    pair.distorted = synthetic_frame(kind, format, number, use.planes);
    return pair;
  }
  const bool is_film = kind == Synthetic::kFilm;
  pair.distorted = synthetic_frame(is_film ? Synthetic::kSoftFilm : kind, format, number, use.planes);
  pair.reference = synthetic_frame(kind, format, is_film ? number : number + 1, use.planes);
  pair.reference->index = number;
  return pair;
}

}  // namespace vq
