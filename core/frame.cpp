#include "core/frame.h"

namespace vq {

std::string_view to_string(Chroma chroma) {
  switch (chroma) {
    case Chroma::k400:
      return "4:0:0";
    case Chroma::k420:
      return "4:2:0";
    case Chroma::k422:
      return "4:2:2";
    case Chroma::k444:
      return "4:4:4";
    case Chroma::kOther:
      break;
  }
  return "other";
}

std::string_view to_string(Range range) {
  switch (range) {
    case Range::kLimited:
      return "limited";
    case Range::kFull:
      return "full";
    case Range::kUnspecified:
      break;
  }
  return "unspecified";
}

std::string_view to_string(Transfer transfer) {
  switch (transfer) {
    case Transfer::kBt1886:
      return "bt1886";
    case Transfer::kPq:
      return "pq";
    case Transfer::kHlg:
      return "hlg";
    case Transfer::kOther:
      return "other";
    case Transfer::kUnspecified:
      break;
  }
  return "unspecified";
}

}  // namespace vq
