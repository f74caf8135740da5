#include "tests/fuzz/options.h"

#include <cstring>
#include <string>

namespace vq::fuzz {

OptionSet take_options(ByteTaker& taker, std::span<const OptionSpec> specs, int (*most_of)(const OptionSpec&)) {
  OptionSet set(specs);
  for (const OptionSpec& spec : specs) {
    if ((taker.byte() & 1) == 0) continue;
    switch (spec.kind) {
      case OptionKind::kBool:
        set.set(spec.name, spec.default_number == 0 ? "true" : "false");
        break;
      case OptionKind::kChoice: {
        std::vector<std::string_view> words(spec.choices.begin(), spec.choices.end());
        words.insert(words.end(), spec.own_choices.begin(), spec.own_choices.end());
        set.set(spec.name, words[taker.byte() % words.size()], OptionForm::kOwn);
        break;
      }
      case OptionKind::kInt:
        set.set(spec.name, std::to_string(spec.allowed.empty() ? taker.integer(static_cast<int>(spec.min), most_of(spec))
                                                               : spec.allowed[taker.byte() % spec.allowed.size()]));
        break;
      case OptionKind::kReal: {
        const double share = static_cast<double>(taker.word(2)) / 65535;
        set.set(spec.name, std::to_string(spec.min + share * (spec.max - spec.min)));
        break;
      }
      case OptionKind::kPath:
        break;
    }
  }
  return set;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

}  // namespace vq::fuzz
