# Completion of cambi for bash.

_cambi() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local subcommands="compare devices diff features gate help info report version"
  local flags="--distorted --reference --width --height --pixel_format --bitdepth --frame_cnt --frame_skip_ref
    --frame_skip_dist --subsample --start --end --crop --stream --stream-ref --output --json --xml --csv --sub --html
    --precision --worst --fail-above --fail-below --stream-scores --extended --quiet --progress --threads --backend --device --cpumask
    --gpumask --no_prediction --max-memory --strict --allow-damage --version --model --aom_ctc --nflx_ctc --feature
    --full-ref --profile --enc --src --eotf --range --topk --window-size --tvi-threshold --max-log-contrast
    --vis-lum --max-val --high-res-speedup --heatmaps --heatmap-format --heatmap-frames --help"
  local words=
  COMPREPLY=()
  case ${COMP_WORDS[1]} in
    compare) flags="$flags --by --metric" ;;
    devices | features) flags="--help" ;;
    diff) flags="--places --help" ;;
    gate) flags="$flags --backends --places" ;;
    info) flags="--stream --help" ;;
    report) flags="--output --force --help" ;;
    help | version) flags="" ;;
  esac
  case $previous in
    --pixel_format | -p) words="400 420 422 444" ;;
    --bitdepth | -b) words="8 9 10 12 14 16" ;;
    --crop) words="auto" ;;
    --precision) words="max" ;;
    --fail-above) words="mean> p95> p99> max> share>" ;;
    --fail-below) words="mean< p1< p5< min< share<" ;;
    --progress) words="auto bar plain json none" ;;
    --backend) words="auto cpu scalar hybrid vulkan" ;;
    --feature | features) words="cambi" ;;
    --profile) words="vmaf-v1" ;;
    --eotf) words="auto bt1886 pq hlg" ;;
    --range) words="auto limited full" ;;
    --high-res-speedup) words="0 1080 1440 2160" ;;
    --heatmap-format) words="png video gray png,video png,video,gray" ;;
    --heatmap-frames) words="worst all" ;;
    --by) words="mean median p90 p95 p99 max share harmonic min stdev" ;;
    --heatmaps)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --width | -w | --height | -h | --frame_cnt | --frame_skip_ref | --frame_skip_dist | --subsample | --start | --end | \
      --stream | --stream-ref | --worst | --threads | --device | --cpumask | --gpumask | --max-memory | --enc | --src | \
      --topk | --window-size | --tvi-threshold | --max-log-contrast | --vis-lum | --max-val | --places | --metric | --backends)
      return
      ;;
  esac
  if [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD == 2)); then words=$subcommands; fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  if ((COMP_CWORD == 1)); then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$subcommands" -- "$current")
  fi
}

complete -o filenames -F _cambi cambi
