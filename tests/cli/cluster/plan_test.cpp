// Plans as files: what is written is read, and nothing else.
#include "cli/cluster/plan.h"
#include "core/version.h"
#include "tests/support/bad_input.h"
#include "tests/support/synthetic_model.h"

namespace vq::cli::test {
namespace {

PlannedInput input(const std::string& path) {
  return {{{path, 123456789012, "1700000000.123456789"}, "00ff00ff00ff00ff"},
          5000,
          StreamLength{123456, 208.375}};
}

PlannedTitle title(const std::string& name, int shards) {
  PlannedTitle title;
  title.name = name;
  title.distorted = input("/videos/" + name);
  title.run_first = 7;
  title.frames = 4000;
  title.width = 1920;
  title.height = 1080;
  title.threads = 2;
  title.memory_bytes = int64_t{3} << 30;
  for (int64_t i = 0; i < shards; ++i) {
    RunPart shard{.first = 7 + 100 * i, .end = i + 1 < shards ? 107 + 100 * i : -1, .lead = i > 0 ? 1 : 0};
    shard.distorted = StreamPart{
        .picture = 100 * i, .time = -5 + 40 * i, .seek = -10 + 40 * i, .end = 110 + 100 * i, .end_time = {}};
    if (i + 1 < shards) shard.distorted->end_time = 4000 * i;
    title.shards.push_back(shard);
  }
  return title;
}

PlanHead head() {
  return {.version = version(),
          .results = "/results",
          .arguments = {"--feature=cambi:topk=0.3", "--threads=2"},
          .id = {}};
}

class PlanTest : public FolderTest {
 protected:
  std::string path() const { return in_folder("plan.json"); }
  PlanHead written(const std::vector<PlannedTitle>& titles, const PlanHead& of = head()) const {
    PlanWriter writer(path(), of);
    for (const PlannedTitle& title : titles) writer.add(title);
    return writer.commit();
  }
  static std::vector<PlannedTitle> titles_in(const PlanFile& plan) {
    std::vector<PlannedTitle> titles;
    plan.each_title([&](const PlannedTitle& title) {
      titles.push_back(title);
      return true;
    });
    return titles;
  }
  void expect_refused(const std::string& text) const {
    SCOPED_TRACE(text.substr(0, 100));
    write_file(path(), text);
    vq::test::expect_error(ErrorKind::kInput, {path()}, [this] { titles_in(PlanFile(path())); });
  }
};

TEST_F(PlanTest, IsReadAsItWasWritten) {
  PlannedTitle pair = title("b \"quoted\" \xC3\xA4.mkv", 2);
  pair.reference = input("/references/b.mov");
  for (RunPart& shard : pair.shards) shard.reference = StreamPart{1, 2, 3, 4, 5};
  pair.shards[1].distorted.reset();  // so that the plan says of which video a part is
  pair.shards[1].reference->end_time.reset();
  PlannedTitle whole = title("c.ts", 1);
  whole.whole = "its container has no index";
  whole.frames = -1;
  whole.distorted.pictures.reset();
  whole.distorted.measured.reset();
  whole.shards.assign(1, RunPart());
  const PlanHead made = written({title("a.mkv", 3), pair, whole});
  const PlanFile plan(path());
  EXPECT_EQ(plan.head(), made);
  EXPECT_EQ(plan.head().titles, 3);
  EXPECT_EQ(plan.head().shards, 6);
  EXPECT_EQ(plan.head().arguments, head().arguments);
  std::vector<PlannedTitle> expected = {title("a.mkv", 3), pair, whole};
  expected[1].number = 1;
  expected[1].first_shard = 3;
  expected[2].number = 2;
  expected[2].first_shard = 5;
  EXPECT_EQ(titles_in(plan), expected);
}

TEST_F(PlanTest, FindsTheTitleOfAShard) {
  written({title("a.mkv", 3), title("b.mkv", 1), title("c.mkv", 2)});
  const PlanFile plan(path());
  std::vector<std::string> names;
  for (int64_t shard = 0; shard < 6; ++shard) names.push_back(plan.title_of_shard(shard).name);
  EXPECT_THAT(names, ElementsAre("a.mkv", "a.mkv", "a.mkv", "b.mkv", "c.mkv", "c.mkv"));
  for (const int64_t shard : {-1, 6, 1000}) EXPECT_THROW(plan.title_of_shard(shard), Error);
}

TEST_F(PlanTest, HasAnIdOfItsContent) {
  const std::string id = written({title("a.mkv", 3)}).id;
  EXPECT_EQ(written({title("a.mkv", 3)}).id, id);
  EXPECT_NE(written({title("a.mkv", 2)}).id, id);
  PlanHead other = head();
  other.arguments.push_back("--subsample=2");
  EXPECT_NE(written({title("a.mkv", 3)}, other).id, id);
}

TEST_F(PlanTest, RefusesWhatIsForeignCutOrChanged) {
  written({title("a.mkv", 3), title("b.mkv", 2)});
  const std::string text = read_file(path());
  expect_refused("");
  expect_refused("{\"version\": \"1\", \"frames\": []}\n");
  expect_refused("\xFF\xD8\xFF\xE0 picture");
  for (size_t length = 0; length < text.size(); length += 37) expect_refused(text.substr(0, length));
  expect_refused(text.substr(0, text.size() - 1) + "x\n");
  expect_refused(text + "{}\n");
  std::string changed = text;
  changed.replace(changed.find("a.mkv"), 1, "A");
  expect_refused(changed);
  // As any tool leaves it that reads and writes JSON.
  expect_refused(json::parse(text).dump(2) + "\n");
}

TEST_F(PlanTest, NoFolderOfResultsHasManyEntries) {
  PlanHead of = head();
  PlannedTitle one = title("a.mkv", 3);
  one.number = 1234;
  EXPECT_EQ(shard_path(of, one, 2), "/results/0012/001234/000002.shard");
  EXPECT_EQ(failure_path(of, one, 2), "/results/0012/001234/000002.failed");
}

TEST_F(PlanTest, TellsTheWorkOfAShard) {
  PlannedTitle one = title("a.mkv", 3);
  EXPECT_DOUBLE_EQ(work_of(one, 1), 100 * 1920.0 * 1080 / 1e9);
  EXPECT_DOUBLE_EQ(work_of(one, 2), (4000 - 200) * 1920.0 * 1080 / 1e9) << "up to the end of the title";
  one.frames = -1;
  EXPECT_EQ(work_of(one, 2), 0) << "unknown";
}

// Plans of what is uncommon, and what becomes of plans, models and results that are damaged or change.

class PlanFaults : public FolderTest {
 protected:
  std::string plan() const { return in_folder("plan.json"); }
  std::string result(int shard) const {
    return in_folder("plan.shards/0000/000000/00000" + std::to_string(shard) + ".shard");
  }

