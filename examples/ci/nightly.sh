#!/usr/bin/env bash
# Checks every case that is named on the command line, keeps what came out in results/, and pushes the store.
# Fails when one of the cases does.
#
#   nightly.sh lid64 dam128
#
# SPDX-License-Identifier: BSD-3-Clause
set -uo pipefail

mkdir -p results
worst=0
for case in "$@"; do
  waitdiag check --case "$case" --update-baseline \
    --json "results/$case.json" --junit "results/$case.xml" --markdown "results/$case.md" \
    --openmetrics "results/$case.prom" --csv "results/$case.csv" --history-html "results/$case.html"
  status=$?
  ((status > worst)) && worst=$status
done

# Appending to one file is all that ever happens to the store, so a union of both sides is the right merge:
# `*.jsonl merge=union` in .gitattributes.
if [[ -n ${WAITDIAG_PUSH:-} ]]; then
  git add nightly && git commit --quiet --message "Nightly checks" && git pull --quiet --no-rebase && git push --quiet
fi
exit "$worst"
