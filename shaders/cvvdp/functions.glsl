// log2 and exp2 of floats, as log2_of() and exp2_of() of feature/cvvdp/cvvdp.h.
#ifndef CVVDP_FUNCTIONS_GLSL
#define CVVDP_FUNCTIONS_GLSL

float log2_of(float x) {
  const int bits = floatBitsToInt(x), exponent = (bits - 0x3f3504f3) >> 23;
  precise const float t = intBitsToFloat(bits - (exponent << 23)) - 1.0;
  precise float p = 0.12614846229553223;
  p = p * t + -0.20742103457450867;
  p = p * t + 0.21566985547542572;
  p = p * t + -0.23892034590244293;
  p = p * t + 0.2879183292388916;
  p = p * t + -0.36070483922958374;
  p = p * t + 0.48091059923171997;
  p = p * t + -0.7213473320007324;
  p = p * t + 1.4426950216293335;
  p = p * t + float(exponent);
  return p;
}

float exp2_of(float x) {
  precise const float shifted = x + 12582912.0;
  precise const float n = shifted - 12582912.0;
  precise const float f = x - n;
  precise float p = 0.00015469732170458883;
  p = p * f + 0.0013400432653725147;
  p = p * f + 0.00961802527308464;
  p = p * f + 0.05550327152013779;
  p = p * f + 0.24022650718688965;
  p = p * f + 0.6931471824645996;
  p = p * f + 1.0;
  return intBitsToFloat(floatBitsToInt(p) + (int(n) << 23));
}

#endif
