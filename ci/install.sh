#!/usr/bin/env bash
# Downloads a released kubectl-drain_check into a directory: ci/install.sh DIRECTORY
#
# DRAIN_CHECK_VERSION     0.1.0, v0.1.0 or latest; empty: the version of the source beside this script
# DRAIN_CHECK_REPOSITORY  owner/name on GitHub
# DRAIN_CHECK_DOWNLOADS   a mirror of that repository's releases, in place of it
#
# Where gh is there and logged in, it verifies the attestation of who built the archive from which commit; where not, that is said.
#
# A release v0.1.0 holds kubectl-drain_check-TARGET.tar.gz for each Rust target (.zip for Windows), with the binary at its top, and
# beside it the same name with .sha256, as sha256sum prints it: ci/dist.sh.
set -euo pipefail

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

directory=${1:?the directory to install into}

# RUNNER_OS and RUNNER_ARCH are GitHub's names; uname answers everywhere else.
binary=kubectl-drain_check form=tar.gz
case ${RUNNER_OS:-$(uname -s)} in
  Linux) system=unknown-linux-musl ;;
  macOS | Darwin) system=apple-darwin ;;
  Windows | MINGW* | MSYS*) system=pc-windows-msvc binary=kubectl-drain_check.exe form=zip ;;
  *) fail "there is no release for ${RUNNER_OS:-$(uname -s)}; build it, and name it with the input binary" ;;
esac
case ${RUNNER_ARCH:-$(uname -m)} in
  X64 | x86_64) processor=x86_64 ;;
  ARM64 | arm64 | aarch64) processor=aarch64 ;;
  *) fail "there is no release for ${RUNNER_ARCH:-$(uname -m)}; build it, and name it with the input binary" ;;
esac
archive=kubectl-drain_check-$processor-$system.$form

version=${DRAIN_CHECK_VERSION:-}
if [[ -z $version ]]; then
  version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../Cargo.toml")
fi
if [[ $version == latest ]]; then
  path=latest/download
elif [[ $version =~ ^v?([0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?)$ ]]; then
  path=download/v${BASH_REMATCH[1]}
else
  fail "$(printf '%q' "$version") is not a version; write 0.1.0, v0.1.0 or latest"
fi

downloads=${DRAIN_CHECK_DOWNLOADS:-}
if [[ -z $downloads ]]; then
  repository=${DRAIN_CHECK_REPOSITORY:-}
  [[ $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] || fail "DRAIN_CHECK_REPOSITORY must be owner/name"
  downloads=https://github.com/$repository/releases
fi

# Without a user and a password, which a mirror's address may hold.
shown=$downloads
if [[ $downloads =~ ^([a-z]+://)[^/]*@(.*)$ ]]; then
  shown=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$archive" "$archive.sha256"; do
  # Its words may hold the address as it is.
  curl --proto '=https,file' --proto-redir '=https' --fail --silent --show-error --location --retry 3 \
    --output "$work/$file" "$downloads/$path/$file" 2>"$work/said" || {
    said=$(<"$work/said")
    printf '%s\n' "${said//"$downloads"/$shown}" >&2
    fail "cannot download $shown/$path/$file"
  }
done

# macOS has shasum only.
if command -v sha256sum >/dev/null; then
  sum=$(sha256sum <"$work/$archive")
else
  sum=$(shasum -a 256 <"$work/$archive")
fi
read -r wanted _ <"$work/$archive.sha256" || true
[[ ${sum%% *} == "${wanted:-}" ]] || fail "$archive is not the file that its checksum is of; nothing was installed"

# The checksum says that the archive is whole, the attestation where it comes from.
if [[ -z ${repository:=${DRAIN_CHECK_REPOSITORY:-}} ]]; then
  echo "note: the archive's attestation was not verified: DRAIN_CHECK_REPOSITORY does not say whose release it is" >&2
elif ! command -v gh >/dev/null; then
  echo "note: the archive's attestation was not verified: gh is not installed (https://cli.github.com)" >&2
elif ! gh attestation verify --help >/dev/null 2>&1; then
  echo "note: the archive's attestation was not verified: this gh cannot do it; 2.49 and later can" >&2
elif ! gh auth status >/dev/null 2>&1; then
  echo "note: the archive's attestation was not verified: gh is not logged in; GH_TOKEN or gh auth login does that" >&2
else
  gh attestation verify "$work/$archive" --repo "$repository" >/dev/null ||
    fail "$archive is not what $repository built; nothing was installed"
fi

case $form in
  zip) unzip -q "$work/$archive" "$binary" -d "$work" ;;
  *) tar -xzf "$work/$archive" -C "$work" "$binary" ;;
esac || fail "$archive holds no $binary"
mkdir -p "$directory"
mv "$work/$binary" "$directory/$binary"
chmod +x "$directory/$binary"