  void make(const std::string& name, const std::string& encoder) const {
    run_ffmpeg("-f lavfi -i testsrc2=s=288x224:r=25 -frames:v 60 -pix_fmt yuv420p " + encoder + " " +
               in_folder(name));
  }

  // The report that plan, shards and merge make of it.
  json merged(const Words& words) const {
    fs::remove_all(in_folder("plan.shards"));
    run_well(joined({"plan", "-o", plan(), "--shard-frames", "10", "--quiet"}, words));
    const int64_t shards = read_json(plan()).at("shard_count");
    EXPECT_GT(shards, 1);
    run_well({"shard", plan(), "--index", "0-" + std::to_string(shards - 1), "--quiet"});
    return report({"merge", plan(), "-o", in_folder("out.json"), "--extended", "--precision", "max"});
  }
  json single(const Words& words) const {
    return report(
        joined(words, {"-o", in_folder("out.json"), "--extended", "--precision", "max", "--quiet"}));
  }
  json report(const Words& words) const {
    return run_well(words).code == 0 ? read_json(in_folder("out.json")) : json();
  }

  // Three shards of 20 frames, or so.
  void planned(const Words& more) const {
    make("d.mp4", kH264);
    run_well(joined({"plan", in_folder("d.mp4"), "-o", plan(), "--shards", "3", "--quiet"}, more));
  }
  ProgramResult shard(const std::string& index) const {
    return run_program({"shard", plan(), "--index", index, "--quiet"});
  }
  ProgramResult merge() const {
    return run_program({"merge", plan(), "-o", in_folder("out.json"), "--quiet"});
  }

