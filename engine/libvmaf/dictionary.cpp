#include "engine/libvmaf/dictionary.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/log.h"

namespace vq::libvmaf {
namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// Takes a sign off the front.
bool take_minus(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

// Reads a number at the front, and takes it off. False where there is none that T has room for.
template <typename T>
bool take_number(std::string_view& text, T& value) {
  std::string_view rest = without_blanks(text);
  const bool is_negative = take_minus(rest);
  const bool is_hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  if (is_hexadecimal) rest.remove_prefix(2);
  if (rest.starts_with('-')) return false;
  const auto format = is_hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value, format);
  if (fault != std::errc()) return false;
  if (is_negative) value = -value;
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return true;
}

std::string general_text(double value, int digits) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

// Digits at the front, and nothing else of it.
std::string whole_part(std::string_view text) {
  text = without_blanks(text);
  const bool is_negative = take_minus(text);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string digits(text.begin(), end);
  return digits.empty() ? "0" : (is_negative ? "-" : "") + digits;
}

}  // namespace

std::string normalised(const std::string& value) {
  std::string_view rest = value;
  float number = 0;
  if (!take_number(rest, number) || !rest.empty()) return value;
  return general_text(static_cast<double>(number), 6);
}

std::string exact_text(const OptionSpec& option, const std::string& value) {
  if (option.kind == OptionKind::kInt) return whole_part(value);
  if (option.kind != OptionKind::kReal) return value;
  std::string_view rest = value;
  double number = 0;
  if (!take_number(rest, number)) return "0";
  return general_text(number, 17);
}

const OptionSpec* find_option(const FeatureInfo& feature, const std::string& name) {
  const auto is_it = [&](const OptionSpec& option) { return option.name == name && option.in_exact_form; };
  const auto found = std::find_if(feature.options.begin(), feature.options.end(), is_it);
  return found == feature.options.end() ? nullptr : &*found;
}

FeatureRequest request_of(const FeatureInfo& feature, const std::map<std::string, std::string>& options) {
  FeatureRequest request{.info = &feature, .options = OptionSet(feature.options), .asked_by = AskedBy::kUser};
  for (const auto& [name, value] : options) {
    const OptionSpec* const option = find_option(feature, name);
    if (option == nullptr) continue;
    request.heatmaps |= name == feature.heatmap_option && !value.empty();
    request.options.set(name, exact_text(*option, value), OptionForm::kExact);
  }
  return request;
}

}  // namespace vq::libvmaf

int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* value) {
  if (dict == nullptr || key == nullptr || value == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] {
    auto made = *dict == nullptr ? std::make_unique<VmafFeatureDictionary>() : nullptr;
    VmafFeatureDictionary& target = made ? *made : **dict;
    target.entries[key] = vq::libvmaf::normalised(value);
    if (made) *dict = made.release();
    return 0;
  });
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict) {
  if (dict == nullptr) return -EINVAL;
  delete *dict;
  *dict = nullptr;
  return 0;
}
