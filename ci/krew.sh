#!/usr/bin/env bash
# Fills the template of krew's plugin manifest, krew/drain-check.yaml, and prints it:
#
# ci/krew.sh TAG REPOSITORY DIRECTORY   the manifest of a release, with the checksums that lie in the directory (ci/dist.sh)
# ci/krew.sh bot REPOSITORY             what krew-release-bot fills by itself after a release: only the repository is put in
#
# REPOSITORY             owner/name on GitHub
# DRAIN_CHECK_DOWNLOADS  a mirror of that repository's releases, in place of it
set -euo pipefail

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

tag=${1-} repository=${2-} directory=${3-}
[[ $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] || fail 'REPOSITORY must be owner/name'
if [[ $tag != bot ]]; then
  [[ $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "$(printf '%q' "$tag") is not a tag of a release, such as v0.1.0"
  [[ -d $directory ]] || fail 'usage: ci/krew.sh TAG REPOSITORY DIRECTORY'
fi
releases=https://github.com/$repository/releases

filled=
while IFS= read -r line; do
  line=${line//'OWNER/REPOSITORY'/"$repository"}
  if [[ $tag != bot ]]; then
    line=${line//'{{ .TagName }}'/"$tag"}
    if [[ $line =~ ^(\ +)\{\{addURIAndSha\ \"(.*)\"\ \.TagName\ \}\}$ ]]; then
      indent=${BASH_REMATCH[1]} uri=${BASH_REMATCH[2]}
      file=$directory/${uri##*/}.sha256
      [[ -f $file ]] || fail "there is no $file"
      read -r sum _ <"$file"
      [[ $sum =~ ^[0-9a-f]{64}$ ]] || fail "$file holds no checksum"
      line="${indent}uri: ${uri/"$releases"/"${DRAIN_CHECK_DOWNLOADS:-$releases}"}"$'\n'"${indent}sha256: $sum"
    fi
    [[ $line != *'{{'* ]] || fail "the template has what cannot be filled: $line"
  fi
  filled+=$line$'\n'
done <"$(dirname "${BASH_SOURCE[0]}")/../krew/drain-check.yaml"
# All or nothing: half a manifest is none.
printf '%s' "$filled"
