#!/bin/sh
# The example of docs/library.md scores as the program does: example_test.sh EXAMPLE CAMBI TOP
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for video in crushed ref; do
  ffmpeg -v error -i "$3/testdata/clips/colour_640x360_8b_$video.mp4" -f yuv4mpegpipe "$folder/$video.y4m"
done
"$2" "$folder/crushed.y4m" --reference "$folder/ref.y4m" --model version=vmaf_v0.6.1 --quiet --csv --output "$folder/scores.csv"
expected=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "vmaf") column = i; next }
                    { sum += $column; n++ } END { printf "%.4f", sum / n }' "$folder/scores.csv")
found=$("$1" "$folder/crushed.y4m" "$folder/ref.y4m")
echo "program $expected, example $found"
[ "$(printf '%.4f' "$found")" = "$expected" ]
# A model that is not there is an error in words.
if error=$("$1" "$folder/crushed.y4m" "$folder/ref.y4m" version=vmaf_v9 2>&1 >/dev/null); then exit 1; fi
echo "$error" | grep -q vmaf_v9
