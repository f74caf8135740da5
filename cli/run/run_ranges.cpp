#include "cli/run/run_members.h"

#include <iterator>

#include "core/trace.h"

namespace vq::cli {

void FindingsQueue::add(RangeFindings some) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(some));
  changed_.notify_all();
}

void FindingsQueue::end(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  is_ended_ = true;
  changed_.notify_all();
}

std::optional<RangeFindings> FindingsQueue::take(const StopToken& stop) {
  constexpr std::chrono::milliseconds kPause{100};
  const TraceSpan span("wait for findings");
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kPause, [&] { return is_ended_ || !waiting_.empty(); })) {
    if (stop.is_requested()) return std::nullopt;
  }
  std::optional<RangeFindings> some = take_first(waiting_);
  if (!some && error_) std::rethrow_exception(error_);
  return some;
}

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
constexpr std::chrono::milliseconds kPoll{20};
// A shorter time says little of a pace: the first frames are on their way at once.
constexpr double kEnoughSeconds = 0.2;
// As long as a piece may take at most, in times of what the member whose range it is would take for the rest.
// The host's paces differ most, and all wait for a piece that takes long.
constexpr double kMostOfOwner = 0.8, kMostOfHost = 0.3;
// Seconds that the owner would take at the least: of less it keeps all.
constexpr double kLeastRest = 1.5;
// Seconds that the host has left at the least when a device joins it: decoders, and the end of a process with
// a driver, take time.
constexpr double kWorthJoining = 1;
// The host's pace beside a busy device, as a part of that at its front.
constexpr double kBesideDevice = 0.5;
// The part of the run that the host keeps beside the frames that it scores until a device begins: work at its
// own front costs it no start.
constexpr double kHostShare = 0.125;
// The longest time for that, in seconds, and its share of a shorter run's.
constexpr double kMostAhead = 1, kAheadShare = 1.0 / 6;
// The pace of a device that has not scored yet is taken to be this many times the host's.
constexpr double kLikelyTimes = 3;
// The host takes nothing from a device that is more than this many times as fast.
constexpr double kFarFaster = 4;
// A member has read this far ahead when its range is cut.
constexpr double kReadAhead = 0.05;

RunRanges::RunRanges(const RangeMember& first, std::function<double()> now) : now_(std::move(now)) {
  members_.push_back({.traits = first});
  first_range_ = std::make_shared<RunRange>(0, kNoEnd);
  ranges_.push_back(give(first_range_, 0));
}

void RunRanges::open(std::vector<int64_t> cuts, int64_t end) {
  const std::lock_guard lock(mutex_);
  cuts_ = std::move(cuts);
  end_ = end;
  first_range_->end = std::min(first_range_->end, end);
  is_open_ = true;
  changed_.notify_all();
}

size_t RunRanges::add_member(const RangeMember& member) {
  const std::lock_guard lock(mutex_);
  members_.push_back({.traits = member});
  return members_.size() - 1;
}

// Which video ends first is for the reader of the last frames to find, so the end of the run cuts nothing.
bool RunRanges::may_use(RunRange& range, int64_t frame) {
  const std::lock_guard lock(mutex_);
  const double now = now_();
  if (range.begun < 0) {
    range.begun = now;
    range.mark = range.mark_before = {now, frame};
    RangeMember& traits = members_[*range.member].traits;
    if (&range == first_range_.get()) {
      range.first = frame;
    } else {
      traits.start = range.begun - range.taken;
    }
  }
  if (now - range.mark.time > kEnoughSeconds) {
    range.mark_before = range.mark;
    range.mark = {now, frame};
  }
  const bool is_last = !is_open_ || range.end >= end_;
  if (!is_last && frame >= range.end) return false;
  range.position = std::max(range.position, frame + 1);
  return true;
}

int64_t RunRanges::finish(RunRange& range) {
  const std::lock_guard lock(mutex_);
  // The pace of all of it counts: what was read ahead of the end says nothing of a pace.
  const double seconds = range.begun < 0 ? 0 : now_() - range.begun;
  const auto frames = static_cast<double>(range.end - range.first);
  const double pace = seconds > 0 ? frames / seconds : members_[*range.member].pace;
  members_[*range.member].pace = pace * (&range == first_range_.get() ? kBesideDevice : 1);
  range.is_over = true;
  if (!is_open_) is_stopped_ = true;  // that was all of the run
  changed_.notify_all();
  return range.end;
}

int64_t RunRanges::end_of(const RunRange& range) {
  const std::lock_guard lock(mutex_);
  return range.end;
}

void RunRanges::give_back(RunRange& range, int64_t next) {
  const std::lock_guard lock(mutex_);
  members_[*range.member].has_left = true;
  const auto place = std::ranges::find_if(ranges_, [&](const Range& each) { return each.get() == &range; });
  const int64_t end = std::exchange(range.end, std::clamp(next, range.first, range.end));
  range.is_over = true;
  if (range.end < end) ranges_.insert(std::next(place), std::make_shared<RunRange>(range.end, end));
  if (range.first == range.end) ranges_.erase(place);
  changed_.notify_all();
}

