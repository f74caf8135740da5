// A sample as a float, from the word that it is in.

float sample_in(uint word, uint at, uint bytes, float unit) {
  if (bytes == 4) return uintBitsToFloat(word);
  const uint level = bytes == 1 ? word >> 8 * (at & 3) & 0xFF : word >> 8 * (at & 2) & 0xFFFF;
  precise const float number = float(level) * unit;
  return number;
}
