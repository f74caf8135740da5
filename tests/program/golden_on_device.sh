#!/bin/sh
# Runs golden_on_device over the clips: golden_on_device.sh PROGRAM ROOT GOLDEN [its flags].
set -eu
program=$1
root=$2
golden=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=$(echo " $*" | sed -n 's/.* \(--most [0-9]*\).*/\1/p')
[ "$golden" = cambi ] || flags="$flags --chroma"
cd "$root/testdata"
clips=$(grep -Eo '[a-z0-9_]+[.](mp4|mkv|webm)' "golden/$golden.json" | sort -u | sed 's,^,clips/,')
# shellcheck disable=SC2086
samples=$("$root/tests/program/decode_luma.sh" $flags "$folder" $clips)
# shellcheck disable=SC2086
"$program" "$@" "golden/$golden.json" $samples
