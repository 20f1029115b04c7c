#!/bin/sh
# Lints each repository of a folder and lists the findings, to be judged by hand: ci/judge.sh DIR [BINARY]
#
# DIR holds checked-out repositories, one a folder; nothing in them is changed or run. Prints a line for each finding (severity, rule,
# FILE:LINE, object, message; between tabs, by rule), then how many there are of each rule and severity, then what each repository took.
# CONTRIBUTING.md says how to judge. Needs jq.
set -eu
export LC_ALL=C

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

[ "$#" -eq 1 ] || [ "$#" -eq 2 ] || fail 'usage: ci/judge.sh DIR [BINARY]'
[ -d "$1" ] || fail "$1 is no folder"
command -v jq >/dev/null || fail 'jq is not installed'
binary=${2:-$(dirname "$0")/../target/release/kubectl-drain_check}
[ -x "$binary" ] || fail "$binary is not there: cargo build --release, or name it"
# Each repository is linted from within, so that its settings apply and files have the names that it gives them.
binary=$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/findings"
: >"$work/cost"

# GNU time knows the memory. Where there is none, the time is known to a second.
measured() {
  if [ -x /usr/bin/time ] && /usr/bin/time -f '%e s\t%M KB' -o "$work/took" true 2>/dev/null; then
    /usr/bin/time -q -f '%e s\t%M KB' -o "$work/took" "$@"
    return
  fi
  begin=$(date +%s)
  ended=0
  "$@" || ended=$?
  printf '%s s\tmemory unknown\n' "$(($(date +%s) - begin))" >"$work/took"
  return "$ended"
}

# What a repository wrote must not steer a terminal, or make a column of its own.
filter='def plain: tostring | gsub("[[:cntrl:]]"; " ");
  .findings[]
  | [.severity, .rule, "\($name)/\(.location.file // "?" | sub("^\\./"; "")):\(.location.line // "?")", "\(.object.kind // "?")/\(.object.name // "?")", .message]
  | map(plain) | join("\t")'

for folder in "$1"/*/; do
  [ -d "$folder" ] || fail "$1 holds no folder"
  name=$(basename "$folder")
  status=0
  (cd "$folder" && measured "$binary" lint -f . -R -o json --fail-on never) >"$work/report" 2>"$work/said" || status=$?
  [ "$status" -eq 0 ] || {
    printf '%s: ended with %s\n' "$name" "$status"
    cat "$work/said"
  } >&2
  # Without a report there is nothing to list, and that was said.
  [ ! -s "$work/report" ] || jq -r --arg name "$name" "$filter" "$work/report" >>"$work/findings"
  printf '%s\t%s\texit %s\n' "$name" "$(tail -n 1 "$work/took")" "$status" >>"$work/cost"
done

tab=$(printf '\t')
sort -t "$tab" -k 2,2 -k 1,1 -k 3,3 "$work/findings"
printf '\nrule\terror\twarning\tinfo\n'
awk -F '\t' '
  { rules[$2]; counts[$2, $1]++ }
  END { for (rule in rules) printf "%s\t%d\t%d\t%d\n", rule, counts[rule, "error"], counts[rule, "warning"], counts[rule, "info"] }
' "$work/findings" | sort
printf '\n'
cat "$work/cost"
