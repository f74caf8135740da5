#!/bin/sh
# Runs golden_on_device over the clips: golden_on_device.sh PROGRAM ROOT [its flags].
set -eu
program=$1
root=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
luma=$("$root/tests/program/decode_luma.sh" "$folder" "$root"/testdata/clips/*)
# shellcheck disable=SC2086
"$program" "$@" "$root/testdata/golden/cambi.json" $luma
