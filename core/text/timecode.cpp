#include "core/text/timecode.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/text/number_text.h"

namespace vq {

std::string timecode(double seconds) {
  // A time such as 14.21 is a little less than that as a double; it still belongs to that hundredth.
  constexpr double kSlack = 1e-6;
  const auto hundredths = static_cast<int64_t>(std::floor(std::min(std::fabs(seconds), 1e12) * 100 + kSlack));
  std::string text = seconds < 0 && hundredths > 0 ? "-" : "";
  text.append(std::to_string(hundredths / 360000)).append(":").append(two_digits(hundredths / 6000 % 60));
  text.append(":").append(two_digits(hundredths / 100 % 60)).append(".").append(two_digits(hundredths % 100));
  return text;
}

}  // namespace vq
