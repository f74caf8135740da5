#!/usr/bin/env python3
"""Compiles and runs the snippets of docs/library.md: usage snippets_test.py LIBRARY SOURCE_FOLDER COMPILER

Each must print what its last comment says.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

AROUND = r"""
#include <cambi/cambi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(CambiStatus status) {
  if (status == CAMBI_OK) return;
  fprintf(stderr, "%s\n", cambi_error());
  exit(1);
}
enum { kWidth = 320, kHeight = 240 };
static const CambiPicture* pattern(int place, int frame, int noise) {
  static unsigned char samples[2][kWidth * kHeight * 3 / 2];
  static CambiPicture pictures[2];
  unsigned char* const to = samples[place];
  for (int i = 0; i < kWidth * kHeight * 3 / 2; ++i)
    to[i] = (unsigned char)(60 + (i / 13 + frame) % 120 + (i * 7919 + frame) % (noise + 1));
  CambiPicture picture = {.size = sizeof picture, .width = kWidth, .height = kHeight, .bit_depth = 8};
  for (int p = 0; p < 3; ++p) {
    picture.planes[p] = to + (p == 0 ? 0 : kWidth * kHeight * (p + 3) / 4);
    picture.strides[p] = p == 0 ? kWidth : kWidth / 2;
  }
  pictures[place] = picture;
  return &pictures[place];
}
static const CambiPicture* distorted(int frame) { return pattern(0, frame, 4); }
static const CambiPicture* reference(int frame) { return pattern(1, frame, 2); }
static const CambiPicture* deep_picture(int bits) {
  static unsigned short samples[kWidth * kHeight];
  static CambiPicture picture;
  for (int i = 0; i < kWidth * kHeight; ++i) samples[i] = (unsigned short)(100 + i % kWidth / 4);
  picture = (CambiPicture){.size = sizeof picture, .planes = {samples}, .strides = {kWidth * 2}, .width = kWidth,
                           .height = kHeight, .bit_depth = bits, .chroma = CAMBI_400};
  return &picture;
}
static void count_release(void* user) { ++*(int*)user; }
static int print_text(void* user, const char* text, size_t bytes) {
  (void)user;
  return fwrite(text, 1, bytes, stdout) != bytes;
}
static int count_text(void* user, const char* text, size_t bytes) {
  (void)text;
  *(size_t*)user += bytes;
  return 0;
}
int main(void) {
  (void)distorted, (void)reference, (void)deep_picture, (void)count_release, (void)print_text, (void)count_text;
  CambiContext* context = NULL;
  CambiRun* run = NULL;
  size_t text_bytes = 0;
  (void)text_bytes;
  check(cambi_open(&(CambiOptions){.size = sizeof(CambiOptions), .threads = 1, .backend = "cpu"}, &context));
  check(cambi_run_open(context, NULL, &run));
  {
SNIPPET
  }
  cambi_run_close(run);
  cambi_close(context);
  return 0;
}
"""


def faults(number, snippet, library, source, compiler, folder):
    expected = re.search(r"/\* prints: (.*) \*/\s*$", snippet).group(1)
    code, program = folder / f"snippet{number}.c", folder / f"snippet{number}"
    code.write_text(AROUND.replace("SNIPPET", snippet), encoding="utf-8")
    built = subprocess.run([compiler, "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{source / 'include'}", code, "-o", program,
                            f"-L{library.parent}", "-lcambi"], stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        return built.stderr
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)})
    printed = done.stdout.strip().split("\n")[0].strip()
    if done.returncode != 0 or printed != expected:
        return f"ends with {done.returncode} and prints {printed!r} instead of {expected!r} {done.stderr}"
    return ""


def main():
    library, source, compiler = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    page = (source / "docs/library.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```c\n(.*?)^```$", page, flags=re.S | re.M)
    if len(snippets) < 10:
        sys.exit(f"{len(snippets)} snippets")
    with tempfile.TemporaryDirectory() as folder:
        found = [(number, faults(number, snippet, library, source, compiler, pathlib.Path(folder)))
                 for number, snippet in enumerate(snippets, 1)]
    bad = [f"snippet {number}: {text}" for number, text in found if text]
    sys.exit("\n".join(bad) if bad else 0)


main()
