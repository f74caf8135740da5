#include "tests/bench/gpu_bench_input.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>

#include "core/error.h"

namespace vq::cambi {
namespace {

// Levels of 10-bit video, drifting from frame to frame: one level; wide bands of 8-bit steps; every third
// band under noise; bands of single 10-bit steps as narrow as the mask lets pass, in both directions; noise.
int made_up(const std::string& kind, int x, int y, int frame, std::minstd_rand& random) {
  if (kind == "flat") return 300 + frame;
  if (kind == "noise") return static_cast<int>(random() >> 8) & 0x3FF;
  if (kind == "ramps") return 64 + (x / 12 + y / 14 + frame) % 400;
  const int band = (x + 2 * y + 8 * frame) / 97;
  if (kind == "textured" && band % 3 == 0)
    return 160 + 4 * (band % 90) + static_cast<int>(random() >> 8) % 24;
  return 160 + 4 * (band % 90);
}

const char* const kKinds[] = {"flat", "banded", "textured", "ramps", "noise"};

Frame make_frame(const Input& input, int index, std::istream* file) {
  const size_t sample_bytes = input.format.bit_depth == 8 ? 1 : 2;
  const size_t count = static_cast<size_t>(input.format.width) * static_cast<size_t>(input.format.height);
  const auto bytes = std::make_shared<std::vector<char>>(count * sample_bytes);
  if (file != nullptr) {
    if (!file->read(bytes->data(), static_cast<std::streamsize>(bytes->size()))) return {};
  } else {
    std::minstd_rand random(static_cast<unsigned>(index) + 1);
    const std::string kind = input.name.substr(0, input.name.find(':'));
    for (int y = 0; y < input.format.height; ++y) {
      for (int x = 0; x < input.format.width; ++x) {
        const int ten_bits = made_up(kind, x, y, index, random);
        const int depth = input.format.bit_depth;
        const int level = depth < 10 ? ten_bits >> (10 - depth) : ten_bits << (depth - 10);
        const size_t at =
            static_cast<size_t>(y) * static_cast<size_t>(input.format.width) + static_cast<size_t>(x);
        std::memcpy(bytes->data() + at * sample_bytes, &level, sample_bytes);
      }
    }
  }
  Frame frame;
  frame.bit_depth = input.format.bit_depth;
  frame.index = index;
  if (sample_bytes == 1) {
    frame.luma().u8 = {reinterpret_cast<const uint8_t*>(bytes->data()), input.format.width, input.format.height,
                     input.format.width};
  } else {
    frame.luma().u16 = {reinterpret_cast<const uint16_t*>(bytes->data()), input.format.width,
                      input.format.height, input.format.width};
  }
  frame.owner = bytes;
  return frame;
}

}  // namespace

Input open_input(const std::string& text, size_t max_frames) {
  Input input;
  input.name = text;
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::sscanf(text.c_str() + colon, ":%dx%d@%d", &input.format.width,
                                                &input.format.height, &input.format.bit_depth) != 3) {
    throw Error(ErrorKind::kUsage, "an input is FILE:WxH@DEPTH, not " + text);
  }
  input.format.name = text;
  const std::string path = text.substr(0, colon);
  if (std::find(std::begin(kKinds), std::end(kKinds), path) != std::end(kKinds)) {
    for (size_t i = 0; i < max_frames; ++i)
      input.frames.push_back(make_frame(input, static_cast<int>(i), nullptr));
    return input;
  }
  std::ifstream file(path, std::ios::binary);
  while (input.frames.size() < max_frames) {
    Frame frame = make_frame(input, static_cast<int>(input.frames.size()), &file);
    if (!frame.owner) break;
    input.frames.push_back(std::move(frame));
  }
  if (input.frames.empty()) throw Error(ErrorKind::kInput, path + " holds no frame of that size");
  return input;
}

}  // namespace vq::cambi
