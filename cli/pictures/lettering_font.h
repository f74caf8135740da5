// The font of captions, a TrueType file that is part of the program: so pictures look the same on every machine, also where
// no font is installed. A source that cli/pictures/embed_font.py makes.
#pragma once

#include <string_view>

namespace vq::cli {

std::string_view lettering_font();

}  // namespace vq::cli
