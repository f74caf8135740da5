#!/bin/sh
# That the benchmark runs, and everything of one small video in it: bench_test.sh BENCH VIDEO. No time is looked at.
set -eu
bench=$1
video=$2
name=$(basename "${video%.*}")
targets=$("$bench" --benchmark_list_tests "$video" | sed -n "s|^$name/frame/||p")
echo "$targets" | grep -qx scalar

expected="memory_copy
$name/repeated_frame
$name/changed_last_sample
$name/next_frame"
for stage in preprocess spatial_mask mode_filter prepare c_values pooling frame first_frame; do
  for target in $targets; do expected="$expected
$name/$stage/$target"; done
done
for run in extractor program; do
  for threads in 1 2; do expected="$expected
$name/$run/$threads/real_time"; done
done

report=$("$bench" --benchmark_min_time=0 --benchmark_filter="^(memory_copy|$name/.*)\$" "$video" 2>/dev/null)
ran=$(echo "$report" | sed -n "s/^\(memory_copy\|$name[^ ]*\) .*/\1/p")
if [ "$(echo "$expected" | sort)" != "$(echo "$ran" | sort)" ]; then
  printf 'expected:\n%s\nran:\n%s\n' "$expected" "$report"
  exit 1
fi
if echo "$report" | grep -q 'ERROR OCCURRED'; then
  echo "$report"
  exit 1
fi
all=$("$bench" --benchmark_list_tests)
has() { echo "$all" | grep -qx "$1"; }
for hard in noise ramp steep_ramp dithered_ramp own_levels random_levels random_few; do has "$hard/c_values/scalar"; done
# Of the instruction sets those that --cpumask chooses: the best is one of them.
for feature in adm ciede fingerprint float_ms_ssim float_ssim histogram motion psnr psnr_hvs speed_chroma vif xpsnr; do
  for target in $(echo "$targets" | head -n 2); do has "film_3840x2160_10b/$feature/$target"; done
done
for feature in float_ssim histogram; do
  "$bench" --benchmark_min_time=0 --benchmark_filter="^film_1920x1080_8b/$feature/" 2>/dev/null | grep -q ns/px
done
# What is no video is refused.
if "$bench" "$0" 2>/dev/null; then
  echo "a script was taken for a video"
  exit 1
fi
