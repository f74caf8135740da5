// One line of a terminal that is redrawn in place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vq::cli {

// Where time comes from and lines go to; injected so that tests need neither a clock nor a terminal.
struct ProgressPort {
  std::function<double()> seconds;              // monotone
  std::function<void(std::string_view)> write;  // must not throw; write errors are ignored
  std::function<int()> width = [] { return 80; };
};

// A piece of the line. Where the line is too long, pieces of the highest `rank` go first.
struct StatusPart {
  std::string text;
  int rank = 0;
  bool highlighted = false;
};
inline constexpr int kPercentRank = 1;  // of the piece that the bar stands behind

struct StatusStyle {
  bool colour = false;
  bool can_erase = false;  // the terminal knows how to erase the rest of a line
};

// Not for several threads at once.
class StatusLine {
 public:
  // The port outlives this.
  StatusLine(const ProgressPort& port, StatusStyle style) : port_(port), style_(style) {}
  ~StatusLine();  // clear()
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Needs: a part. With a percentage there is a bar where there is room.
  void draw(std::vector<StatusPart> parts, std::optional<double> percent);
  // Erases it, so that something else can be written there.
  void clear();

 private:
  size_t bar_columns(size_t room);

  const ProgressPort& port_;
  const StatusStyle style_;
  size_t drawn_columns_ = 0, bar_columns_ = 0;
  int width_ = 0;  // of the terminal when the bar was drawn
};

// The parts as a line of a log.
std::string plain_line(const std::vector<StatusPart>& parts);

// h:mm:ss, or m:ss below an hour.
std::string duration_text(double seconds);

}  // namespace vq::cli
