#!/bin/sh
# Decodes videos to bare samples: decode_luma.sh [--most SAMPLES] [--chroma] FOLDER VIDEO..., then prints the
# arguments of golden_on_device. Without --chroma luma alone; with --most no samples of larger pictures.
set -eu
most=$((1 << 40))
if [ "$1" = --most ]; then
  most=$2
  shift 2
fi
planes=luma
if [ "$1" = --chroma ]; then
  planes=all
  shift
fi
folder=$1
shift
for video in "$@"; do
  name=$(basename "$video")
  out=$folder/${name%.*}.raw
  info=$(ffprobe -v error -select_streams v:0 -show_entries stream=width,height,pix_fmt -of csv=p=0 "$video")
  width=$(echo "$info" | cut -d, -f1)
  height=$(echo "$info" | cut -d, -f2)
  pixels=$(echo "$info" | cut -d, -f3)
  case $pixels in
    *9le) depth=9 end=9le ;;
    *10le) depth=10 end=10le ;;
    *12le) depth=12 end=12le ;;
    *16le) depth=16 end=16le ;;
    *) depth=8 end= ;;
  esac
  chroma=
  options="-vf extractplanes=y -pix_fmt gray$end"
  case $planes,$pixels in
    all,yuv*420p*) chroma=/420 ;;
    all,yuv*422p*) chroma=/422 ;;
    all,yuv*444p*) chroma=/444 ;;
  esac
  [ -z "$chroma" ] || options=
  # shellcheck disable=SC2086
  [ $((width * height)) -gt "$most" ] ||
    ffmpeg -v error -nostdin -y -i "$video" $options -fps_mode passthrough -f rawvideo "$out"
  echo "$out:${width}x$height@$depth$chroma"
done
