#!/bin/sh
# Installs the Debian packages that are named and missing. Where it may not, it says exactly
# what to install and fails.
set -eu

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This system has no dpkg. Please make sure that these are installed, under the names" >&2
  echo "that your system gives them: $*" >&2
  exit 0
fi

missing=""
for package in "$@"; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  case "$state" in
    *" installed") ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

run_as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run_as_root="sudo"
  else
    echo "Could not install packages, this user may not. Run this, then try again:" >&2
    echo "  sudo apt-get install$missing" >&2
    exit 1
  fi
fi

echo "Installing$missing …" >&2
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { $run_as_root apt-get update && $run_as_root apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  rm -f "$log"
  echo "Could not install packages. Run this, then try again:" >&2
  echo "  apt-get install$missing" >&2
  exit 1
fi
rm -f "$log"
