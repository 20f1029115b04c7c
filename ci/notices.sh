#!/usr/bin/env bash
# Prints the notices of everything that the program is made of, as their licences ask of whoever passes it on: each text once, below
# the crates that it belongs to. A crate that comes without a text is named with its licence.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What is linked on any system that a release is built for; a star marks what was named before.
cargo tree --locked --quiet --edges normal --target all --prefix none --format '{p}|{l}' |
  sed 's/ (\*)$//' | sort -u >"$work/crates"
# Where their sources are; this fetches what is not there yet.
cargo metadata --locked --quiet --format-version 1 | grep -o '"manifest_path":"[^"]*"' | cut -d '"' -f 4 >"$work/manifests"

mkdir "$work/texts" "$work/names"
while IFS='|' read -r crate licence; do
  # `name v1.2.3`, with the path behind it for this program itself.
  read -r name version rest <<<"$crate"
  [[ -z $rest || $rest == '(proc-macro)' ]] || continue
  folder=$(grep -m 1 -F "/$name-${version#v}/Cargo.toml" "$work/manifests") || {
    printf 'error: the source of %s is not there\n' "$crate" >&2
    exit 2
  }
  found=
  while IFS= read -r file; do
    found=1
    sum=$(tr -d '\r' <"$file" | sha256sum | cut -d ' ' -f 1)
    tr -d '\r' <"$file" >"$work/texts/$sum"
    printf '%s %s (%s)\n' "$name" "${version#v}" "$licence" >>"$work/names/$sum"
  done < <(find "$(dirname "$folder")" -maxdepth 1 -type f \( -iname 'license*' -o -iname 'licence*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
  [[ -n $found ]] || printf '%s %s (%s)\n' "$name" "${version#v}" "$licence" >>"$work/bare"
done <"$work/crates"

printf 'kubectl-drain_check holds the following, each under its own licence.\n'
if [[ -s $work/bare ]]; then
  printf '\nWithout a text of their own:\n\n'
  cat "$work/bare"
fi
# In the order of the first crate of each text.
for sum in $(cd "$work/names" && head -qn 1 -- * | paste -d ' ' - <(ls) | sort | sed 's/.* //'); do
  printf '\n%s\n\n' "--------------------------------------------------------------------------------"
  sort -u "$work/names/$sum"
  printf '\n'
  cat "$work/texts/$sum"
done
