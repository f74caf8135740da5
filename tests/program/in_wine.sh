#!/bin/bash
# in_wine.sh TESTS PROGRAM: tests of the program for Windows, in Wine. They run on Linux and start it by a script, so that there is one set of
# tests for all systems. FFmpeg's DLLs lie beside PROGRAM.
set -euo pipefail
tests=$1
program=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

chosen=(
  # The figures of the reference implementations, on the CPU, of clips with options: depths, odd sizes, skipped frames. ./check compares
  # every feature and three models with Linux' program, and the large pictures would take an hour.
  'Quick/Golden.*/adm_clips' 'Quick/Golden.*/histogram' 'Quick/Golden.*/motion_clips' 'Quick/Golden.*/ms_ssim_options'
  'Quick/Golden.*/ssim_options' 'Quick/Golden.*/stretches' 'Quick/Golden.*/vif_clips' 'Quick/Golden.*/xpsnr_pictures'
  # Names, text and bytes, files that are the same or replaced, and pipes.
  'SystemsTest.*'
  # The keys on a terminal, which Wine makes an event of Windows' console.
  'Keys/CtrlCTest.*' 'Terminal.ShowsABar*' 'Terminal.HasNoColour*' 'Terminal.QuietShowsNothing'
  # What users do: folders of videos, gates, pages, pictures, parts of a video.
  'BatchTest.*' 'DecoderProgram.*' 'FingerprintProgram.*' 'HeatmapRun.*' 'HistogramProgram.*' 'JunitRun.*' 'ModelsProgram.*' 'Page.*'
  'ReportProgram.*' 'SegmentProgram.*' 'ThresholdRun.*'
)
# Left out are suites that need what Windows or Wine has not (devices, symbolic links, signals, scripts as encoders, calls that
# are made to fail), and those that call functions of Linux' build instead of the program.
left_out=(
  # A signal, which only ends a program in Wine.
  'BatchTest.AnInterruptLeavesWholeReportsAndTheNextRunGoesOn'
  # The name that the program is called by: here it is that of the script.
  'ModelsProgram.CalledVmafItScoresTheModelThatVmafDoes'
  # A name with a character that Windows has in none.
  'ThresholdRun.ForGitHubTheStepHasASummary'
)

printf '#!/bin/sh\nexec wine "%s" "$@"\n' "$program" >"$scratch/cambi"
chmod +x "$scratch/cambi"
# The server and its services stay while the tests run: each program would start them otherwise, and whoever reads what a program
# writes would wait for the services that it started.
wineserver --wait  # a server that is ending serves no more
wineserver -p60 </dev/null >/dev/null 2>&1
# A fresh prefix is a Windows 7.
wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f </dev/null >/dev/null 2>&1
join() { local IFS=:; echo "$*"; }
CAMBI_TESTED_PROGRAM=$scratch/cambi "$tests" --gtest_brief=1 --gtest_filter="$(join "${chosen[@]}")-$(join "${left_out[@]}")"

# A share, which in Wine is a folder.
share=$WINEPREFIX/dosdevices/unc/localhost/share
rm -rf "$share"
mkdir -p "$share"
cp testdata/clips/sky_640x360_8b.mp4 "$share"
"$scratch/cambi" batch //localhost/share --reports '\\localhost\share\reports' --progress none
[ "$(ls "$share/reports")" = $'index.html\nsky_640x360_8b.mp4.json\nsummary.csv\nsummary.json' ]
