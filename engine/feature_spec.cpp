#include "engine/feature_spec.h"

#include <algorithm>
#include <cstdio>

#include "core/text.h"
#include "feature/feature.h"

namespace vq {
namespace {

constexpr size_t kMaxLength = 4096;

FeatureSpecError fault(std::string_view text, const std::string& what, size_t position) {
  return {FeatureSpecError::Fault::kForm, "",
          words("\"{}\": {} at position {}", printable(text), what, position + 1)};
}

void check_text(std::string_view text) {
  if (text.size() > kMaxLength) {
    throw fault(text, words("longer than {} bytes", kMaxLength), kMaxLength);
  }
  // printable() escapes exactly the bytes that are not plain text.
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c != '\\' && printable(text.substr(i, length)).starts_with('\\')) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "0x%02x", c);
      throw fault(text, words("byte {} is not text", byte), i);
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
    throw fault(text, words("\"{}\" lacks a \"=\" and a value", printable(key)), scanner.position());
  }
  scanner.skip();
  const std::string value = scanner.word(":");
  try {
    request.options.set(key, value);
  } catch (const Error& error) {
    const std::string name(request.info->name);
    throw FeatureSpecError(FeatureSpecError::Fault::kOption, name, words("{}: {}", name, error.what()));
  }
}

const FeatureInfo& named(const std::string& name) {
  try {
    return find_feature(name);
  } catch (const Error& error) {
    throw FeatureSpecError(FeatureSpecError::Fault::kName, name, error.what());
  }
}

}  // namespace

FeatureRequest parse_feature_spec(std::string_view text) {
  check_text(text);
  Scanner scanner(text);
  const std::string name = scanner.word("=:");
  if (name.empty()) throw fault(text, "a feature name is missing", 0);
  const FeatureInfo& info = named(name);
  FeatureRequest request{.info = &info, .options = OptionSet(info.options), .asked_by = AskedBy::kUser};
  if (scanner.at_end()) return request;
  if (scanner.peek() != '=') throw fault(text, "expected \"=\" after the feature name", scanner.position());
  do {
    scanner.skip();
    parse_option(text, scanner, request);
  } while (!scanner.at_end());
  return request;
}

std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
    const FeatureRequest& request) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const OptionSpec& spec : request.info->options)
    options.emplace_back(spec.name, request.options.text(spec.name));
  return {std::string(request.info->name), std::move(options)};
}

ReadingFacts reading_facts(const FeatureRequest& request, const VideoFormats& formats) {
  if (request.info->reading == nullptr) return {};
  const VideoFormats seen = formats_of(request, formats);
  const auto words = [&](const VideoFormat& video) {
    ReadingFacts::Words all = request.info->reading(request.options, video);
    std::sort(all.begin(), all.end());
    return all;
  };
  return {.distorted = words(seen.distorted),
          .reference = seen.reference ? words(*seen.reference) : ReadingFacts::Words()};
}

}  // namespace vq
