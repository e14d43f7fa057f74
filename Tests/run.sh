#!/bin/sh
# Runs a test program (its path and arguments follow). The output of a whole run is long, so what
# failed is said once more at its end. Ends as the program ended.
set -u
log=$(mktemp) && status=$(mktemp) || exit 1
trap 'rm -f "$log" "$status"' EXIT

{ "$@"; echo $? >"$status"; } 2>&1 | tee "$log"
code=$(cat "$status")
code=${code:-1}
if [ "$code" -ne 0 ]; then
  echo
  echo "What failed:"
  # An issue's own lines, with what it compared; expected ones and warnings have other marks.
  sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -A 2 '^✘ Test .* recorded an issue' | cut -c 1-400 | tail -n 30
fi
exit "$code"
