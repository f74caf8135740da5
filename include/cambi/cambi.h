/* The C interface of cambi: scores pictures in memory by the features and models that the program has, with
   the same figures.

   A context says how to compute: threads, backend, device. A run takes pairs of pictures, frame by frame, and
   has the scores. A minimal program:

     CambiContext* context = NULL;
     CambiRun* run = NULL;
     cambi_open(NULL, &context);
     cambi_run_open(context, NULL, &run);
     cambi_run_add_model(run, "version=vmaf_v0.6.1");
     while (read_pair(&distorted, &reference)) cambi_run_push(run, &distorted, &reference);
     cambi_run_finish(run);
     cambi_run_statistic(run, "vmaf", "mean", 0, -1, &mean);
     cambi_run_close(run);
     cambi_close(context);

   Errors. Functions that can fail return a CambiStatus: 0 for success, and cambi_error() has a sentence about
   the last failure on the calling thread. A function that fails leaves its output parameters as they were.

   Structs. Each begins with its size, which the caller sets to sizeof: later versions add members at the end,
   and members beyond the size a caller knows have their defaults. Zero is the default of every member.

   Threads. Contexts and runs are independent of each other. One thread at a time may add to, push to and
   finish a run; meanwhile others may read its scores and cancel it. Callbacks may come from any thread.

   Texts are UTF-8. Texts that functions return belong to the library; each function says how long they live.
   No function raises a signal or an exception, ends the process, or depends on or changes the locale, the
   current folder or the floating-point environment. */
#ifndef CAMBI_CAMBI_H
#define CAMBI_CAMBI_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CAMBI_API __attribute__((visibility("default")))
#else
#define CAMBI_API
#endif

