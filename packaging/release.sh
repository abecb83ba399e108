#!/usr/bin/env bash
# Makes the files of a release from those that were built: release.sh VERSION REPOSITORY_URL DIST
# DIST holds archives and one `program-TARGET` per target. DIST/release gets what is attached, DIST/npm what npm publishes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=${1:?usage: release.sh VERSION REPOSITORY_URL DIST}
repository=${2:?usage: release.sh VERSION REPOSITORY_URL DIST}
dist=${3:?usage: release.sh VERSION REPOSITORY_URL DIST}
mkdir -p "$dist/release" "$dist/npm"
cp "$dist"/retriever-"$version"-*.{tar.gz,zip} "$dist/release/"
(cd "$dist/release" && sha256sum -- *.tar.gz *.zip > SHA256SUMS)
"$here/sbom.py" > "$dist/release/retriever-$version.cdx.json"
for script in install.sh install.ps1; do
    sed -e "s|@VERSION@|$version|" -e "s|@REPOSITORY@|$repository|" "$here/$script" > "$dist/release/$script"
done
"$here/homebrew.py" --version "$version" --repository "$repository" --sums "$dist/release/SHA256SUMS" > "$dist/release/retriever.rb"
# An uploaded file has lost its permission to run.
generator=$dist/program-$(uname -m)-unknown-linux-gnu
chmod +x "$generator"
programs=()
for file in "$dist"/program-*; do
    programs+=(--program "${file##*/program-}=$file")
done
"$here/npm.py" --version "$version" --out "$dist/npm" --generator "$generator" "${programs[@]}"
for package in "$dist"/npm/*/; do
    npm pack --silent "$package" --pack-destination "$dist/npm"
done
