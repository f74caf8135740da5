#!/bin/sh
# Decodes videos to bare luma: decode_luma.sh FOLDER VIDEO..., then prints the arguments of gpu_bench and
# golden_on_device.
set -eu
folder=$1
shift
for video in "$@"; do
  name=$(basename "$video")
  out=$folder/${name%.*}.raw
  info=$(ffprobe -v error -select_streams v:0 -show_entries stream=width,height,pix_fmt -of csv=p=0 "$video")
  width=$(echo "$info" | cut -d, -f1)
  height=$(echo "$info" | cut -d, -f2)
  case $(echo "$info" | cut -d, -f3) in
    *9le) depth=9 format=gray9le ;;
    *10le) depth=10 format=gray10le ;;
    *12le) depth=12 format=gray12le ;;
    *16le) depth=16 format=gray16le ;;
    *) depth=8 format=gray ;;
  esac
  ffmpeg -v error -nostdin -y -i "$video" -vf extractplanes=y -fps_mode passthrough -f rawvideo -pix_fmt "$format" "$out"
  echo "$out:${width}x$height@$depth"
done
