#!/usr/bin/env bash
# A stranger's first trade, by hand: clones, runs the README's commands, counts them and measures the minutes.
# Usage: e2e/firstTrade.sh [repository]. It uses the default ports: stop a running `npm start` first.
set -euo pipefail

source=${1:-$(git rev-parse --show-toplevel)}
folder=$(mktemp -d)
began=$(date +%s)
commands=0
start=

finish() {
  if [ -n "$start" ]; then
    kill -- "-$start" 2>/dev/null || true
    wait "$start" || true
  fi
  rm -rf "$folder"
}
trap finish EXIT

step() {
  commands=$((commands + 1))
  printf '%4d s  %d. %s\n' "$(($(date +%s) - began))" "$commands" "$1"
}

# The README's own lines, so that this cannot drift from it.
install_and_start=$(grep -m 1 '^npm ci && npm start' "$source/README.md")
trade=$(grep -m 1 -E '^PIT_PRIVATE_KEY=.* trade ' "$source/README.md")

step "git clone"
git clone -q "$source" "$folder/pit"
cd "$folder/pit"

step "$install_and_start"
set -m
bash -c "$install_and_start" >"$folder/start.log" 2>&1 &
start=$!
set +m
until grep -q 'Pit is up after' "$folder/start.log"; do
  kill -0 "$start" 2>/dev/null || { cat "$folder/start.log"; exit 1; }
  sleep 0.2
done

step "${trade/0x*node/0x… node}"
PIT_HOME="$folder/home" bash -c "$trade"

seconds=$(($(date +%s) - began))
printf '%d commands, %d min %02d s from the clone to the mined trade\n' \
  "$commands" "$((seconds / 60))" "$((seconds % 60))"
