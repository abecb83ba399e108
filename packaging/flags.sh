# Sourced by what compiles for a release, so that the archive and the wheel take the program from one build.
# No path of this machine is left in the program: two machines with the same tools build the same bytes.
# `target` is the triple.
flags_cargo_home=${CARGO_HOME:-$HOME/.cargo}
export CARGO_INCREMENTAL=0
# Compilers of C take their clock from it: the allocator keeps the time of its build.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
# The profile has its own optimisation for the package that is linked, which takes its `strip` away.
export RUSTFLAGS="--remap-path-prefix=$flags_cargo_home=/cargo --remap-path-prefix=$PWD=/src -Cstrip=symbols"
case $target in
    # C of grammars and of SQLite takes the same prefixes, by the flags that these compilers share. Nothing unwinds through it.
    *msvc) ;;
    *) export CFLAGS="-ffile-prefix-map=$flags_cargo_home=/cargo -ffile-prefix-map=$PWD=/src -fno-unwind-tables -fno-asynchronous-unwind-tables" ;;
esac
# The linker of this target is LLD, which keeps functions with the same code once: that saves 1 %. SQLite compares functions by
# their addresses, so C is compiled without a section for each function, and none of it is folded.
case $target in
    x86_64-unknown-linux-gnu)
        RUSTFLAGS="$RUSTFLAGS -Clink-arg=-Wl,--icf=all"
        CFLAGS="$CFLAGS -fno-function-sections"
        ;;
esac