  static constexpr const char* kH264 = "-c:v libx264 -preset ultrafast -g 10 -threads 1";
};

// Uncompressed video has no parts, video in a container has.
TEST_F(PlanFaults, MixedPairsAreWhatOneRunWrites) {
  make("d.y4m", "");
  make("d.mp4", kH264);
  // Whose ticks are frames: numbers of one video are plausible ones of the other.
  make("ticks.mp4", std::string(kH264) + " -bf 0 -video_track_timescale 25");
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"d.y4m", "ticks.mp4"}, {"d.y4m", "d.mp4"}, {"d.mp4", "d.y4m"}};
  for (const auto& [distorted, reference] : pairs) {
    for (const Words& flags :
         {Words{}, {"--frame_skip_dist=3"}, {"--frame_skip_ref=3"}, {"--align=-3", "--crop=200:100:8:8"}}) {
      const Words words = joined(flags, {in_folder(distorted), "-r", in_folder(reference), "--feature",
                                         "psnr=enable_chroma=false", "--compare-anyway"});
      SCOPED_TRACE(testing::PrintToString(words));
      const json parts = merged(words), whole = single(words);
      ASSERT_TRUE(parts.is_object() && whole.is_object());
      EXPECT_EQ(parts.at("frames"), whole.at("frames"));
      EXPECT_EQ(parts.at("pooled_metrics"), whole.at("pooled_metrics"));
      EXPECT_EQ(parts.at("run").at("inputs"), whole.at("run").at("inputs"));
    }
  }
}

TEST_F(PlanFaults, AModelThatChangesIsRefused) {
  const std::string model = in_folder("m.json");
  write_file(model, synthetic_model({"Cambi_feature_cambi_score"}).dump());
  const std::string before = read_file(model);
  const fs::file_time_type time = fs::last_write_time(model);
  make("d.mp4", kH264);
  planned({"-r", in_folder("d.mp4"), "--model", "path=" + model});
  EXPECT_EQ(shard("0,1").code, 0);
  // Of the same size and time: its content is looked at.
  const size_t digit = before.find_first_of("123456789");
  ASSERT_NE(digit, std::string::npos);
  std::string changed = before;
  changed[digit] = changed[digit] == '9' ? '8' : static_cast<char>(changed[digit] + 1);
  write_file(model, changed);
  fs::last_write_time(model, time);
  for (const ProgramResult& run : {shard("2"), merge()}) {
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(model));
  }
  EXPECT_FALSE(fs::exists(result(2)));
  EXPECT_EQ(run_program({"merge", plan(), "--reports", in_folder("reports"), "--quiet"}).code, 2);
  write_file(model, before);
  fs::last_write_time(model, time);
  EXPECT_EQ(shard("2").code, 0);
  EXPECT_EQ(merge().code, 0);
}

TEST_F(PlanFaults, ADamagedResultIsNamedAndScoredAgain) {
  planned({});
  EXPECT_EQ(shard("0-2").code, 0);
  const std::string whole = read_file(result(1));
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  const auto damage = [&] { write_file(result(1), damaged); };
  damage();
  const ProgramResult merged = merge();
  EXPECT_EQ(merged.code, 6);
  EXPECT_THAT(merged.err, AllOf(HasSubstr("damaged"), HasSubstr(result(1))));
  EXPECT_EQ(shard("1").code, 0);
  EXPECT_EQ(merge().code, 0);
  damage();
  run_well({"submit", plan(), "--engine", "local", "-o", in_folder("out.json"), "--quiet"});
}

TEST_F(PlanFaults, NamesThatAreNotUtf8CannotBePlanned) {
  make("d.mp4", kH264);
  fs::create_directory(in_folder("v"));
  fs::copy(in_folder("d.mp4"), in_folder("v/x\xFF.mp4"));
  const ProgramResult alone = run_program({"plan", in_folder("v"), "-o", plan(), "--quiet"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(message_lines(alone.err).errors, SizeIs(1));
  EXPECT_THAT(alone.err, HasSubstr("x\\xff.mp4"));
  EXPECT_FALSE(fs::exists(plan()));
  fs::copy(in_folder("d.mp4"), in_folder("v/y.mp4"));
  EXPECT_EQ(run_program({"plan", in_folder("v"), "-o", plan(), "--quiet"}).code, 2) << "of the one";
  const json made = read_json(plan());
  EXPECT_EQ(made.at("title_count"), 1);
  EXPECT_EQ(made.at("titles").at(0).at("name"), "y.mp4");
  EXPECT_EQ(
      run_program({"plan", in_folder("v/y.mp4"), "-o", plan(), "--results", in_folder("r\xFF"), "--quiet"})
          .code,
      2);
}

}  // namespace

}  // namespace vq::cli::test
