/* Scores a y4m file of 8-bit 4:2:0: score_y4m DISTORTED REFERENCE [MODEL] */
#include <cambi/cambi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Video {
  FILE* file;
  int width, height;
} Video;

static int open_video(Video* video, const char* path) {
  char header[256];
  video->file = fopen(path, "rb");
  if (video->file == NULL || fgets(header, sizeof header, video->file) == NULL) return 0;
  const char *width = strstr(header, " W"), *height = strstr(header, " H");
  if (strncmp(header, "YUV4MPEG2 ", 10) != 0 || width == NULL || height == NULL) return 0;
  video->width = atoi(width + 2);
  video->height = atoi(height + 2);
  return 1;
}

/* Fills the picture with the next frame; 0 at the end. The library frees the samples when it has seen them. */
static int read_picture(Video* video, CambiPicture* picture) {
  const size_t chroma_width = (video->width + 1) / 2, luma = (size_t)video->width * video->height;
  const size_t chroma = chroma_width * ((video->height + 1) / 2);
  char line[256];
  if (fgets(line, sizeof line, video->file) == NULL) return 0;
  unsigned char* samples = malloc(luma + 2 * chroma);
  if (samples == NULL || fread(samples, 1, luma + 2 * chroma, video->file) != luma + 2 * chroma) return free(samples), 0;
  *picture = (CambiPicture){.size = sizeof *picture,
                            .planes = {samples, samples + luma, samples + luma + chroma},
                            .strides = {video->width, (ptrdiff_t)chroma_width, (ptrdiff_t)chroma_width},
                            .width = video->width,
                            .height = video->height,
                            .bit_depth = 8,
                            .release = free,
                            .release_user = samples};
  return 1;
}

static int check(CambiStatus status) {
  if (status != CAMBI_OK) fprintf(stderr, "score_y4m: %s\n", cambi_error());
  return status == CAMBI_OK;
}

int main(int count, char** words) {
  Video distorted, reference;
  CambiPicture one, other;
  CambiContext* context = NULL;
  CambiRun* run = NULL;
  double mean = 0;
  if (count < 3 || !open_video(&distorted, words[1]) || !open_video(&reference, words[2])) return 2;
  if (!check(cambi_open(NULL, &context)) || !check(cambi_run_open(context, NULL, &run))) return 1;
  if (!check(cambi_run_add_model(run, count > 3 ? words[3] : "version=vmaf_v0.6.1"))) return 1;
  while (read_picture(&reference, &other)) {
    if (!read_picture(&distorted, &one)) return fprintf(stderr, "score_y4m: %s is shorter\n", words[1]), 1;
    if (!check(cambi_run_push(run, &one, &other))) return 1;
  }
  if (!check(cambi_run_finish(run)) || !check(cambi_run_statistic(run, "vmaf", "mean", 0, -1, &mean))) return 1;
  printf("%.6f\n", mean);
  cambi_run_close(run);
  cambi_close(context);
  return 0;
}
