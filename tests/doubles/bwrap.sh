#!/bin/sh
# A `bwrap` at its command line. BWRAP_DOUBLE says what it is like:
#   refused    the system lets it make no namespaces
#   powerless  it keeps no rights for what it starts, and says so when asked to
#   weak       it starts the command where it was asked to, but every right is taken from it
case "$1" in --help) exec "$BWRAP_REAL" --help ;; esac
case "$BWRAP_DOUBLE" in
refused)
    echo "bwrap: setting up uid map: Permission denied" >&2
    exit 1 ;;
powerless)
    for word in "$@"; do
        [ "$word" = --cap-add ] && { echo "bwrap: cannot add capabilities" >&2; exit 1; }
        [ "$word" = -- ] && break
    done
    exec "$BWRAP_REAL" "$@" ;;
weak)
    shift_left=$#
    while [ "$shift_left" -gt 0 ]; do
        word=$1; shift; shift_left=$((shift_left - 1))
        [ "$word" = --cap-add ] && { shift; shift_left=$((shift_left - 1)); continue; }
        set -- "$@" "$word"
    done
    exec "$BWRAP_REAL" "$@" ;;
esac
