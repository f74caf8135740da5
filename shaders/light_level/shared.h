// Shared by the shader of light levels and the program that runs it, in the common part of GLSL and C++.
//
// Light is three planes of floats, R, G and B, each in a buffer of its own.
#ifndef LIGHT_LEVEL_SHARED_H
#define LIGHT_LEVEL_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::light_level {
using uint = uint32_t;
#endif

struct LevelsPush {
  uint width, height;
  uint stride;   // floats
  float factor;  // amounts of the light 1
};

#ifdef __cplusplus
}  // namespace vq::light_level
#endif
#endif
