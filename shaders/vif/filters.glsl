// The filters of feature/vif/vif.h, and how pictures go on beyond their edges for them. Included by shaders
// that declare kHasShortSide, whether a side of the picture has kShortSide samples or fewer.

// Radius of the filter of a scale.
uint radius_of(uint scale) {
  return scale == 0 ? 8 : scale == 1 ? 4 : scale == 2 ? 2 : 1;
}

// The tap at a distance from the centre, up to the radius.
uint tap_of(uint scale, uint distance) {
  if (scale == 0) {
    return distance == 0   ? 7784
           : distance == 1 ? 7455
           : distance == 2 ? 6547
           : distance == 3 ? 5274
           : distance == 4 ? 3896
           : distance == 5 ? 2640
           : distance == 6 ? 1640
           : distance == 7 ? 935
                           : 489;
  }
  if (scale == 1)
    return distance == 0 ? 14692 : distance == 1 ? 12590 : distance == 2 ? 7925 : distance == 3 ? 3663 : 1244;
  if (scale == 2) return distance == 0 ? 26386 : distance == 1 ? 16004 : 3571;
  return distance == 0 ? 43728 : 10904;
}

// reflected() of feature/words/filter.h for what filters need. Any other place is one within the axis. An
// axis longer than the largest radius is reflected once at most.
uint reflected(int index, uint size) {
  if (kHasShortSide && size <= kShortSide) {
    const uint period = max(2 * (size - 1), 1), place = uint(abs(index)) % period;
    return min(place, period - place);
  }
  const uint place = uint(abs(index));
  return place < size ? place : uint(clamp(2 * int(size - 1) - int(place), 0, int(size - 1)));
}
