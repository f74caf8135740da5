// Sums of squared sums along 16 lines through a sample; see feature/butteraugli/maps.cpp. `differences` holds
// those of a tile and kLineReach around it, rows of kLineStride, X's and Y's.

vec2 pair(uint at, int down, int right) {
  const int step = down * int(kLineStride) + right;
  precise const vec2 sum = differences[int(at) + step] + differences[int(at) - step];
  return sum;
}

vec2 square(vec2 x) {
  precise const vec2 result = x * x;
  return result;
}

vec2 long_lines(uint at) {
  const vec2 c = differences[at];
  precise const vec2 across = c + pair(at, 0, 1), down = c + pair(at, 1, 0), falling = c + pair(at, 1, 1),
                     rising = c + pair(at, 1, -1);
  const vec2 steep_fall = pair(at, 2, 1), steep_rise = pair(at, 2, -1), slow_fall = pair(at, 1, 2),
             slow_rise = pair(at, 1, -2);
  precise const vec2 line0 = ((down + steep_rise) + pair(at, 3, -1)) + pair(at, 4, -1);
  precise const vec2 line1 = ((down + steep_fall) + pair(at, 3, 1)) + pair(at, 4, 1);
  precise const vec2 line2 = ((across + slow_fall) + pair(at, 1, 3)) + pair(at, 1, 4);
  precise const vec2 line3 = ((across + slow_rise) + pair(at, 1, -3)) + pair(at, 1, -4);
  precise const vec2 line4 = ((across + pair(at, 0, 2)) + pair(at, 0, 3)) + pair(at, 0, 4);
  precise const vec2 line5 = ((down + pair(at, 2, 0)) + pair(at, 3, 0)) + pair(at, 4, 0);
  precise const vec2 line6 = (falling + pair(at, 2, 2)) + pair(at, 3, 3);
  precise const vec2 line7 = (rising + pair(at, 2, -2)) + pair(at, 3, -3);
  precise const vec2 line8 = (falling + steep_fall) + pair(at, 3, 2);
  precise const vec2 line9 = (rising + steep_rise) + pair(at, 3, -2);
  precise const vec2 line10 = (falling + slow_fall) + pair(at, 2, 3);
  precise const vec2 line11 = (rising + slow_rise) + pair(at, 2, -3);
  precise vec2 sum = ((square(line0) + square(line1)) + square(line2)) + square(line3);
  sum = sum + sum;
  sum = (((sum + square(line4)) + square(line5)) + square(line6)) + square(line7);
  sum = (((sum + square(line8)) + square(line9)) + square(line10)) + square(line11);
  return sum;
}

vec2 short_lines(uint at) {
  const vec2 c = differences[at];
  precise const vec2 steep_fall = c + pair(at, 2, 1), steep_rise = c + pair(at, 2, -1),
                     slow_fall = c + pair(at, 1, 2), slow_rise = c + pair(at, 1, -2);
  precise const vec2 line0 = (c + pair(at, 0, 2)) + pair(at, 0, 4);
  precise const vec2 line1 = (c + pair(at, 2, 0)) + pair(at, 4, 0);
  precise const vec2 line2 = (c + pair(at, 2, 2)) + pair(at, 3, 3);
  precise const vec2 line3 = (c + pair(at, 2, -2)) + pair(at, 3, -3);
  precise const vec2 line4 = steep_rise + pair(at, 4, -1), line5 = steep_fall + pair(at, 4, 1);
  precise const vec2 line6 = slow_fall + pair(at, 1, 4), line7 = slow_rise + pair(at, 1, -4);
  precise const vec2 line8 = steep_fall + pair(at, 3, 2), line9 = steep_rise + pair(at, 3, -2);
  precise const vec2 line10 = slow_fall + pair(at, 2, 3), line11 = slow_rise + pair(at, 2, -3);
  precise const vec2 line12 = slow_rise + pair(at, 2, -4), line13 = slow_fall + pair(at, 2, 4);
  precise const vec2 line14 = steep_fall + pair(at, 4, 2), line15 = steep_rise + pair(at, 4, -2);
  precise vec2 sum = ((square(line0) + square(line1)) + square(line2)) + square(line3);
  sum = (((sum + square(line4)) + square(line5)) + square(line6)) + square(line7);
  sum = (((sum + square(line8)) + square(line9)) + square(line10)) + square(line11);
  sum = (((sum + square(line12)) + square(line13)) + square(line14)) + square(line15);
  return sum;
}
