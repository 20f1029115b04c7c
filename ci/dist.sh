#!/usr/bin/env bash
# Packs one binary as a release has it: ci/dist.sh TARGET BINARY DIRECTORY
#
# Writes kubectl-drain_check-TARGET.tar.gz (.zip for Windows) into the directory, and beside it the same name with .sha256. At its
# top it holds the binary, the licence, the notices of what is in the binary, and the ClusterRole. The same input gives the same bytes: nothing in it depends on who packs
# it, where and when. Needs GNU tar and zip; a release packs all targets on Linux.
#
# SOURCE_DATE_EPOCH    the time of every file in it, in seconds; without it that of the commit
# DRAIN_CHECK_NOTICES  what ci/notices.sh has printed; without it that is run
set -euo pipefail
export LC_ALL=C TZ=UTC

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

(($# == 3)) || fail 'usage: ci/dist.sh TARGET BINARY DIRECTORY'
target=$1 binary=$2 directory=$3
[[ $target =~ ^[a-z0-9_]+(-[a-z0-9_]+)+$ ]] || fail "$(printf '%q' "$target") is not a target"
[[ -f $binary ]] || fail "there is no $binary"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
time=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
[[ $time =~ ^[0-9]+$ ]] || fail 'SOURCE_DATE_EPOCH must be a number of seconds'
# The format of zip knows no time before 1980, and even seconds only.
((time >= 315532800)) || time=315532800
time=$((time / 2 * 2))

case $target in
  *-windows-*) name=kubectl-drain_check.exe archive=kubectl-drain_check-$target.zip ;;
  *) name=kubectl-drain_check archive=kubectl-drain_check-$target.tar.gz ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/top"
install -m 755 "$binary" "$work/top/$name"
install -m 644 "$root/LICENSE" "$work/top/LICENSE"
install -m 644 "$root/docs/clusterrole.yaml" "$work/top/clusterrole.yaml"
if [[ -n ${DRAIN_CHECK_NOTICES:-} ]]; then
  install -m 644 "$DRAIN_CHECK_NOTICES" "$work/top/NOTICES.txt"
else
  "$root/ci/notices.sh" >"$work/top/NOTICES.txt"
  chmod 644 "$work/top/NOTICES.txt"
fi
touch -d "@$time" "$work/top"/*

mkdir -p "$directory"
case $archive in
  # -X leaves out who owned the files.
  *.zip) (cd "$work/top" && zip -q -X "$work/$archive" LICENSE NOTICES.txt clusterrole.yaml "$name") ;;
  *)
    tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C "$work/top" \
      -cf "$work/tar" LICENSE NOTICES.txt clusterrole.yaml "$name"
    # -n leaves out the time and the name.
    gzip -n -9 <"$work/tar" >"$work/$archive"
    ;;
esac
(cd "$work" && sha256sum "$archive" >"$archive.sha256")
mv "$work/$archive" "$work/$archive.sha256" "$directory/"
