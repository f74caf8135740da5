#include "tests/bench/gpu_bench_input.h"

#include <cstdio>
#include <fstream>
#include <memory>

#include "core/error.h"
#include "core/made_up_frame.h"

namespace vq::cambi {
namespace {

Frame read_frame(const Input& input, int index, std::istream& file) {
  const size_t sample_bytes = input.format.bit_depth == 8 ? 1 : 2;
  const size_t count = static_cast<size_t>(input.format.width) * static_cast<size_t>(input.format.height);
  const auto bytes = std::make_shared<std::vector<char>>(count * sample_bytes);
  if (!file.read(bytes->data(), static_cast<std::streamsize>(bytes->size()))) return {};
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

InputName parse_input(const std::string& text) {
  InputName name;
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::sscanf(text.c_str() + colon, ":%dx%d@%d", &name.format.width, &name.format.height,
                                                &name.format.bit_depth) != 3) {
    throw Error(ErrorKind::kUsage, "an input is FILE:WxH@DEPTH, not " + text);
  }
  name.format.name = text;
  name.path = text.substr(0, colon);
  return name;
}

Input open_input(const std::string& text, size_t max_frames) {
  const auto [path, format] = parse_input(text);
  Input input = {.name = text, .format = format, .frames = {}};
  if (const std::optional<MadeUp> kind = made_up_kind(path)) {
    for (size_t i = 0; i < max_frames; ++i)
      input.frames.push_back(made_up_frame(*kind, input.format, static_cast<int64_t>(i)));
    return input;
  }
  std::ifstream file(path, std::ios::binary);
  while (input.frames.size() < max_frames) {
    Frame frame = read_frame(input, static_cast<int>(input.frames.size()), file);
    if (!frame.owner) break;
    input.frames.push_back(std::move(frame));
  }
  if (input.frames.empty()) throw Error(ErrorKind::kInput, path + " holds no frame of that size");
  return input;
}

}  // namespace vq::cambi
