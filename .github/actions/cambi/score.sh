#!/bin/bash
# What action.yml runs: scores a video with the cambi of PATH and tells the runner what came of it. The inputs of the action
# are in ACTION_*.
set -euo pipefail
results=${ACTION_RESULTS:-cambi-results}
mkdir -p "$results"
# Of an earlier step nothing may pass for the result of this one.
rm -f "$results"/cambi.{json,html,xml}

words=(-d "$ACTION_VIDEO" --github --extended --precision max -o "$results/cambi.json" --junit "$results/cambi.xml")
[ -z "${ACTION_REFERENCE:-}" ] || words+=(-r "$ACTION_REFERENCE")
[ -z "${ACTION_BASELINE:-}" ] || words+=(--baseline "$ACTION_BASELINE")
[ "${ACTION_PAGE:-true}" != true ] || words+=(--html "$results/cambi.html")

# add FLAG LINES
add() {
  while IFS= read -r line; do
    [ -z "$line" ] || words+=("$1" "$line")
  done <<<"$2"
}
add --fail-above "${ACTION_FAIL_ABOVE:-}"
add --fail-below "${ACTION_FAIL_BELOW:-}"

# Quotes hold words together; nothing is expanded.
printf '%s' "${ACTION_ARGUMENTS:-}" | xargs -r true  # ends the step where a quote is not closed
while IFS= read -r -d '' word; do words+=("$word"); done < <(printf '%s' "${ACTION_ARGUMENTS:-}" | xargs -r printf '%s\0')

code=0
cambi "${words[@]}" || code=$?

# path_of FILE: empty if it was not written.
path_of() {
  [ ! -f "$results/$1" ] || printf '%s' "$results/$1"
}
scores='{}'
if [ -f "$results/cambi.json" ]; then
  scores=$(python3 -c '
import json, sys
pooled = json.load(open(sys.argv[1]))["pooled_metrics"]
print(json.dumps({name: scores["mean"] for name, scores in pooled.items()}))' "$results/cambi.json")
fi
crossed=false
[ "$code" -ne 7 ] || crossed=true
{
  echo "exit-code=$code"
  echo "crossed=$crossed"
  echo "scores=$scores"
  echo "report=$(path_of cambi.json)"
  echo "page=$(path_of cambi.html)"
  echo "junit=$(path_of cambi.xml)"
} >>"${GITHUB_OUTPUT:-/dev/stdout}"
exit "$code"
