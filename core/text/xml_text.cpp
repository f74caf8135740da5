#include "core/text/xml_text.h"

#include "core/text.h"

namespace vq {
namespace {

bool is_name_byte(char c, bool first) {
  const auto byte = static_cast<unsigned char>(c);
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
  return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

}  // namespace

std::string attribute_name(std::string_view text) {
  std::string out;
  for (const char c : printable(text, std::string_view::npos)) out += is_name_byte(c, out.empty()) ? c : '_';
  return out.empty() ? "_" : out;
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  return markup_escaped(printable(text, std::string_view::npos));
}

std::string xml_attribute(std::string_view name, std::string_view value) {
  std::string out = " ";
  out.append(name).append("=\"").append(value).append("\"");
  return out;
}

}  // namespace vq
