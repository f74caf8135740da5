// Logarithm, exponential, sine, cosine and angles of doubles; see core/elementary.h. Quotients and roots,
// which Vulkan need not round correctly, are corrected by what they leave.

#include "../common/wide.glsl"

const double kLog2[8] = {
    2.8853900817779268lf, 0.9617966939259898lf, 0.5770780163455203lf, 0.4121985858409005lf,
    0.32059853491395984lf, 0.262334352504183lf, 0.2209130842311768lf, 0.2136589569431927lf};
const double kExp2[12] = {
    1.0lf, 0.6931471805599453lf, 0.24022650695910158lf, 0.055504108664821625lf, 0.009618129107587256lf,
    0.001333355814640647lf, 0.00015403530463724353lf, 1.5252733841556773e-05lf, 1.3215432535912375e-06lf,
    1.0178057087733941e-07lf, 7.074194297288521e-09lf, 4.4558179083360645e-10lf};
const double kArcTangent[11] = {
    1.0lf, -0.3333333333332844lf, 0.1999999999885511lf, -0.14285714180976467lf, 0.11111106180455946lf,
    -0.09090773074808414lf, 0.07689953496306857lf, -0.06640233930429408lf, 0.056883492268090106lf,
    -0.04348052215716462lf, 0.021135373157693246lf};
const double kSine[9] = {
    1.0lf, -0.16666666666666666lf, 0.008333333333333186lf, -0.00019841269841208676lf,
    2.7557319211229606e-06lf, -2.505210689056952e-08lf, 1.605894087848656e-10lf, -7.643026557971632e-13lf,
    2.7215749422983443e-15lf};
const double kCosine[10] = {
    1.0lf, -0.5lf, 0.04166666666666666lf, -0.001388888888888853lf, 2.480158730149264e-05lf,
    -2.755731920965447e-07lf, 2.0876755666578904e-09lf, -1.1470670165323271e-11lf, 4.7768722491448073e-14lf,
    -1.5119827834217995e-16lf};

const double kPi = 3.141592653589793lf, kEighthTurnHalfTangent = 0.41421356237309503lf;
const double kPiUpper = 3.1415926534682512lf, kPiLower = 1.2154201013012384e-10lf;
const double kInversePi = 0.3183098861837907lf, kLog2OfE = 1.4426950408889634lf;
const double kLeastDivisor = 1e-300lf, kRounder = 6755399441055744.0lf;
const uint kExponentRoom = 1024, kHighBits = 20;  // of the mantissa in the upper word
const Wide kRootOfHalf = Wide(0x667F3BCD, 0x3FE6A09E);

// The error of rounding a * b to `product`.
double lost_in_product(double product, double a, double b) {
  const uvec2 bits_a = unpackDouble2x32(a), bits_b = unpackDouble2x32(b);
  const double upper_a = packDouble2x32(uvec2(bits_a.x & 0xF8000000u, bits_a.y));
  const double upper_b = packDouble2x32(uvec2(bits_b.x & 0xF8000000u, bits_b.y));
  precise const double lower_a = a - upper_a, lower_b = b - upper_b;
  precise const double lost =
      ((upper_a * upper_b - product) + upper_a * lower_b + lower_a * upper_b) + lower_a * lower_b;
  return lost;
}
double quotient(double a, double b) {
  const double estimate = a / b;
  precise const double product = estimate * b;
  precise const double rest = (a - product) - lost_in_product(product, estimate, b);
  precise const double exact = estimate + rest / b;
  return exact;
}
double root(double a) {
  const double estimate = sqrt(a);
  if (!(estimate > 0)) return estimate;
  precise const double square = estimate * estimate;
  precise const double rest = (a - square) - lost_in_product(square, estimate, estimate);
  precise const double exact = estimate + rest / (2 * estimate);
  return exact;
}

