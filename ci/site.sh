#!/usr/bin/env bash
# Builds the docs as a site, into target/book: ci/site.sh
#
# Fails on a warning too. `cargo install mdbook` brings what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

said=$(mdbook build "$@" 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
printf '%s\n' "$said" >&2
if grep --quiet --extended-regexp 'WARN|ERROR' <<< "$said"; then
  printf 'error: the site has warnings\n' >&2
  exit 1
fi
