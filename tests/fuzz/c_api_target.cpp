// Calls of the C library in any order: nulls, sizes that do not fit, several runs, a second thread that
// reads.
#include <thread>

#include "include/cambi/cambi.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {
namespace {

constexpr const char* kFeatureTexts[] = {
    "cambi", "psnr",   "motion",      "ciede",     "float_ssim", "psnr=enable_apsnr=true",
    "vif",   "bounds", "fingerprint", "histogram", "adm",        "cambi=window_size=15"};
constexpr const char* kModelTexts[] = {"version=vmaf_v0.6.1", "auto", "version=vmaf_b_v0.6.3:name=b",
                                       "neg:name=n"};
constexpr const char* kNames[] = {"psnr_y", "vmaf", "cambi", "fingerprint", "y", "apsnr_y", "motion2"};
constexpr const char* kStatistics[] = {"mean", "p5", "share", "stdev"};
constexpr int kMostPushes = 12;  // of a run, so that an input takes no longer than some milliseconds

void check_status(CambiStatus status) {
  if (status == CAMBI_OK || status == CAMBI_PENDING) return;
  require(status != CAMBI_EINTERNAL, "no order of calls is an internal error");
  check_message(cambi_error());
}

int count_bytes(void* user, const char* text, size_t bytes) {
  require(text != nullptr || bytes == 0, "a text is no null");
  *static_cast<size_t*>(user) += bytes;
  return *static_cast<size_t*>(user) > 1 << 16;
}

// Samples that are freed when the library has seen them; leaks and second frees are the sanitizer's to find.
struct Samples {
  std::vector<uint8_t> bytes;
  static void release(void* user) { delete static_cast<Samples*>(user); }
};

CambiPicture take_picture(ByteTaker& taker) {
  CambiPicture picture = {};
  picture.size = sizeof picture;
  picture.width = taker.integer(0, 3) == 0 ? taker.integer(0, 300) : 232;
  picture.height = taker.integer(0, 3) == 0 ? taker.integer(0, 260) : 216;
  picture.bit_depth = taker.integer(0, 3) == 0 ? taker.integer(7, 17) : 8;
  picture.chroma = static_cast<CambiChroma>(taker.integer(0, 3) == 0 ? taker.integer(-1, 7) : CAMBI_420);
  picture.range = static_cast<CambiRange>(taker.integer(0, 7) == 0 ? taker.integer(-1, 3) : 0);
  picture.transfer = static_cast<CambiTransfer>(taker.integer(0, 7) == 0 ? taker.integer(-1, 5) : 0);
  picture.matrix = static_cast<CambiMatrix>(taker.integer(0, 7) == 0 ? taker.integer(-1, 7) : 0);
  picture.chroma_location =
      static_cast<CambiChromaLocation>(taker.integer(0, 7) == 0 ? taker.integer(-1, 7) : 0);
  const int padding = taker.integer(0, 9) * 2,
            stride = (picture.width + 1) * (picture.bit_depth > 8 ? 2 : 1) + padding;
  auto* const samples = new Samples;
  samples->bytes.resize(static_cast<size_t>(stride) * static_cast<size_t>(picture.height + 1));
  const int step = taker.integer(1, 40);
  const int top = picture.bit_depth == 8 ? 255 : 1;  // the upper byte of a word of at least 9 bits
  for (size_t i = 0; i < samples->bytes.size(); ++i)
    samples->bytes[i] =
        static_cast<uint8_t>(i % 2 == 0 || top == 255 ? i / static_cast<size_t>(step) : i % 2);
  for (int p = 0; p < 3; ++p) {
    picture.planes[p] = taker.integer(0, 40) == 0 ? nullptr : samples->bytes.data();
    // A stride that reaches beyond the samples would be a lie of the caller; one within a row is refused.
    picture.strides[p] = taker.integer(0, 40) == 0 ? taker.integer(-1, 1) * (picture.width / 2) : stride;
  }
  picture.release = &Samples::release;
  picture.release_user = samples;
  return picture;
}

struct OpenRun {
  CambiRun* run = nullptr;
  int frames = 0;
};

void push(ByteTaker& taker, OpenRun& open) {
  if (open.frames++ >= kMostPushes) return;
  const CambiPicture distorted = take_picture(taker);
  const int what = taker.integer(0, 9);
  if (what == 0) return check_status(cambi_run_push(open.run, &distorted, nullptr));
  const CambiPicture reference = take_picture(taker);
  check_status(cambi_run_push(open.run, &distorted, &reference));
}

// What any thread may do at any time.
void read(ByteTaker& taker, CambiRun* run) {
  std::string own, other;
  const char* const name = one_of(taker, kNames, own);
  const int64_t frame = taker.integer(-1, kMostPushes);
  double value = 0, values[4] = {};
  int64_t frames[4] = {};
  const char* text = nullptr;
  size_t count = 0;
  CambiLogLevel level = CAMBI_LOG_NOTE;
  CambiMetric metric = {};
  metric.size = static_cast<size_t>(taker.integer(0, 100));
  const uint32_t* bins = nullptr;
  int crossed = 0;
  switch (taker.integer(0, 10)) {
    case 0:
      return check_status(cambi_run_score(run, name, frame, &value));
    case 1:
      return check_status(cambi_run_scores(run, name, frame, taker.integer(-1, 4), values));
    case 2:
      return check_status(cambi_run_frames(run, frame, taker.integer(-1, 4), frames));
    case 3:
      return check_status(cambi_run_statistic(run, name, one_of(taker, kStatistics, other), frame,
                                              taker.integer(-2, 9), &value));
    case 4:
      return check_status(cambi_run_text(run, name, frame, &text));
    case 5:
      return check_status(cambi_run_histogram(run, name, frame, &bins, &count));
    case 6:
      return check_status(cambi_run_aggregate(run, name, &value));
    case 7:
      return check_status(
          cambi_run_threshold(run, taker.integer(0, 1) == 0 ? "mean>5" : "psnr_y:p5<30", &crossed, &value));
    case 8:
      return check_status(cambi_run_remark(run, static_cast<size_t>(frame), &level, &text));
    case 9:
      return check_status(cambi_run_metric(run, static_cast<size_t>(frame), &metric));
    default:
      return check_status(
          cambi_run_write(run, static_cast<CambiFormat>(taker.integer(-1, 5)), count_bytes, &count));
  }
}

int append(void* user, const char* text, size_t bytes) {
  static_cast<std::string*>(user)->append(text, bytes);
  return 0;
}

// The run's report, maybe damaged, is read back.
void read_report(ByteTaker& taker, CambiRun* run) {
  std::string report;
  check_status(
      cambi_run_write(run, taker.integer(0, 1) == 0 ? CAMBI_JSON : CAMBI_JSON_EXTENDED, append, &report));
  for (int changes = taker.integer(0, 3); changes > 0 && !report.empty(); --changes)
    report[taker.word(2) % report.size()] = static_cast<char>(taker.byte());
  CambiRun* found = nullptr;
  check_status(cambi_run_read(taker.integer(0, 20) == 0 ? nullptr : report.data(), report.size(), &found));
  read(taker, found);
  cambi_run_close(found);
}

void change(ByteTaker& taker, CambiContext* context, OpenRun& open) {
  std::string own;
  switch (taker.integer(0, 12)) {
    case 0: {
      CambiRunOptions options = {};
      options.size = static_cast<size_t>(taker.integer(0, 3) == 0 ? taker.integer(0, 60)
                                                                  : static_cast<int>(sizeof options));
      options.subsample = taker.integer(-1, 4);
      options.frame_rate = taker.integer(0, 1) == 0 ? 0 : taker.real();
      options.as_stored = taker.integer(0, 1);
      options.no_prediction = taker.integer(0, 1);
      options.histograms = taker.integer(0, 1);
      options.skip_unchanged = taker.integer(0, 1);
      cambi_run_close(open.run);
      open = {};
      return check_status(cambi_run_open(context, taker.integer(0, 1) == 0 ? nullptr : &options, &open.run));
    }
    case 1:
      return check_status(cambi_run_add_feature(open.run, one_of(taker, kFeatureTexts, own)));
    case 2:
      return check_status(cambi_run_add_model(open.run, one_of(taker, kModelTexts, own)));
    case 3:
      return check_status(cambi_run_finish(open.run));
    case 4:
      if (taker.integer(0, 3) == 0) check_status(cambi_run_cancel(open.run));
      return;
    case 5:
      return read(taker, open.run);
    case 6:
      return read_report(taker, open.run);
    default:
      return push(taker, open);
  }
}

}  // namespace

