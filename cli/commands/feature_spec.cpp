#include "cli/commands/feature_spec.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxLength = 4096;

Error fault(std::string_view text, const std::string& what, size_t position) {
  return Error(ErrorKind::kUsage, "--feature \"" + printable(text) + "\": " + what + " at position " +
                                      std::to_string(position + 1));
}

void check_text(std::string_view text) {
  if (text.size() > kMaxLength) {
    throw fault(text, "longer than " + std::to_string(kMaxLength) + " bytes", kMaxLength);
  }
  // printable() escapes exactly the bytes that are not plain text.
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c != '\\' && printable(text.substr(i, length)).starts_with('\\')) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "0x%02x", c);
      throw fault(text, std::string("byte ") + byte + " is not text", i);
    }
    i += length;
  }
}

// Reads up to an unescaped stop character, which is left unread.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() const { return position_ == text_.size(); }
  size_t position() const { return position_; }
  char peek() const { return text_[position_]; }
  void skip() { ++position_; }

  std::string word(std::string_view stops) {
    std::string out;
    while (!at_end() && stops.find(peek()) == std::string_view::npos) {
      if (peek() == '\\') {
        skip();
        if (at_end() || std::string_view(":=\\").find(peek()) == std::string_view::npos) {
          throw fault(text_, "a backslash must be followed by : = or another one", position_ - 1);
        }
      }
      out += peek();
      skip();
    }
    return out;
  }

 private:
  std::string_view text_;
  size_t position_ = 0;
};

void parse_option(std::string_view text, Scanner& scanner, FeatureRequest& request) {
  const size_t start = scanner.position();
  const std::string key = scanner.word("=:");
  if (key.empty()) throw fault(text, "an option name is missing", start);
  if (scanner.at_end() || scanner.peek() != '=') {
    throw fault(text, "\"" + printable(key) + "\" lacks a \"=\" and a value", scanner.position());
  }
  scanner.skip();
  const std::string value = scanner.word(":");
  try {
    request.options.set(key, value);
  } catch (const Error& error) {
    const std::string name(request.info->name);
    throw Error(ErrorKind::kUsage,
                "--feature " + name + ": " + error.what() + " (see: cambi features " + name + ")");
  }
}

// The feature here that measures the same with other arithmetic; empty where there is none.
std::string kin_of(const std::string& name) {
  constexpr std::string_view kFloat = "float_";
  const auto is_here = [](std::string_view wanted) {
    return std::any_of(features().begin(), features().end(),
                       [&](const FeatureInfo* info) { return info->name == wanted; });
  };
  if (name.starts_with(kFloat) && is_here(name.substr(kFloat.size()))) return name.substr(kFloat.size());
  const std::string as_float = std::string(kFloat) + name;
  return is_here(as_float) ? as_float : "";
}

// What to say of a feature that other programs have, or that is written as they write it; empty otherwise.
std::string foreign_feature(const std::string& name) {
  constexpr std::string_view kOfVmaf[] = {"float_psnr",   "float_vif",    "float_adm",
                                          "float_motion", "float_moment", "motion_v2"};
  if (name == "name" || name.find('|') != std::string::npos) {
    return "\"" + printable(name) +
           "\" is the syntax of FFmpeg's filter. Write --feature NAME=key=value, and repeat the flag for "
           "each feature.";
  }
  constexpr std::string_view kNowhere[] = {"xpsnr", "ssimulacra2", "butteraugli", "cvvdp"};
  if (std::find(std::begin(kNowhere), std::end(kNowhere), name) != std::end(kNowhere)) {
    return "\"" + name + "\" is not computed here (see: cambi features)";
  }
  if (name == "vmaf")
    return "VMAF is scored by a model. Use: --model version=NAME, or --model auto (see: cambi models)";
  if (std::find(std::begin(kOfVmaf), std::end(kOfVmaf), name) == std::end(kOfVmaf)) return {};
  std::string own;
  for (const FeatureInfo* info : features()) own += (own.empty() ? "" : ", ") + std::string(info->name);
  const std::string near = kin_of(name);
  return name + " is a feature of vmaf that this program does not compute (it has: " + own + "). " +
         (near.empty() ? "Run vmaf for it." : "Nearest to it is " + near + "; else run vmaf for it.");
}

}  // namespace

const FeatureInfo& named_feature(const std::string& name) {
  try {
    return find_feature(name);
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(error.kind(), text + (text.ends_with('?') ? "" : " See: cambi features"));
  }
}

std::vector<FeatureRequest> parse_features(std::string_view text) {
  std::vector<FeatureRequest> requests;
  // A comma within a name is one between features.
  for (size_t comma = text.find(','); comma < text.find('='); comma = text.find(',')) {
    requests.push_back(parse_feature(text.substr(0, comma)));
    text.remove_prefix(comma + 1);
  }
  requests.push_back(parse_feature(text));
  return requests;
}

FeatureRequest parse_feature(std::string_view text) {
  check_text(text);
  Scanner scanner(text);
  const std::string name = scanner.word("=:");
  if (name.empty()) throw fault(text, "a feature name is missing", 0);
  const FeatureInfo* info = nullptr;
  try {
    info = &named_feature(name);
  } catch (const Error& error) {
    const std::string foreign = foreign_feature(name);
    throw Error(ErrorKind::kUsage, "--feature: " + (foreign.empty() ? error.what() : foreign));
  }
  FeatureRequest request{.info = info, .options = OptionSet(info->options), .asked_by = AskedBy::kUser};
  if (scanner.at_end()) return request;
  if (scanner.peek() != '=') throw fault(text, "expected \"=\" after the feature name", scanner.position());
  do {
    scanner.skip();
    parse_option(text, scanner, request);
  } while (!scanner.at_end());
  return request;
}

void check_metric_names(std::span<const FeatureRequest> requests) {
  std::set<std::string> seen;
  for (const FeatureRequest& request : requests) {
    for (const std::string& name : request.info->metric_names(request.options)) {
      if (seen.insert(name).second) continue;
      throw Error(ErrorKind::kUsage, "two features would both report \"" + name +
                                         "\". Drop one, or give them options that tell them apart.");
    }
  }
}

}  // namespace vq::cli
