#!/bin/sh
# Installs retriever for this user:
#
#     curl -fsSL https://github.com/OWNER/retriever/releases/latest/download/install.sh | sh
#
# Options, after `sh -s --`: --version X.Y.Z, --dir FOLDER (default ~/.local/bin), --uninstall.
# RETRIEVER_DOWNLOADS is the folder that holds the archives and SHA256SUMS, if it is not the project's.
# Everything is in a function that the last line calls, so that a script that was cut off does nothing.
set -eu

REPOSITORY="@REPOSITORY@"
VERSION="@VERSION@"

fail() {
    echo "error: $1" >&2
    [ $# -lt 2 ] || echo "hint: $2" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null 2>&1 || fail "$1 is missing" "$2"
}

target() {
    system=$(uname -s)
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no archive for $machine" "build it: cargo install --git $REPOSITORY" ;;
    esac
    case $system in
        Linux)
            # A C library without this entry is not glibc; the musl build runs on every Linux.
            if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=gnu; else libc=musl; fi
            echo "$machine-unknown-linux-$libc"
            ;;
        Darwin) echo "$machine-apple-darwin" ;;
        *) fail "there is no archive for $system" "on Windows use install.ps1" ;;
    esac
}

download() {
    if command -v curl >/dev/null 2>&1; then
        # The checksums come the same way as the archive: only https shows where from.
        protocols='=https'
        [ -z "${RETRIEVER_DOWNLOADS:-}" ] || protocols='=https,http,file'
        curl -fsSL --proto "$protocols" --proto-redir "$protocols" -o "$2" "$1"
    else
        need wget "install curl or wget"
        wget -qO "$2" "$1"
    fi
}

checksum() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1" | cut -d ' ' -f 1
    else
        need shasum "install coreutils"
        shasum -a 256 "$1" | cut -d ' ' -f 1
    fi
}

main() {
    folder=${HOME:?error: HOME is not set}/.local/bin
    version=$VERSION
    action=install
    while [ $# -gt 0 ]; do
        case $1 in
            --version) version=${2:?error: --version needs a version}; shift 2 ;;
            --dir) folder=${2:?error: --dir needs a folder}; shift 2 ;;
            --uninstall) action=uninstall; shift ;;
            *) fail "unknown option $1" "options are --version, --dir and --uninstall" ;;
        esac
    done
    # What `retriever upgrade` reads: the program, and where this script comes from.
    note=${XDG_STATE_HOME:-$HOME/.local/state}/retriever/installed
    # Man pages and completions lie where shells look for those of a program in such a folder.
    share=$(dirname "$folder")/share
    bash=$share/bash-completion/completions
    zsh=$share/zsh/site-functions
    fish=$share/fish/vendor_completions.d
    if [ "$action" = uninstall ]; then
        rm -f "$folder/retriever" "$note" "$share/man/man1/retriever.1" "$share/man/man1"/retriever-*.1
        rm -f "$bash/retriever" "$zsh/_retriever" "$fish/retriever.fish"
        echo "Removed $folder/retriever."
        exit 0
    fi
    need tar "install tar"
    name=retriever-$version-$(target)
    downloads=${RETRIEVER_DOWNLOADS:-$REPOSITORY/releases/download/v$version}
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT INT TERM
    download "$downloads/$name.tar.gz" "$scratch/archive" || fail "cannot download $downloads/$name.tar.gz" "check the version and the network"
    download "$downloads/SHA256SUMS" "$scratch/sums" || fail "cannot download $downloads/SHA256SUMS" "check the network"
    wanted=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$scratch/sums")
    [ -n "$wanted" ] || fail "SHA256SUMS does not list $name.tar.gz"
    [ "$(checksum "$scratch/archive")" = "$wanted" ] || fail "the archive is not the one that was published: its SHA-256 differs" "try again; if it stays, report it"
    tar -xzf "$scratch/archive" -C "$scratch"
    mkdir -p "$folder"
    # A rename within the folder, so that a running program is replaced whole.
    cp "$scratch/$name/retriever" "$folder/.retriever.new"
    chmod 755 "$folder/.retriever.new"
    mv -f "$folder/.retriever.new" "$folder/retriever"
    mkdir -p "$share/man/man1" "$bash" "$zsh" "$fish"
    cp "$scratch/$name/man"/*.1 "$share/man/man1"
    cp "$scratch/$name/completions/retriever.bash" "$bash/retriever"
    cp "$scratch/$name/completions/_retriever" "$zsh"
    cp "$scratch/$name/completions/retriever.fish" "$fish"
    mkdir -p "$(dirname "$note")"
    printf '%s\n%s\n' "$(cd "$folder" && pwd -P)/retriever" "$REPOSITORY/releases/latest/download/install.sh" > "$note"
    echo "Installed retriever $version as $folder/retriever."
    case ":$PATH:" in
        *":$folder:"*) echo "Next: retriever init" ;;
        *) echo "Add $folder to PATH, then: retriever init" ;;
    esac
}

main "$@"
