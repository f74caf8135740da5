#include "cli/decoding/open_video.h"

#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// A colourspace tag without its depth suffix.
struct Colourspace {
  std::string_view tag;
  Chroma chroma;
  bool deep;  // may be followed by p9, p10, ... (mono: 9, 10, ...)
};

constexpr std::array<Colourspace, 9> kColourspaces = {{{"420", Chroma::k420, true},
                                                       {"420jpeg", Chroma::k420, false},
                                                       {"420mpeg2", Chroma::k420, false},
                                                       {"420paldv", Chroma::k420, false},
                                                       {"422", Chroma::k422, true},
                                                       {"444", Chroma::k444, true},
                                                       {"444alpha", Chroma::k444, false},
                                                       {"411", Chroma::k411, false},
                                                       {"mono", Chroma::k400, true}}};
constexpr std::array<int, 5> kDeepDepths = {9, 10, 12, 14, 16};

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::kInput, "is not a usable YUV4MPEG2 stream: {}", why);
}

std::string in_quotes(std::string_view text) { return words("\"{}\"", printable(text)); }

// The depth that `suffix` adds to a tag, nothing if it is none.
std::optional<int> suffix_depth(const Colourspace& space, std::string_view suffix) {
  if (suffix.empty()) return 8;
  if (!space.deep) return std::nullopt;
  if (space.chroma != Chroma::k400) {
    if (suffix.front() != 'p') return std::nullopt;
    suffix.remove_prefix(1);
  }
  for (const int depth : kDeepDepths) {
    if (suffix == std::to_string(depth)) return depth;
  }
  return std::nullopt;
}

struct Tag {
  Colourspace space = kColourspaces[0];
  int bit_depth = 8;
};

Tag parse_colourspace(std::string_view text) {
  for (const Colourspace& space : kColourspaces) {
    if (!text.starts_with(space.tag)) continue;
    if (const auto depth = suffix_depth(space, text.substr(space.tag.size()))) return {space, *depth};
  }
  refuse(words("colourspace {} is not known (420, 422, 444 with p9..p16, 411, 444alpha, mono)",
               in_quotes(words("C{}", text))));
}

// Reads a number for check_side(): one that is too large for any integer stays too large.
int parse_side(char name, std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    refuse(words("tag {} is not a number: {}", std::string_view(&name, 1), in_quotes(text)));
  }
  long long value = std::numeric_limits<long long>::max();
  parse_int(text, value);
  check_side(name == 'W' ? "width" : "height", text, value);
  return static_cast<int>(value);
}

void parse_rate(std::string_view text, Y4mHeader& header) {
  const size_t colon = text.find(':');
  long long num = 0;
  long long den = 0;
  if (colon == std::string_view::npos || !parse_int(text.substr(0, colon), num) ||
      !parse_int(text.substr(colon + 1), den) || num < 0 || den < 0) {
    refuse(words("frame rate {} is not of the form F24000:1001", in_quotes(words("F{}", text))));
  }
  constexpr long long kMax = std::numeric_limits<int>::max();
  if (num == 0 || den == 0 || num > kMax || den > kMax) return;
  header.info.frame_rate_num = static_cast<int>(num);
  header.info.frame_rate_den = static_cast<int>(den);
}

// 0:0 if it is not known; what cannot be read is as good as that.
double parse_aspect(std::string_view text) {
  const size_t colon = text.find(':');
  long long width = 0, height = 0;
  if (colon == std::string_view::npos || !parse_int(text.substr(0, colon), width) ||
      !parse_int(text.substr(colon + 1), height))
    return 0;
  return width > 0 && height > 0 ? static_cast<double>(width) / static_cast<double>(height) : 0;
}

struct Fields {
  std::optional<int> width, height;
  std::optional<Tag> tag;
  std::string old_tag;  // how older writers name colourspaces, as in XYSCSS=420JPEG
};

void parse_extension(std::string_view text, Fields& fields, Y4mHeader& header) {
  constexpr std::string_view kOldTag = "YSCSS=";
  if (text == "COLORRANGE=FULL") header.info.format.range = Range::kFull;
  if (text == "COLORRANGE=LIMITED") header.info.format.range = Range::kLimited;
  if (!text.starts_with(kOldTag)) return;
  fields.old_tag = text.substr(kOldTag.size());
  for (char& c : fields.old_tag) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

void check_text(std::string_view line) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const auto bad = std::ranges::find_if(line, is_control);
  if (bad == line.end()) return;
  const std::string where = words(" at byte {}", bad - line.begin());
  if (*bad == '\r')
    refuse(words("carriage return in the header{}; lines must end in a newline alone", where));
  refuse(words("control character in the header{}", where));
}

void parse_field(std::string_view field, Fields& fields, Y4mHeader& header) {
  const std::string_view value = field.substr(1);
  switch (field.front()) {
    case 'W':
      fields.width = parse_side('W', value);
      break;
    case 'H':
      fields.height = parse_side('H', value);
      break;
    case 'C':
      fields.tag = parse_colourspace(value);
      break;
    case 'F':
      parse_rate(value, header);
      break;
    case 'I':
      header.info.interlaced = value == "t" || value == "b" || value == "m";
      break;
    case 'A':
      header.info.sample_aspect = parse_aspect(value);
      break;
    case 'X':
      parse_extension(value, fields, header);
      break;
    default:
      header.unknown.emplace_back(field);
  }
}

}  // namespace

int64_t PlanarLayout::frame_bytes() const {
  const int64_t alpha = has_alpha ? int64_t{width} * height : 0;
  return (sample_count({width, height}, chroma, plane_count(chroma)) + alpha) * (bit_depth > 8 ? 2 : 1);
}

std::string planar_pixel_format(const PlanarLayout& layout) {
  const std::string deep = layout.bit_depth > 8 ? words("{}le", layout.bit_depth) : "";
  if (layout.chroma == Chroma::k400) return "gray" + deep;
  std::string digits(to_string(layout.chroma));  // 4:2:0
  std::erase(digits, ':');
  return words("{}{}p{}", layout.has_alpha ? "yuva" : "yuv", digits, deep);
}

void check_side(std::string_view name, std::string_view text, long long value) {
  if (value >= 1 && value <= kMaxSide) return;
  throw Error(ErrorKind::kMismatch, "{} is {}; it must be 1..{} samples", name, printable(text), kMaxSide);
}

Y4mHeader parse_y4m_header(std::string_view line) {
  check_text(line);
  if (!line.starts_with(kY4mMagic)) refuse("it does not start with YUV4MPEG2");
  Y4mHeader header;
  Fields fields;
  std::string_view rest = line.substr(kY4mMagic.size());
  if (!rest.empty() && rest.front() != ' ') refuse("no space after YUV4MPEG2");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) parse_field(rest.substr(0, end), fields, header);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!fields.width) refuse("the header has no width (tag W)");
  if (!fields.height) refuse("the header has no height (tag H)");
  if (!fields.tag) fields.tag = fields.old_tag.empty() ? Tag{} : parse_colourspace(fields.old_tag);
  PlanarLayout& layout = header.layout;
  layout.width = *fields.width;
  layout.height = *fields.height;
  layout.bit_depth = fields.tag->bit_depth;
  layout.chroma = fields.tag->space.chroma;
  layout.has_alpha = fields.tag->space.tag == "444alpha";
  header.info.pixel_format = planar_pixel_format(layout);
  return header;
}

}  // namespace vq::cli
