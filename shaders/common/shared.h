// The shared.h of a folder includes this in C++. It is in the common part of GLSL and C++, and has layouts
// and constants that shaders share with the program. Planes, if it says nothing else, are rows of samples
// packed into 32-bit words, the leftmost in the lowest bits. Every row starts at a multiple of 16 bytes and
// has bytes up to the next behind its last sample, which shaders may read, whatever they hold.
#pragma once

#include <cstdint>

namespace vq {
using uint = uint32_t;
}
