#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a release: ci/notes.sh TAG
#
# Fails unless the tag is v and the version in Cargo.toml, and the changelog has something to say of it.
set -euo pipefail

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

tag=${1:?the tag, such as v0.1.0}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
[[ $tag == "v$version" ]] || fail "$(printf '%q' "$tag") is not the tag of version $version, which Cargo.toml has"

# From the heading `## [0.1.0] - DATE` to the next one.
notes=$(awk -v heading="## [$version]" '
  /^## / { inside = index($0, heading) == 1; next }
  inside { print }
' CHANGELOG.md)
[[ $notes == *[![:space:]]* ]] || fail "CHANGELOG.md has no section ## [$version] with words in it"
printf '%s\n' "$notes" | sed -e '/./,$!d'
