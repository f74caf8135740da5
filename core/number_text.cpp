#include "core/number_text.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/frame.h"
#include "core/text.h"

namespace vq {

constexpr int kUsualDecimals = 6;
constexpr int kSmallFractionDecimals = 16;
constexpr int kMaxSignificant = 17;  // more digits never tell two doubles apart
// 309 digits before the point, the point, the sign and the decimals.
constexpr size_t kLongestNumber = 400;

static std::string not_finite_text(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

template <typename... Form>
static std::string to_text(double value, Form... form) {
  if (!std::isfinite(value)) return not_finite_text(value);
  char buffer[kLongestNumber];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, form...);
  return std::string(buffer, result.ptr);
}

static int compatible_decimals(double value) {
  double whole = 0;
  double fraction = std::modf(std::fabs(value), &whole);
  int steps = 0;
  for (; fraction < 1 && fraction != 0; ++steps) fraction *= 10;
  return steps <= kUsualDecimals ? kUsualDecimals : kSmallFractionDecimals;
}

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

std::string percent_text(double share) { return fixed_text(100 * share, 0) + " %"; }

std::string two_digits(int64_t value) {
  std::string text = std::to_string(value);
  if (value < 10) text.insert(text.begin(), '0');
  return text;
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
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
  if (rate < 999.5) return words("{} bit/s", bits);
  if (rate < 999.5e3) return fixed_text(rate / 1e3, rate < 9.95e3 ? 1 : 0) + " kbit/s";
  return fixed_text(rate / 1e6, rate < 9.95e6 ? 2 : 1) + " Mbit/s";
}

NumberStyle parse_precision(const std::string& flag, const std::string& text) {
  if (text == "max") return {NumberStyle::Kind::kShortest, kMaxSignificant};
  long long digits = 0;
  if (!parse_int(text, digits) || digits < 1 || digits > kMaxSignificant) {
    throw usage_error("{}: \"{}\" is not a number of significant digits; allowed: 1..17 or max", flag,
                      printable(text));
  }
  return {NumberStyle::Kind::kSignificant, static_cast<int>(digits)};
}

std::string timecode(double seconds) {
  // A time such as 14.21 is a little less than that as a double, or as the sum of times of six decimals that
  // a report has; it still belongs to that hundredth.
  constexpr double kSlack = 3e-4;
  const auto hundredths = static_cast<int64_t>(std::floor(std::min(std::fabs(seconds), 1e12) * 100 + kSlack));
  return words("{}{}:{}:{}.{}", seconds < 0 && hundredths > 0 ? "-" : "", hundredths / 360000,
               two_digits(hundredths / 6000 % 60), two_digits(hundredths / 100 % 60),
               two_digits(hundredths % 100));
}

static Error bad(const std::string& flag, const std::string& text, const std::string& allowed) {
  return usage_error("{}: invalid value \"{}\"; expected {}.", flag, printable(text), allowed);
}

// Digits as C has them; nothing for anything else.
static std::optional<uint64_t> c_number(std::string_view digits) {
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  } else if (digits.starts_with('0') && digits.size() > 1) {
    base = 8;
  }
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

int64_t int_value(const std::string& flag, const std::string& text, IntRange range) {
  long long value = 0;
  if (!parse_int(text, value) || value < range.min || value > range.max) {
    throw bad(flag, text, words("an integer {}..{}", range.min, range.max));
  }
  return value;
}

int64_t c_int_value(const std::string& flag, const std::string& text, IntRange range) {
  const std::optional<uint64_t> value =
      c_number(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
  if (!value || *value > static_cast<uint64_t>(range.max) || static_cast<int64_t>(*value) < range.min) {
    throw bad(flag, text,
              words("an integer {}..{}, octal after 0 and hexadecimal after 0x", range.min, range.max));
  }
  return static_cast<int64_t>(*value);
}

unsigned mask_value(const std::string& flag, const std::string& text) {
  const bool negative = text.starts_with('-');
  const std::optional<uint64_t> value = c_number(std::string_view(text).substr(negative ? 1 : 0));
  if (!value) throw bad(flag, text, "a bit mask such as 24, 0x18, or -1 for all bits");
  return static_cast<unsigned>(negative ? 0 - *value : *value);
}

size_t choice_value(const std::string& flag, const std::string& text, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  const std::string near = nearest(text, words);
  throw usage_error(vq::words("{}: unknown value \"{}\".{} Expected {}.", flag, printable(text),
                              near.empty() ? "" : vq::words(" Did you mean \"{}\"?", near),
                              join(words, "|")));
}

int side_value(const std::string& flag, const std::string& text) {
  long long value = 0;
  if (parse_int(text, value) && value >= 1 && value <= kMaxSide) return static_cast<int>(value);
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  if (!all_digits(digits)) throw bad(flag, text, words("an integer 1..{}", kMaxSide));
  throw Error(ErrorKind::kMismatch, "{}: {} samples; a side is 1..{}.", flag, printable(text), kMaxSide);
}

VideoPosition position_value(const std::string& flag, const std::string& text) {
  const std::string allowed = "a frame number, HH:MM:SS.mmm or seconds such as 12.5s";
  if (all_digits(text)) return int_value(flag, text, {0, INT64_MAX / 4});
  if (text.ends_with('s')) {
    double seconds = 0;
    if (!parse_real(std::string_view(text).substr(0, text.size() - 1), seconds) || seconds < 0 ||
        seconds > 1e9) {
      throw bad(flag, text, allowed);
    }
    return seconds;
  }
  double seconds = 0;
  const std::vector<std::string_view> parts = fields(text, ':');
  if (parts.size() < 2 || parts.size() > 3) throw bad(flag, text, allowed);
  for (size_t i = 0; i < parts.size(); ++i) {
    double value = 0;
    const bool right = parse_real(parts[i], value) &&
                       (i + 1 < parts.size() ? all_digits(parts[i])
                                             : parts[i].find_first_not_of("0123456789.") == parts[i].npos);
    if (!right || (i > 0 && value >= 60) || value > 1e9) throw bad(flag, text, allowed);
    seconds = seconds * 60 + value;
  }
  return seconds;
}

int64_t bytes_value(const std::string& flag, const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string number = text;
  int64_t unit = 1;
  if (const size_t i = text.empty() ? std::string_view::npos : kUnits.find(text.back());
      i != std::string_view::npos) {
    number.pop_back();
    unit = int64_t{1} << (10 * (i + 1));
  }
  long long value = 0;
  if (!all_digits(number) || !parse_int(number, value) || value < 1 || value > INT64_MAX / unit) {
    throw bad(flag, text, "a number of bytes such as 500M or 4G");
  }
  return value * unit;
}

}  // namespace vq
