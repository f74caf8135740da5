#include "tests/support/random_feature.h"

#include <algorithm>

#include "feature/feature.h"

namespace vq::cli::test {
namespace {

int random_int(const OptionSpec& spec, std::mt19937& random, int largest_side) {
  const bool is_side = spec.name.ends_with("_width") || spec.name.ends_with("_height");
  const int min = static_cast<int>(spec.min), max = static_cast<int>(spec.max);
  if (!is_side || random() % 64 == 0) return std::uniform_int_distribution(min, max)(random);
  return std::uniform_int_distribution(min, std::max(min, std::min(max, largest_side)))(random);
}

std::string random_value(const OptionSpec& spec, std::mt19937& random, int largest_side) {
  switch (spec.kind) {
    case OptionKind::kBool:
      return random() % 2 != 0 ? "true" : "false";
    case OptionKind::kChoice:
      return std::string(spec.choices[random() % spec.choices.size()]);
    case OptionKind::kInt:
      if (!spec.allowed.empty()) return std::to_string(spec.allowed[random() % spec.allowed.size()]);
      return std::to_string(random_int(spec, random, largest_side));
    case OptionKind::kReal:
      return std::to_string(std::max(spec.min, std::uniform_real_distribution<>(spec.min, spec.max)(random)));
    case OptionKind::kPath:
      break;
  }
  return "";
}

}  // namespace

OptionSet random_options(std::mt19937& random, int largest_side) {
  OptionSet set(find_feature("cambi").options);
  for (const OptionSpec& spec : set.specs()) {
    if (spec.kind == OptionKind::kPath || !spec.in_exact_form || random() % 3 != 0) continue;
    set.set(spec.name, random_value(spec, random, largest_side));
  }
  return set;
}

std::string random_feature(std::mt19937& random) {
  std::string text = "cambi";
  char separator = '=';
  for (const OptionSpec& spec : find_feature("cambi").options) {
    if (spec.kind == OptionKind::kPath || !spec.in_exact_form || spec.name.starts_with("src_") ||
        random() % 3 != 0)
      continue;
    text += separator;
    text.append(spec.name).append("=").append(random_value(spec, random, static_cast<int>(spec.max)));
    separator = ':';
  }
  return text;
}

}  // namespace vq::cli::test
