#!/bin/sh
# Runs golden_on_device over the clips: golden_on_device.sh PROGRAM ROOT GOLDEN [its flags].
set -eu
program=$1
root=$2
golden=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chroma=--chroma
[ "$golden" != cambi ] || chroma=
# shellcheck disable=SC2086
samples=$("$root/tests/program/decode_luma.sh" $chroma "$folder" "$root"/testdata/clips/*)
# shellcheck disable=SC2086
"$program" "$@" "$root/testdata/golden/$golden.json" $samples
