#include "core/text/number_text.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace vq {
namespace {

constexpr int kUsualDecimals = 6;
constexpr int kSmallFractionDecimals = 16;
constexpr int kMaxSignificant = 17;  // more digits never tell two doubles apart
// 309 digits before the point, the point, the sign and the decimals.
constexpr size_t kLongestNumber = 400;

std::string not_finite_text(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

template <typename... Form>
std::string to_text(double value, Form... form) {
  if (!std::isfinite(value)) return not_finite_text(value);
  char buffer[kLongestNumber];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, form...);
  return std::string(buffer, result.ptr);
}

int compatible_decimals(double value) {
  double whole = 0;
  double fraction = std::modf(std::fabs(value), &whole);
  int steps = 0;
  for (; fraction < 1 && fraction != 0; ++steps) fraction *= 10;
  return steps <= kUsualDecimals ? kUsualDecimals : kSmallFractionDecimals;
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  return to_text(value, std::chars_format::fixed, decimals);
}

std::string number_text(double value, const NumberStyle& style) {
  if (!std::isfinite(value)) return not_finite_text(value);
  switch (style.kind) {
    case NumberStyle::Kind::kCompatible:
      return fixed_text(value, compatible_decimals(value));
    case NumberStyle::Kind::kSignificant:
      return to_text(value, std::chars_format::general, style.digits);
    case NumberStyle::Kind::kShortest:
      break;
  }
  return to_text(value);
}

std::string percent_text(double share) {
  return fixed_text(100 * share, 0) + " %";
}

std::string two_digits(int64_t value) {
  std::string text = std::to_string(value);
  if (value < 10) text.insert(text.begin(), '0');
  return text;
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double size = static_cast<double>(bytes);
  const char* unit = nullptr;
  for (const char* next : {" kB", " MB", " GB", " TB", " PB", " EB"}) {
    if (unit && size < 999.5) break;
    size /= 1000;
    unit = next;
  }
  return fixed_text(size, size < 9.95 ? 1 : 0) + unit;
}

std::string bit_rate_text(int64_t bits) {
  const double rate = static_cast<double>(bits);
  if (rate < 999.5) return std::to_string(bits) + " bit/s";
  if (rate < 999.5e3) return fixed_text(rate / 1e3, rate < 9.95e3 ? 1 : 0) + " kbit/s";
  return fixed_text(rate / 1e6, rate < 9.95e6 ? 2 : 1) + " Mbit/s";
}

NumberStyle parse_precision(const std::string& text) {
  if (text == "max") return {NumberStyle::Kind::kShortest, kMaxSignificant};
  long long digits = 0;
  if (!parse_int(text, digits) || digits < 1 || digits > kMaxSignificant) {
    throw Error(ErrorKind::kUsage, "precision: \"" + printable(text) +
                                       "\" is not a number of significant digits; allowed: 1..17 or max");
  }
  return {NumberStyle::Kind::kSignificant, static_cast<int>(digits)};
}

}  // namespace vq
