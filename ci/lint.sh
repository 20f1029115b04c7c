#!/usr/bin/env bash
# What action.yml runs: one lint, written in every format that GitHub shows. The inputs come as DRAIN_CHECK_* and are never read
# as shell text.
set -euo pipefail

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

binary=${DRAIN_CHECK_BINARY:-$RUNNER_TEMP/drain-check/kubectl-drain_check}
sarif=${DRAIN_CHECK_SARIF_FILE:-$RUNNER_TEMP/drain-check.sarif}
markdown=$RUNNER_TEMP/drain-check.md
# An output of the step is one line; a second one would be an output of somebody else's making.
[[ $sarif != *[$'\n\r']* ]] || fail 'sarif-file must be one line'

arguments=(lint)
case ${DRAIN_CHECK_RECURSIVE:-true} in
  true) arguments+=(--recursive) ;;
  false) ;;
  *) fail 'recursive must be true or false' ;;
esac
none=${#arguments[@]}
while IFS= read -r file || [[ -n $file ]]; do
  # With the `=`, a name that begins with a hyphen stays a name.
  [[ -z $file ]] || arguments+=("--filename=$file")
done <<<"${DRAIN_CHECK_FILES:-}"
((${#arguments[@]} > none)) || fail 'files must name at least one file or directory'
arguments+=("--fail-on=${DRAIN_CHECK_FAIL_ON:-error}")
# Words are split at blanks, and that is all: no quotes, no patterns, no variables.
words=()
IFS=$' \t\n' read -r -d '' -a words <<<"${DRAIN_CHECK_ARGS:-}" || true
# Bash 3.2, which macOS has, takes an empty array for an unset one.
arguments+=(${words[@]+"${words[@]}"})
arguments+=(-o github -o "sarif=$sarif" -o "markdown=$markdown")

status=0
"$binary" "${arguments[@]}" || status=$?

if [[ -f $markdown && -n ${GITHUB_STEP_SUMMARY:-} ]]; then
  cat "$markdown" >>"$GITHUB_STEP_SUMMARY"
fi
# With 2 part of the input was not read. Code scanning would take a missing finding for a fixed one, so nothing is offered for upload.
if ((status < 2)) && [[ -n ${GITHUB_OUTPUT:-} ]]; then
  printf 'sarif-file=%s\nmarkdown-file=%s\n' "$sarif" "$markdown" >>"$GITHUB_OUTPUT"
fi
exit "$status"
