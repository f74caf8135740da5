// x without what is within the limit, x away from 0 by the limit or its double, and x with a smaller slope
// beyond the limit.
float without(float x, float limit) {
  precise const float above = x - limit, below = x + limit, lowest = -limit;
  return x > limit ? above : x < lowest ? below : 0.0;
}
float amplified(float x, float limit) {
  precise const float above = x + limit, below = x - limit, twice = x + x, lowest = -limit;
  return x > limit ? above : x < lowest ? below : twice;
}
float clamped(float x, float limit) {
  precise const float above = (x - limit) * kClampSlope + limit, below = (x + limit) * kClampSlope - limit;
  precise const float lowest = -limit;
  return x >= limit ? above : x < lowest ? below : x;
}
