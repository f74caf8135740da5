// The wavelet's two filters; see feature/adm/adm.h.
const ivec4 kLowTaps = ivec4(15826, 27411, 7345, -4240);
const ivec4 kHighTaps = ivec4(-4240, -7345, 27411, -15826);

// Which row or column of the input the i-th is. Those that no output needs may be any.
int mirrored(int i, int size) {
  return clamp(i < size ? abs(i) : 2 * size - 1 - i, 0, size - 1);
}