double log2_polynomial(double x) {
  precise const double square = x * x;
  precise double even = kLog2[6], odd = kLog2[7];
  [[unroll]] for (int i = 6; i >= 2; i -= 2) even = even * square + kLog2[i - 2];
  [[unroll]] for (int i = 7; i >= 3; i -= 2) odd = odd * square + kLog2[i - 2];
  precise const double sum = even + odd * x;
  return sum;
}
double exp2_polynomial(double x) {
  precise const double square = x * x;
  precise double even = kExp2[10], odd = kExp2[11];
  [[unroll]] for (int i = 10; i >= 2; i -= 2) even = even * square + kExp2[i - 2];
  [[unroll]] for (int i = 11; i >= 3; i -= 2) odd = odd * square + kExp2[i - 2];
  precise const double sum = even + odd * x;
  return sum;
}
double arc_tangent_polynomial(double x) {
  precise const double square = x * x;
  precise double even = kArcTangent[10], odd = kArcTangent[9];
  [[unroll]] for (int i = 10; i >= 2; i -= 2) even = even * square + kArcTangent[i - 2];
  [[unroll]] for (int i = 9; i >= 3; i -= 2) odd = odd * square + kArcTangent[i - 2];
  precise const double sum = even + odd * x;
  return sum;
}
double sine_polynomial(double x) {
  precise const double square = x * x;
  precise double even = kSine[8], odd = kSine[7];
  [[unroll]] for (int i = 8; i >= 2; i -= 2) even = even * square + kSine[i - 2];
  [[unroll]] for (int i = 7; i >= 3; i -= 2) odd = odd * square + kSine[i - 2];
  precise const double sum = even + odd * x;
  return sum;
}
double cosine_polynomial(double x) {
  precise const double square = x * x;
  precise double even = kCosine[8], odd = kCosine[9];
  [[unroll]] for (int i = 8; i >= 2; i -= 2) even = even * square + kCosine[i - 2];
  [[unroll]] for (int i = 9; i >= 3; i -= 2) odd = odd * square + kCosine[i - 2];
  precise const double sum = even + odd * x;
  return sum;
}

double log_2(double x) {
  const uvec2 bits = unpackDouble2x32(x);
  const Wide above = wide_difference(Wide(bits.x, bits.y), kRootOfHalf);
  const uint exponent = above.high + (kExponentRoom << kHighBits) >> kHighBits;
  const double mantissa =
      packDouble2x32(uvec2(bits.x, bits.y - (exponent << kHighBits) + (kExponentRoom << kHighBits)));
  precise const double below = mantissa - 1, beyond = mantissa + 1;
  const double z = quotient(below, beyond);
  precise const double square = z * z;
  precise const double sum = double(int(exponent) - int(kExponentRoom)) + z * log2_polynomial(square);
  return sum;
}
double exp_2(double x) {
  precise const double rounded = x + kRounder;
  precise const double whole = rounded - kRounder;
  precise const double rest = x - whole;
  uvec2 bits = unpackDouble2x32(exp2_polynomial(rest));
  bits.y += unpackDouble2x32(rounded).x << kHighBits;
  return packDouble2x32(bits);
}
double power(double base, double exponent) {
  precise const double scaled = exponent * log_2(base);
  return exp_2(scaled);
}
double exponential(double x) {
  precise const double scaled = x * kLog2OfE;
  return exp_2(scaled);
}

double sine(double x) {
  precise const double square = x * x;
  precise const double product = x * sine_polynomial(square);
  return product;
}
struct SineCosine {
  double sine, cosine;
};
double with_sign(double v, uint sign) {
  const uvec2 bits = unpackDouble2x32(v);
  return packDouble2x32(uvec2(bits.x, bits.y ^ sign));
}
SineCosine sine_cosine(double x) {
  precise const double rounded = x * kInversePi + kRounder;
  precise const double half_turns = rounded - kRounder;
  precise const double rest = x - half_turns * kPiUpper - half_turns * kPiLower;
  precise const double square = rest * rest;
  const uint sign = unpackDouble2x32(rounded).x << 31;
  return SineCosine(with_sign(sine(rest), sign), with_sign(cosine_polynomial(square), sign));
}

double angle(double y, double x) {
  const double larger = max(abs(x), abs(y)), smaller = min(abs(x), abs(y));
  precise const double limit = kEighthTurnHalfTangent * larger, difference = smaller - larger,
                       sum = smaller + larger;
  const bool is_steep = smaller > limit;
  const double ratio = quotient(is_steep ? difference : smaller, max(is_steep ? sum : larger, kLeastDivisor));
  precise const double square = ratio * ratio;
  precise double result = ratio * arc_tangent_polynomial(square);
  if (is_steep) result = result + kPi / 4;
  if (abs(y) > abs(x)) result = kPi / 2 - result;
  if (x < 0) result = kPi - result;
  const uint sign = unpackDouble2x32(y).y & 0x80000000u;
  const uvec2 bits = unpackDouble2x32(result);
  return packDouble2x32(uvec2(bits.x, bits.y & 0x7FFFFFFFu | sign));
}
