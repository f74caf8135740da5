// Escaping of text in XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace vq {

// Replaces markup characters by references.
std::string markup_escaped(std::string_view text);

// Text for an attribute's value or between tags. Control characters are not allowed in XML, even escaped, and
// invalid UTF-8 makes the document unreadable, so both appear as printable() shows them.
std::string xml_escaped(std::string_view text);

// A text as the name of an attribute, where nothing can be escaped: characters that are not allowed become
// '_'.
std::string attribute_name(std::string_view text);

// An attribute with a leading space. Needs: an escaped value.
std::string xml_attribute(std::string_view name, std::string_view value);

}  // namespace vq
