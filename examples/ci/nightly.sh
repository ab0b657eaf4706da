#!/usr/bin/env bash
# Checks every case that is named on the command line, keeps the outputs in results/, and pushes the store.
# Fails if one of the cases does.
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
    --openmetrics "results/$case.prom" --csv-file "results/$case.csv" --history-html "results/$case.html"
  status=$?
  ((status > worst)) && worst=$status
done

# Files of the store are only ever appended to, so a union of both sides is the right merge:
# `*.jsonl merge=union` in .gitattributes. Servers check out a commit, not a branch, and have no name in git.
push_store() {
  local branch=${CI_COMMIT_BRANCH:-${GITHUB_REF_NAME:-${GIT_BRANCH:-$(git branch --show-current)}}}
  branch=${branch#origin/}
  if ! git config user.email >/dev/null; then
    export GIT_AUTHOR_NAME="nightly check" GIT_AUTHOR_EMAIL="nightly-check@localhost"
    export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  fi
  git add nightly && git commit --quiet --message "Nightly checks" &&
    git pull --quiet --no-rebase --no-edit origin "$branch" && git push --quiet origin "HEAD:$branch"
}
if [[ -n ${WAITDIAG_PUSH:-} ]] && ! push_store; then
  echo "nightly.sh: the store was not pushed, so the next night will not know tonight's runs" >&2
  ((worst > 0)) || worst=1
fi
exit "$worst"
