#include "tests/program/raw_input.h"

#include <cstdio>
#include <fstream>
#include <memory>

#include "core/error.h"
#include "core/synthetic_frame.h"

namespace vq::cambi {
namespace {

Frame read_frame(const VideoFormat& format, int planes, int index, std::istream& file) {
  const PlaneSize luma = {format.width, format.height};
  const int64_t sample_bytes = format.bit_depth == 8 ? 1 : 2;
  const auto bytes = std::make_shared<std::vector<char>>(
      static_cast<size_t>(sample_count(luma, format.chroma, planes) * sample_bytes));
  if (!file.read(bytes->data(), static_cast<std::streamsize>(bytes->size()))) return {};
  Frame frame;
  frame.bit_depth = format.bit_depth;
  frame.index = index;
  const char* next = bytes->data();
  for (int i = 0; i < planes; ++i) {
    const PlaneSize size = plane_size(luma, format.chroma, i);
    SampleView& plane = frame.planes[static_cast<size_t>(i)];
    if (sample_bytes == 1) {
      plane.u8 = {reinterpret_cast<const uint8_t*>(next), size.width, size.height, size.width};
    } else {
      plane.u16 = {reinterpret_cast<const uint16_t*>(next), size.width, size.height, size.width};
    }
    next += sample_bytes * size.width * size.height;
  }
  frame.owner = bytes;
  return frame;
}

// None where the text says nothing of it: then there is luma alone.
std::optional<Chroma> read_chroma(const std::string& text) {
  const size_t slash = text.find('/', text.rfind('@'));
  if (slash == std::string::npos) return std::nullopt;
  return parse_chroma(text.substr(slash + 1));
}

}  // namespace

Chroma parse_chroma(const std::string& text) {
  if (text == "420") return Chroma::k420;
  if (text == "422") return Chroma::k422;
  if (text == "444") return Chroma::k444;
  throw Error(ErrorKind::kUsage, "chroma is 420, 422 or 444, not " + text);
}

InputName parse_input(const std::string& text) {
  InputName name;
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::sscanf(text.c_str() + colon, ":%dx%d@%d", &name.format.width,
                                                &name.format.height, &name.format.bit_depth) != 3) {
    throw Error(ErrorKind::kUsage, "an input is FILE:WxH@DEPTH, not " + text);
  }
  name.format.name = text;
  name.path = text.substr(0, colon);
  name.format.chroma = read_chroma(text).value_or(name.format.chroma);
  return name;
}

Input open_input(const std::string& text, size_t max_frames) {
  const auto [path, format] = parse_input(text);
  const int planes = read_chroma(text) ? kMaxPlanes : 1;
  Input input = {.name = text, .format = format, .frames = {}};
  if (const std::optional<Synthetic> kind = synthetic_kind(path)) {
    for (size_t i = 0; i < max_frames; ++i)
      input.frames.push_back(synthetic_frame(*kind, input.format, static_cast<int64_t>(i), planes));
    return input;
  }
  std::ifstream file(path, std::ios::binary);
  while (input.frames.size() < max_frames) {
    Frame frame = read_frame(format, planes, static_cast<int>(input.frames.size()), file);
    if (!frame.owner) break;
    input.frames.push_back(std::move(frame));
  }
  if (input.frames.empty()) throw Error(ErrorKind::kInput, path + " holds no frame of that size");
  return input;
}

int exit_code_of(const char* program, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: error: %s\n", program, error.what());
    return 2;
  }
}

}  // namespace vq::cambi
