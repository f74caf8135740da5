#include "cli/decoding/damage/stream_remarks.h"

#include "core/text/message_text.h"

namespace vq::cli {
namespace {

// As a run takes what a stream does not say.
constexpr Range assumed(Range range) {
  return range == Range::kUnspecified ? Range::kLimited : range;
}
constexpr Transfer assumed(Transfer transfer) {
  return transfer == Transfer::kUnspecified ? Transfer::kBt1886 : transfer;
}

}  // namespace

void StreamRemarks::look(const Picture& picture, const PictureLayout& layout, const PictureStream& stream) {
  check_start(stream);
  check_tags(picture, layout);
  check_grain(picture, stream.film_grain());
}

void StreamRemarks::check_start(const PictureStream& stream) {
  if (reported_start_ || !stream.start().is_settled()) return;
  reported_start_ = true;
  const int64_t lost = stream.start().lost();
  if (lost == 0) return;
  warnings_.push_back(name() + ": the stream does not begin at a key frame: " + counted(lost, "packet") +
                      (lost == 1 ? " gives" : " give") +
                      " no frame; frame 0 is the first that can be decoded");
}

void StreamRemarks::check_tags(const Picture& picture, const PictureLayout& layout) {
  if (reported_tags_) return;
  const Range range = range_of(*picture.frame, layout);
  const Transfer transfer = map_transfer(picture.frame->color_trc);
  std::string changes;
  if (range != Range::kUnspecified && range != assumed(info_.format.range)) {
    changes +=
        ", range " + std::string(to_string(range)) + " after " + std::string(to_string(info_.format.range));
  }
  if (transfer != Transfer::kUnspecified && transfer != assumed(info_.format.transfer)) {
    changes += ", transfer " + std::string(to_string(transfer)) + " after " +
               std::string(to_string(info_.format.transfer));
  }
  if (changes.empty()) return;
  reported_tags_ = true;
  warnings_.push_back(name() + ": from frame " + std::to_string(picture.index) + " on the stream says " +
                      changes.substr(2) + "; what it says at its start is used for all frames");
}

void StreamRemarks::check_grain(const Picture& picture, FilmGrain now) {
  if (reported_grain_ || info_.film_grain != FilmGrain::kNone || now == FilmGrain::kNone) return;
  reported_grain_ = true;
  warnings_.push_back(name() + ": from about frame " + std::to_string(picture.index) +
                      " on the stream describes film grain, which is " + std::string(to_string(now)));
}

}  // namespace vq::cli
