// Text as XML and HTML have it.
#pragma once

#include <string>
#include <string_view>

namespace vq {

// With references in place of the characters that are markup.
std::string markup_escaped(std::string_view text);

// For the value of an attribute or between tags. Control characters have no place in XML, escaped or not, and
// what is not UTF-8 makes the document unreadable, so both appear as printable() shows them.
std::string xml_escaped(std::string_view text);

// A text as the name of an attribute, where nothing can be escaped: what is not allowed becomes '_'.
std::string attribute_name(std::string_view text);

// An attribute with a leading space. Needs: a value that is escaped.
std::string xml_attribute(std::string_view name, std::string_view value);

}  // namespace vq
