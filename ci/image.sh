#!/usr/bin/env bash
# Builds and pushes the images of a release, one processor after the other, and joins them.
#
# ci/image.sh build REPOSITORY TAG PROCESSOR   on a machine with that processor
# ci/image.sh join REPOSITORY TAG              prints name=… and digest=… of the image without a shell
#
# REPOSITORY is owner/name on GitHub; the images are ghcr.io/owner/name:TAG, and :TAG-shell with a shell for CI systems.
# GITHUB_ACTOR and TOKEN log in.
set -euo pipefail

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

what=${1-} repository=${2-} tag=${3-} processor=${4-}
[[ $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] || fail 'REPOSITORY must be owner/name'
[[ $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "$(printf '%q' "$tag") is not a tag of a release, such as v0.1.0"
# Names of images are in lower case.
image=ghcr.io/$(printf '%s' "$repository" | tr '[:upper:]' '[:lower:]')
cd "$(dirname "${BASH_SOURCE[0]}")/.."

docker login ghcr.io --username "${GITHUB_ACTOR:?}" --password-stdin <<<"${TOKEN:?}" >&2
case $what in
  build)
    [[ $processor == amd64 || $processor == arm64 ]] || fail 'PROCESSOR must be amd64 or arm64'
    docker build --file Containerfile --tag "$image:$tag-$processor" . >&2
    docker build --file Containerfile --target shell --tag "$image:$tag-shell-$processor" . >&2
    docker run --rm "$image:$tag-$processor" demo >&2
    docker push "$image:$tag-$processor" >&2
    docker push "$image:$tag-shell-$processor" >&2
    ;;
  join)
    for name in "$tag" "$tag-shell"; do
      docker buildx imagetools create --tag "$image:$name" "$image:$name-amd64" "$image:$name-arm64" >&2
    done
    digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image:$tag")
    [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || fail "$image:$tag has no digest"
    printf 'name=%s\ndigest=%s\n' "$image" "$digest"
    ;;
  *) fail 'usage: ci/image.sh build REPOSITORY TAG PROCESSOR, or join REPOSITORY TAG' ;;
esac
