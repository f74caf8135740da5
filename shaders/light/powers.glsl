// Powers of floats, as in feature/light/light.h.
#ifndef LIGHT_POWERS_GLSL
#define LIGHT_POWERS_GLSL

float fifth_root_of_inverse(float x, int steps) {
  precise float r = uintBitsToFloat(0x4C2C0000u - ((floatBitsToUint(x) >> 15) * 52429u >> 3));
  precise const float fifth = x * 0.2;
  [[unroll]] for (int i = 0; i < steps; ++i) {
    precise const float r2 = r * r;
    r = r * (1.2 - fifth * ((r2 * r2) * r));
  }
  return r;
}

float power_2_4(float x) {
  precise const float r = fifth_root_of_inverse(x, 2);
  precise const float r2 = r * r;
  precise const float r4 = r2 * r2;
  precise const float square = x * x;
  precise const float s = (x * r) * r2;
  precise const float s2 = s * s;
  precise const float correction = (0.2 * (r4 * r4)) * (square - (s2 * s2) * s);
  precise const float power = square * s + square * correction;
  return power;
}

#endif