void RunRanges::leave(size_t member) {
  const std::lock_guard lock(mutex_);
  members_[member].has_left = true;
}

bool RunRanges::goes_on_at(int64_t frame) {
  const std::lock_guard lock(mutex_);
  return is_open_ && !is_stopped_ && frame < end_;
}

void RunRanges::delivered(int64_t next) {
  const std::lock_guard lock(mutex_);
  delivered_ = next;  // those who wait for room look again soon
}

void RunRanges::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

std::shared_ptr<RunRange> RunRanges::take_now(size_t member) {
  const std::lock_guard lock(mutex_);
  return take_one(member);
}

std::shared_ptr<RunRange> RunRanges::take(size_t member) {
  const TraceSpan span("wait for a range");
  std::unique_lock lock(mutex_);
  for (; !is_stopped_ && !members_[member].has_left && !is_over(); changed_.wait_for(lock, kPoll)) {
    if (Range range = take_one(member)) return range;
  }
  return nullptr;
}

RunRanges::Range RunRanges::take_one(size_t member) {
  if (!is_open_ || is_stopped_) return nullptr;
  Range range = take_free(member);
  if (!range && members_[member].traits.steals) range = steal(member);
  if (range) changed_.notify_all();
  return range;
}

std::shared_ptr<RunRange> RunRanges::range_at(int64_t first, const StopToken& stop) {
  std::unique_lock lock(mutex_);
  for (; !is_stopped_ && !stop.is_requested() && first < end_; changed_.wait_for(lock, kPoll)) {
    for (const Range& range : ranges_) {
      if (range->first == first && range->member) return range;
    }
    if (std::ranges::all_of(members_, &Member::has_left)) break;
  }
  return nullptr;
}

// Frames a second of late; 0 if there were too few. A device asks for its first frames while its decoders and
// pipelines begin, so its pace is known later.
double RunRanges::pace_in(const RunRange& range) const {
  const RunRange::Mark& from = range.mark_before;
  const Member& member = members_[*range.member];
  const double seconds = range.begun < 0 ? 0 : now_() - from.time;
  const double begins = member.traits.is_device ? member.traits.start : 0;
  const bool is_too_soon = seconds < kEnoughSeconds || from.time < range.begun + begins;
  if (is_too_soon || range.position <= from.position) return member.pace;
  return static_cast<double>(range.position - from.position) / seconds;
}

double RunRanges::pace_of(size_t member) const {
  for (const Range& range : ranges_) {
    if (range->member == member && !range->is_over) return pace_in(*range);
  }
  return members_[member].pace;
}

// As long as nothing is known of its member's pace, it is as fast as the host.
double RunRanges::seconds_left(const RunRange& range) const {
  double pace = pace_in(range);
  if (pace <= 0) pace = pace_of(0);
  if (pace <= 0) return 0;
  const double start = members_[*range.member].traits.start;
  const double waiting = range.begun < 0 ? std::max(0.0, start - (now_() - range.taken)) : 0;
  return waiting + static_cast<double>(range.end - range.position) / pace;
}

// The range that would be done last, of those that begin before that frame; the longest, if no pace is known.
RunRanges::Range RunRanges::last_to_end(int64_t before) const {
  const auto rest = [&](const RunRange& range) {
    return std::pair(seconds_left(range), range.end - range.position);
  };
  Range last;
  for (const Range& range : ranges_) {
    if (!range->member || range->is_over || range->first >= before) continue;
    if (!last || rest(*range) > rest(*last)) last = range;
  }
  return last;
}

double RunRanges::longest_rest() {
  const std::lock_guard lock(mutex_);
  const Range last = last_to_end(kNoEnd);
  return last ? seconds_left(*last) : 0;
}

bool RunRanges::is_over() const {
  return std::ranges::all_of(ranges_, [](const Range& range) { return range->is_over; });
}

RunRanges::Range RunRanges::give(const Range& range, size_t member) {
  range->member = member;
  range->taken = now_();
  range->taken_end = range->end;
  return range;
}

// The last place for a cut up to this frame; -1 if there is none.
int64_t RunRanges::last_cut(int64_t most) const {
  const auto behind = std::ranges::upper_bound(cuts_, most);
  return behind == cuts_.begin() ? -1 : *std::prev(behind);
}

// Frees the frames from the place on.
void RunRanges::split(const Range& range, int64_t at) {
  const auto place = std::ranges::find(ranges_, range);
  ranges_.insert(std::next(place), std::make_shared<RunRange>(at, range->end));
  range->end = at;
}

