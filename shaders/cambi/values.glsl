// Where c-values lie: those of the finest scale in two buffers, the upper half and the lower one, and those
// of all others in a third, so that none is much larger than an image. Rows are as wide as their words; what
// lies behind the picture is 0. Declares nothing itself; needs ScaleGeometry.

const uint kUpper = 0, kLower = 1, kRest = 2;
struct ValuePlace {
  uint buffer_number;
  uint quad;  // index of the row's first four values
};

// For the finest scale first_value is the first row of the lower half; for others it counts the four values
// at which the scale begins.
ValuePlace value_place(uint scale_number, ScaleGeometry scale, uint row) {
  const uint row_quads = scale.words * (kWordSamples / 4);
  if (scale_number > 0) return ValuePlace(kRest, scale.first_value + row * row_quads);
  if (row < scale.first_value) return ValuePlace(kUpper, row * row_quads);
  return ValuePlace(kLower, (row - scale.first_value) * row_quads);
}