/* In C++ as in C, every int is a value of these enumerations, and one that means nothing is refused. */
#ifdef __cplusplus
#define CAMBI_ANY_INT : int
extern "C" {
#else
#define CAMBI_ANY_INT
#endif

typedef enum CambiStatus CAMBI_ANY_INT {
  CAMBI_OK = 0,
  CAMBI_PENDING = 1,    /* the frame is not scored yet */
  CAMBI_EUSAGE = -1,    /* an argument, a name or an option is wrong, or the order of the calls */
  CAMBI_EFORMAT = -2,   /* the pictures do not fit together, or a feature cannot take them */
  CAMBI_EDEVICE = -3,   /* the backend or the device is not available, or was lost */
  CAMBI_ENOMEM = -4,    /* memory or another limit of the system */
  CAMBI_ESTOPPED = -5,  /* the run was cancelled */
  CAMBI_ENOTFOUND = -6, /* the run has no such metric, frame or text */
  CAMBI_EOUTPUT = -7,   /* the caller's write function reported a failure */
  CAMBI_EINTERNAL = -8  /* a defect of the library */
} CambiStatus;

/* The last failure on the calling thread, without a line end. Valid until the thread's next call that fails.
   Never null. */
CAMBI_API const char* cambi_error(void);

/* "0.1.0". Static. */
CAMBI_API const char* cambi_version(void);

/* Takes a piece of a text. Returns 0, or another value to stop. */
typedef int (*CambiWrite)(void* user, const char* text, size_t bytes);

/* ---- Contexts ---- */

typedef struct CambiContext CambiContext;

typedef enum CambiLogLevel CAMBI_ANY_INT { CAMBI_LOG_NOTE, CAMBI_LOG_WARNING } CambiLogLevel;

typedef struct CambiOptions {
  size_t size;
  int threads; /* number that compute on the CPU; 0: one for each core, 1: the caller's thread alone */
  /* "auto" (null means the same), "cpu", "scalar", "hybrid" or "vulkan". "auto" takes a GPU if this machine
     has a usable one that is not software, and goes on with the CPU if it fails. A backend that is named
     never changes. Scores are the same on every backend. */
  const char* backend;
  const char* device; /* index or name of the Vulkan device, or part of its name; null: the best one */
  /* Where compiled pipelines are kept between runs; null: nowhere. The program has $XDG_CACHE_HOME/cambi or
     ~/.cache/cambi. */
  const char* cache_folder;
  /* Called for each note and warning of every run when it is found; null: not at all. `text` lives for
     the call. */
  void (*log)(void* user, CambiLogLevel level, const char* text);
  void* log_user;
} CambiOptions;

/* `options` may be null. Opens no device: that happens with a run's first pictures. Contexts of the process
   share devices, which stay open for five seconds after their last run. */
CAMBI_API CambiStatus cambi_open(const CambiOptions* options, CambiContext** context);

/* Null is allowed. Runs that are open keep what they need. */
CAMBI_API void cambi_close(CambiContext* context);

typedef enum CambiCatalogue CAMBI_ANY_INT { CAMBI_FEATURES, CAMBI_MODELS, CAMBI_DEVICES } CambiCatalogue;

/* Writes what the library has as a JSON array of objects: features with their options and metrics, built-in
   models, or the machine's Vulkan devices. */
CAMBI_API CambiStatus cambi_catalogue(CambiCatalogue which, CambiWrite write, void* user);

/* ---- Runs ---- */

typedef struct CambiRun CambiRun;

typedef struct CambiRunOptions {
  size_t size;
  int64_t subsample;  /* 5: the first of every 5 frames is scored; 0 and 1: every frame */
  double frame_rate;  /* frames a second, for "auto" models and for xpsnr; 0: unknown */
  int no_prediction;  /* not 0: models' features are reported, but no scores of models */
  int as_stored;      /* not 0: samples of other ranges, matrices and chroma formats are compared as they are;
                         otherwise features that compare them see them converted, as they do in the program */
  int histograms;     /* not 0: keeps the histograms of features that have some, for cambi_run_histogram() */
  int skip_unchanged; /* not 0: pictures are compared with those before, and a pair that repeats is not
                         computed again */
} CambiRunOptions;

/* `options` may be null. */
CAMBI_API CambiStatus cambi_run_open(CambiContext* context, const CambiRunOptions* options, CambiRun** run);

/* A run that is finished, as a JSON report of `bytes` bytes has it: one of the program, of cambi_run_write()
   or of libvmaf. All functions of results take it, and it needs no context. What a report does not tell is
   empty. */
CAMBI_API CambiStatus cambi_run_read(const char* report, size_t bytes, CambiRun** run);

/* Stops what is in progress and releases all pictures. Null is allowed. */
CAMBI_API void cambi_run_close(CambiRun* run);

/* A feature by the words of the command line: "psnr", "cambi=topk=0.2:window_size=31". Needs: no frame was
   pushed. */
CAMBI_API CambiStatus cambi_run_add_feature(CambiRun* run, const char* feature);

/* A model: "version=vmaf_v0.6.1", "path=model.json:name=mine", "auto" (the built-in model that suits the
   pictures, which it sees at its display's size), "version=vmaf_v0.6.1:scaled" (likewise). Needs: no frame
   was pushed. */
CAMBI_API CambiStatus cambi_run_add_model(CambiRun* run, const char* model);

typedef enum CambiChroma CAMBI_ANY_INT {
  CAMBI_420,
  CAMBI_400,
  CAMBI_422,
  CAMBI_440,
  CAMBI_444,
  CAMBI_411,
  CAMBI_410
} CambiChroma;
typedef enum CambiRange CAMBI_ANY_INT {
  CAMBI_RANGE_UNKNOWN,
  CAMBI_RANGE_LIMITED,
  CAMBI_RANGE_FULL
} CambiRange;
typedef enum CambiMatrix CAMBI_ANY_INT {
  CAMBI_MATRIX_UNKNOWN,
  CAMBI_MATRIX_BT601,
  CAMBI_MATRIX_BT709,
  CAMBI_MATRIX_FCC,
  CAMBI_MATRIX_SMPTE240,
  CAMBI_MATRIX_BT2020,
  CAMBI_MATRIX_OTHER,
  CAMBI_MATRIX_RGB /* the planes are G, B and R */
} CambiMatrix;
typedef enum CambiTransfer CAMBI_ANY_INT {
  CAMBI_TRANSFER_UNKNOWN,
  CAMBI_TRANSFER_BT1886, /* also that of BT.601, BT.709 and BT.2020 */
  CAMBI_TRANSFER_PQ,
  CAMBI_TRANSFER_HLG,
  CAMBI_TRANSFER_OTHER,
  CAMBI_TRANSFER_SRGB,
  CAMBI_TRANSFER_LINEAR
} CambiTransfer;
/* Where chroma samples lie among those of luma, as H.273 says. */
typedef enum CambiChromaLocation CAMBI_ANY_INT {
  CAMBI_LOCATION_UNKNOWN,
  CAMBI_LOCATION_LEFT,
  CAMBI_LOCATION_CENTER,
  CAMBI_LOCATION_TOP_LEFT,
  CAMBI_LOCATION_TOP,
  CAMBI_LOCATION_BOTTOM_LEFT,
  CAMBI_LOCATION_BOTTOM
} CambiChromaLocation;

/* One picture. Samples of 8 bits are bytes, deeper ones lie in the low bits of native 16-bit words. Sides of
   chroma planes are rounded up. Nothing but the samples is read: rows may end where their last sample does.
 */
typedef struct CambiPicture {
  size_t size;
  const void* planes[3]; /* Y, Cb, Cr. Those that no feature looks at may be null. */
  ptrdiff_t strides[3];  /* bytes from one row to the next; negative where the last row comes first */
  int width, height;     /* of luma, in samples: 1 to 16384 */
  int bit_depth;         /* 8 to 16 */
  CambiChroma chroma;
  CambiRange range;
  CambiMatrix matrix;
  CambiTransfer transfer;
  CambiChromaLocation chroma_location;
  double seconds;  /* when it is shown */
  int has_seconds; /* not 0: `seconds` is known */
  /* Called once when the samples are no longer needed, with `release_user`: before cambi_run_push() returns
     or later, from any thread, also if it fails. It must not call the library. Null: the samples are copied.
   */
  void (*release)(void* user);
  void* release_user;
} CambiPicture;

/* Scores the next pair; frames are numbered from 0 in the order of these calls. `reference` is null where no
   feature needs one, and is released unread where none looks at it. The first pair says what formats all
   have. Features see pictures as they do in the program, with a note on each: those that compare samples in
   one range, matrix and chroma format, those of "auto" models and of models with ":scaled" in the size and
   depth of their display. Others need pictures of one size (CAMBI_EFORMAT). Returns when the pair is taken,
   which may wait for earlier ones. After a failure the run has the scores before it, and only
   cambi_run_finish(), reading and closing make sense. */
CAMBI_API CambiStatus cambi_run_push(CambiRun* run, const CambiPicture* distorted,
                                     const CambiPicture* reference);

/* Scores what is left, as no frame follows. From then on the run holds neither pictures nor threads. */
CAMBI_API CambiStatus cambi_run_finish(CambiRun* run);

/* Makes the run's calls return CAMBI_ESTOPPED, at the latest when the frame in progress is done; the next of
   cambi_run_push() and cambi_run_finish() gives pictures, memory and threads back. Rows that are scored can
   be read; asking for others returns CAMBI_ESTOPPED. From any thread. */
CAMBI_API CambiStatus cambi_run_cancel(CambiRun* run);

/* ---- Results ---- */

/* Number of frames pushed, and of scored rows, each of which has every metric. Rows are the frames that are
   scored: with `subsample` 5 row 2 is frame 10. Either place may be null. */
CAMBI_API CambiStatus cambi_run_progress(CambiRun* run, int64_t* pushed, int64_t* rows);

/* Numbers of the frames of `count` rows from `first` on. */
CAMBI_API CambiStatus cambi_run_frames(CambiRun* run, int64_t first, int64_t count, int64_t* frames);

typedef enum CambiBetter CAMBI_ANY_INT {
  CAMBI_HIGHER_IS_BETTER = 1,
  CAMBI_NEITHER_IS_BETTER = 0,
  CAMBI_LOWER_IS_BETTER = -1
} CambiBetter;

/* The texts live as long as the run. */
typedef struct CambiMetric {
  size_t size;
  const char* name;    /* in reports: "vmaf", "psnr_y", "cambi_topk_0.2" */
  const char* title;   /* "PSNR of luma"; empty: the name says it */
  const char* subject; /* what a score measures: "banding"; may be empty */
  const char* unit;    /* "dB"; may be empty */
  CambiBetter better;
  int has_noteworthy; /* scores from `noteworthy` on, towards the worse end, are worth attention */
  double noteworthy;
  const char* noteworthy_meaning; /* "slightly annoying" */
  int is_inner;                   /* nobody asked for it but a model, to score from */
} CambiMetric;

/* The metrics in the order of reports; `index` from 0 on, CAMBI_ENOTFOUND behind the last. Known once a pair
   was pushed. Set metric->size first. */
CAMBI_API CambiStatus cambi_run_metric(CambiRun* run, size_t index, CambiMetric* metric);

/* A frame's score by a metric. CAMBI_PENDING: it is in flight or was not pushed yet; CAMBI_ENOTFOUND: it is
   not among the frames that are scored. */
CAMBI_API CambiStatus cambi_run_score(CambiRun* run, const char* metric, int64_t frame, double* score);

/* The scores of `count` rows from `first` on. */
CAMBI_API CambiStatus cambi_run_scores(CambiRun* run, const char* metric, int64_t first, int64_t count,
                                       double* scores);

/* A statistic of the rows from `first` to `last`, both included; -1: to the last one there is. By its word:
   min, max, mean, harmonic_mean, stdev, median, p0 to p100, or share (of the noteworthy ones, 0 to 1). Not a
   number where a score is none. */
CAMBI_API CambiStatus cambi_run_statistic(CambiRun* run, const char* metric, const char* statistic,
                                          int64_t first, int64_t last, double* value);

/* What a feature says of a frame in words, by the name of the text. The text lives as long as the run. */
CAMBI_API CambiStatus cambi_run_text(CambiRun* run, const char* name, int64_t frame, const char** text);

/* Number of samples in each bin of a frame's histogram, by the name of its channel: "y". `*bins` lives as
   long as the run. Needs: CambiRunOptions::histograms. */
CAMBI_API CambiStatus cambi_run_histogram(CambiRun* run, const char* channel, int64_t frame,
                                          const uint32_t** bins, size_t* count);

/* A figure of the whole run, such as "apsnr_y". Known when the run is finished. */
CAMBI_API CambiStatus cambi_run_aggregate(CambiRun* run, const char* name, double* value);

/* Whether a threshold is crossed by the rows there are: "vmaf:p5<80", "cambi:share>10%". `*crossed` is 1 if
   so, 0 if not, and -1 if that cannot be judged: a fault of the pair is certain, so the scores are not
   comparable. `*value` is the statistic; it may be null. */
CAMBI_API CambiStatus cambi_run_threshold(CambiRun* run, const char* threshold, int* crossed, double* value);

/* Notes and warnings of the run so far; `index` from 0 on, CAMBI_ENOTFOUND behind the last. The text lives as
   long as the run. */
CAMBI_API CambiStatus cambi_run_remark(CambiRun* run, size_t index, CambiLogLevel* level, const char** text);

/* What is wrong with the pair of videos, so that scores which compare them say nothing of quality, or may
   not. The texts and frames live as long as the run. */
typedef struct CambiPairFault {
  size_t size;
  /* "pictures" (other pictures), "mirrored", "negative", "range", "transfer", "shape", "rotation", "rate",
     "shift", "uneven" (dropped or repeated frames), "bars", "swapped" or "contrast"; later versions may know
     more */
  const char* kind;
  const char* text; /* one sentence or more, without a line end */
  /* Not 0: the scores are wrong, and thresholds on them are not judged. 0: there may be a good reason. */
  int is_certain;
  /* First and last frame of each of `stretches` stretches that are compared wrongly; 0 of them: all frames.
   */
  const int64_t* frames;
  size_t stretches;
} CambiPairFault;

/* The faults of the pair that are known so far, as reports have them; `index` from 0 on, CAMBI_ENOTFOUND
   behind the last. Some are known with the first pair, some after up to 240, and some when the run is
   finished; each is a warning as well. The pair is scored all the same. None where no feature compares the
   videos. From any thread. Set fault->size first. */
CAMBI_API CambiStatus cambi_run_pair_fault(CambiRun* run, size_t index, CambiPairFault* fault);

typedef struct CambiBackend {
  size_t size;
  const char* backend; /* "scalar", "cpu", "hybrid" or "vulkan" */
  const char* simd;    /* instruction set of what runs on the CPU */
  const char* device;  /* empty on the CPU */
  const char* driver;
  int64_t repeated_frames; /* that were not computed again */
  /* The digest that `cambi devices --check` found for the device, if it passed with this version and driver
     and the context's cache folder; else empty. */
  const char* certificate;
} CambiBackend;

/* What really runs. The texts live until the next call with this run or until it is closed. Needs: a pair was
   pushed. */
CAMBI_API CambiStatus cambi_run_backend(CambiRun* run, CambiBackend* backend);

typedef enum CambiFormat CAMBI_ANY_INT {
  CAMBI_XML,
  CAMBI_JSON,
  CAMBI_CSV,
  CAMBI_SUB,
  CAMBI_JSON_EXTENDED
} CambiFormat;

/* The report of the rows there are, as the program writes it; of a run that was read, with every number as it
   was, and extended only if that was. */
CAMBI_API CambiStatus cambi_run_write(CambiRun* run, CambiFormat format, CambiWrite write, void* user);

#ifdef __cplusplus
}
#endif

#endif