RunRanges::Range RunRanges::take_free(size_t member) {
  for (const Range& range : ranges_) {
    if (range->member) continue;
    const int64_t most = delivered_ + kWindow;
    int64_t end = range->end <= most ? range->end : last_cut(most);
    if (end <= range->first) {
      // There is no place to cut: what is to be delivered next is taken all the same.
      if (range->first > delivered_) return nullptr;
      const auto next = std::ranges::upper_bound(cuts_, range->first);
      end = next == cuts_.end() ? range->end : std::min(*next, range->end);
    }
    if (end < range->end) split(range, end);
    return give(range, member);
  }
  return nullptr;
}

// The end of the range that would be done last.
RunRanges::Range RunRanges::steal(size_t member) {
  const Range victim = last_to_end(delivered_ + kWindow);
  if (!victim) return nullptr;
  const int64_t most = delivered_ + kWindow;
  const int64_t end = victim->end <= most ? victim->end : last_cut(most);
  const std::optional<int64_t> cut = place_to_cut(member, *victim, end);
  if (!cut) return nullptr;
  split(victim, *cut);
  const Range taken = *std::next(std::ranges::find(ranges_, victim));
  if (taken->end > end) split(taken, end);
  return give(taken, member);
}

// The places for cuts before `end`, from the one nearest to `wanted` on; none if that is before `least`.
std::span<const int64_t> RunRanges::cuts_from(double wanted, double least, int64_t end) const {
  const auto as_real = [](int64_t place) { return static_cast<double>(place); };
  auto cut = std::ranges::lower_bound(cuts_, wanted, {}, as_real);
  const auto behind = std::ranges::lower_bound(cuts_, end);
  const auto is_nearer = [&] {
    const double before = as_real(*std::prev(cut));
    return before >= least && wanted - before < as_real(*cut) - wanted;
  };
  // If it ends behind the last place, or takes less than is worth it, the place before is the one.
  if (cut != cuts_.begin() && (cut >= behind || is_nearer())) --cut;
  return cut < behind && as_real(*cut) >= least ? std::span(cut, behind) : std::span<const int64_t>();
}

// Frames that a device which has not scored yet takes of the last `left` ones of a range, which its owner
// scores at this pace: half of what another device has, or what the host does not keep.
static double joining_piece(const RangeMember& device, const RangeMember& owner, double left, double pace) {
  if (owner.is_device) return (left - pace * device.start) / 2;
  if (!owner.keeps_front) return left;
  const double ahead = std::clamp(left / pace * kAheadShare, std::min(device.start, kMostAhead), kMostAhead);
  return (1 - kHostShare) * left - pace * ahead;
}

// None if the range's own member would be done with the frames up to `end` before the other had scored the
// last ones, or soon after. While nothing is known of the member, pieces are as short as is worth it, but a
// device that joins another takes half.
std::optional<int64_t> RunRanges::place_to_cut(size_t member, const RunRange& victim, int64_t end) const {
  const RangeMember &taker = members_[member].traits, &owner = members_[*victim.member].traits;
  const double known = pace_of(member), told = pace_in(victim), its = told > 0 ? told : pace_of(0);
  const bool joins = taker.is_device && known <= 0, takes_half = joins && owner.is_device && its <= 0;
  const auto left = static_cast<double>(end - victim.position);
  if ((its <= 0 && !takes_half) || left <= 0) return std::nullopt;
  // Beside a device that is so much faster the host's work costs more, in cores and memory, than it saves.
  if (!taker.is_device && owner.is_device && known > 0 && known * kFarFaster < its) return std::nullopt;
  const double likely = !owner.is_device ? kLikelyTimes : taker.is_device ? 1 : 1 / kLikelyTimes;
  const double own = known > 0 ? known : its * likely;
  const bool knows_both = told > 0 && (known > 0 || !owner.is_device);
  const double piece = joins ? joining_piece(taker, owner, left, its)
                             : std::max(knows_both ? left * own / (own + its) / 2 : 0, own * taker.least);
  const double least = static_cast<double>(victim.position) + std::max(1.0, its * kReadAhead);
  const std::span<const int64_t> cuts =
      cuts_from(std::max(static_cast<double>(end) - piece, least), least, end);
  if (cuts.empty()) return std::nullopt;
  if (takes_half) return cuts.front();
  const double by_owner = seconds_left(victim) - static_cast<double>(victim.end - end) / its;
  if (by_owner < (!joins ? kLeastRest : owner.is_device ? 0 : kWorthJoining)) return std::nullopt;
  const double most = (taker.is_device ? kMostOfOwner : kMostOfHost) * by_owner;
  const auto pays = [&](int64_t cut) { return taker.start + static_cast<double>(end - cut) / own < most; };
  const auto cut = std::ranges::find_if(cuts, pays);
  return cut == cuts.end() ? std::nullopt : std::optional(*cut);
}

}  // namespace vq::cli
