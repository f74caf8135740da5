#include "feature/butteraugli/stages.h"

namespace vq::butteraugli {

Stages scalar::stages() {
  return {.filter_row = filter_row,
          .filter_columns = filter_columns,
          .opsin = opsin,
          .split_low = split_low,
          .split_middle = split_middle,
          .split_high = split_high,
          .activity = activity,
          .line_differences = line_differences,
          .add_lines = add_lines,
          .erode = erode,
          .map_row = map_row,
          .add_half = add_half,
          .halve = halve};
}

Stages simd::stages_for(int64_t target) {
  Stages stages = scalar::stages();
  set_filters(target, stages);
  set_bands(target, stages);
  set_lines(target, stages);
  set_maps(target, stages);
  return stages;
}

}  // namespace vq::butteraugli
