// Pictures for programs that measure and compare devices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/frame.h"

namespace vq::cambi {

// The frames of an input, all in memory.
struct Input {
  std::string name;
  VideoFormat format;
  std::vector<Frame> frames;
};

// FILE:WxH@DEPTH or FILE:WxH@DEPTH/CHROMA in its parts; what is made up has the kind's name for a file.
struct InputName {
  std::string path;
  VideoFormat format;
};
InputName parse_input(const std::string& text);  // throws Error{kUsage}
Chroma parse_chroma(const std::string& text);    // "420", "422" or "444"; throws Error{kUsage}

// Reads FILE:WxH@DEPTH, raw luma (8-bit samples in bytes, deeper ones in 16-bit words, frame after frame),
// with chroma behind each frame's luma where /420, /422 or /444 says so, or makes up flat:WxH@DEPTH, banded:,
// textured:, ramps:, noise:, film: or soft_film:; at most so many frames. Throws Error: kUsage, kInput.
Input open_input(const std::string& text, size_t max_frames = 8);

// The exit code of a program that ends with what it returns or throws.
int exit_code_of(const char* program, const std::function<int()>& run);

}  // namespace vq::cambi