void run_c_api(std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  CambiOptions options = {};
  options.size =
      static_cast<size_t>(taker.integer(0, 7) == 0 ? taker.integer(0, 80) : static_cast<int>(sizeof options));
  options.threads = taker.integer(0, 3) == 0 ? taker.integer(-1, 3) : 1;
  options.backend = taker.integer(0, 3) == 0 ? "scalar" : "cpu";
  CambiContext* context = nullptr;
  check_status(cambi_open(&options, &context));
  std::array<OpenRun, 2> runs;
  for (OpenRun& open : runs) check_status(cambi_run_open(context, nullptr, &open.run));
  while (!taker.empty()) {
    OpenRun& open = runs[static_cast<size_t>(taker.integer(0, 1))];
    if (taker.integer(0, 7) != 0) {
      change(taker, context, open);
      continue;
    }
    // A second thread reads while this one pushes.
    const std::span<const uint8_t> rest = taker.rest();
    std::thread reader([&open, rest] {
      ByteTaker own(rest.first(std::min<size_t>(rest.size(), 64)));
      while (!own.empty()) read(own, open.run);
    });
    push(taker, open);
    reader.join();
  }
  cambi_close(context);  // runs may outlive it
  for (OpenRun& open : runs) cambi_run_close(open.run);
}

}  // namespace vq::fuzz
