#!/bin/sh
# That whole runs are measured, and find the same values on the device and on the CPU: gpu_score_bench_test.sh GPU_SCORE_BENCH. No
# time is looked at.
set -eu
bench=$1

out=$("$bench" --model version=vmaf_v0.6.1 --feature psnr --feature float_ssim=scale=2 --backend vulkan --backend cpu --device 0 \
  --threads 2 --frames 3 --seconds 0.01 --pairs 2 film:256x160@10)
means=$(echo "$out" | grep 'means of the first 2 frames: .*vif.*psnr.*float_ssim 0\.')
if [ "$(echo "$means" | wc -l)" != 2 ] || [ "$(echo "$means" | sort -u | wc -l)" != 1 ]; then
  printf 'not the same twice:\n%s\n' "$out"
  exit 1
fi
for text in 'vulkan on .*, 2 threads: .* frames/s (3 in' 'cpu, .*, 2 threads: .* frames/s (3 in' 'psnr_y: squared_error  *device' \
  'float_ssim: compare  *host' 'psnr_y: score  *host'; do
  if ! echo "$out" | grep -q "$text"; then
    printf 'no "%s" in:\n%s\n' "$text" "$out"
    exit 1
  fi
done
# What it does not know is refused.
for words in '--feature nothing' '--model version=nothing' '--bogus 1' '--feature psnr --backend gpu'; do
  if "$bench" $words film:64x64@8 2>/dev/null; then
    echo "$words was taken"
    exit 1
  fi
done
