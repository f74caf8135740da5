// The work of a cluster as plain data: titles, each cut into shards that one machine scores by itself. A file
// of it is docs/cluster.md's plan.
#pragma once

#include <fstream>

#include "cli/decoding/parallel/stream_index.h"
#include "cli/decoding/video_source.h"
#include "cli/inputs/run_options.h"
#include "cli/system/output_file.h"
#include "core/content_hash.h"
#include "engine/report/report.h"

namespace vq::cli {

// A file as it was when the plan was made.
struct PlannedFile : OriginFacts::File {
  std::string fingerprint;  // hash of the first and last bytes of a video, if containers have their index;
                            // of all bytes of a model
  bool operator==(const PlannedFile&) const = default;
};

struct PlannedInput {
  PlannedFile file;
  std::optional<int64_t> pictures;  // of the whole stream; none if they were not counted
  std::optional<StreamLength> measured;
  bool operator==(const PlannedInput&) const = default;
};

struct PlannedTitle {
  std::string name;  // the names of its report's files begin with it
  PlannedInput distorted;
  std::optional<PlannedInput> reference;
  int64_t number = 0;           // among the titles, from 0
  int64_t first_shard = 0;      // its number among all shards of the plan
  int64_t run_first = 0;        // the first frame of the title that is scored
  int64_t frames = -1;          // number of frames from there on; -1: unknown
  int width = 0, height = 0;    // of the distorted video
  int threads = 1;              // number of threads that a shard keeps busy
  int64_t memory_bytes = 0;     // upper estimate of what a shard takes with these threads; 0: unknown
  std::string whole;            // why the title could not be cut into shards; empty if it could
  std::vector<RunPart> shards;  // in order, at least one; what is of all of them is not in the file
  bool operator==(const PlannedTitle&) const = default;
};

// The part of a plan that is the same for all titles.
struct PlanHead {
  std::string version;                   // of the program that made the plan; only that version scores it
  std::string results;                   // absolute path of the folder for what shards find
  std::vector<std::string> arguments;    // flags of the scoring run
  std::vector<PlannedFile> models = {};  // the files of models that these name
  int64_t titles = 0, shards = 0;
  std::string id;  // differs from that of any other plan
  bool operator==(const PlanHead&) const = default;
};

// Writes a plan title by title, so that memory does not grow with their number; the file appears whole or not
// at all.
class PlanWriter {
 public:
  // Throws Error{kOutput}, and {kInput} for what is not UTF-8, which JSON cannot hold.
  PlanWriter(const std::string& path, PlanHead head);
  // Adds a title, and gives it and its shards their numbers. Throws as the constructor does. After
  // Error{kInput} the plan is as it was.
  void add(PlannedTitle title);
  // Returns the head as it was written. Throws Error{kOutput}.
  PlanHead commit();

 private:
  void put(const std::string& text);

  OutputFile file_;
  PlanHead head_;
  ContentHash hash_;
};

// A plan that is read title by title. All members throw Error{kInput} for what is no plan, was cut or changed
// by hand, or was made by another version of this program.
class PlanFile {
 public:
  // Reads the whole file once, to check it.
  explicit PlanFile(const std::string& path);
  const PlanHead& head() const { return head_; }
  const std::string& path() const { return path_; }
  // Calls `look` with each title in order, until it returns false.
  void each_title(const std::function<bool(const PlannedTitle& title)>& look) const;
  // The title that has this shard. Throws Error{kUsage} if there is no such shard.
  PlannedTitle title_of_shard(int64_t shard) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  std::ifstream open() const;
  bool next_line(std::ifstream& in, std::string& line) const;
  void each_line(const std::function<bool(std::string_view line)>& look) const;
  PlannedTitle title(std::string_view line) const;
  void read_head(const std::string& line);
  void read_tail(const std::string& line, ContentHash hash);

  const std::string path_;
  PlanHead head_;
};

// Paths of the result of the title's shard-th shard (from 0), and of a note on why it failed.
std::string shard_path(const PlanHead& head, const PlannedTitle& title, int64_t shard);
std::string failure_path(const PlanHead& head, const PlannedTitle& title, int64_t shard);

// Thousands of millions of luma samples that a shard scores; 0: unknown.
double work_of(const PlannedTitle& title, size_t shard);

// How long shards are to be. At most one of these is given; if none is, shards have kDefaultShardFrames. See
// docs/cluster.md.
inline constexpr int64_t kDefaultShardFrames = 3000;
struct ShardLength {
  std::optional<int64_t> frames;
  std::optional<double> seconds;
  std::optional<int64_t> shards;  // of each title
};

// Cuts a title into shards: sets shards, run_first, frames and whole. A shard begins lead_of() frames behind
// a picture at which decoding may begin, so that nothing is decoded before it but the frames that it needs.
// Each frame of the run is in exactly one shard. Throws Error{kInput} if the run has no frame, or skips more
// than there are.
PlannedTitle cut_title(const RunOptions& arguments, const StreamIndex& distorted,
                       const StreamIndex* reference, const ShardLength& length);

class Planner {
 public:
  explicit Planner(const ShardLength& length) : length_(length) {}

  // Reads the packets of the title's videos and cuts the title. If titles in succession have the same
  // reference, it is read once. `arguments` are those of the title, with its videos. Throws what opening and
  // reading the videos throws, and what cut_title() throws.
  PlannedTitle plan(const std::string& name, const RunOptions& arguments);

 private:
  struct Indexed {
    PlannedInput input;
    StreamIndex index;
  };
  static Indexed index(const RunOptions& arguments, Role role);
  const Indexed& reference(const RunOptions& arguments);

  const ShardLength length_;
  std::string reference_path_;
  std::unique_ptr<Indexed> reference_;  // the last one
};

}  // namespace vq::cli
