# For every step: what installs, where, and how tests run. Sourced from the root of the project.
UV="$PWD/.ci-work/uv/bin/uv"
INSTALL="$UV pip install --quiet --python .venv/bin/python"
export INSTALL UV_NO_PROGRESS=1

# uv does not read pip's settings: it is told what pip was told.
told() { python3 -m pip config list | sed -n "s/^\(:env:\|global\)\.$1='\(.*\)'$/\2/p" | head -n 1 | tr ' ' ','; }
UV_FIND_LINKS=$(told find-links)
export UV_FIND_LINKS
index=$(told index-url)
if test -n "$index"; then export UV_DEFAULT_INDEX="$index"; fi

# environment NAME REQUIREMENT ...: installs into an environment of its own, .ci-work/NAME, with a pip as `python -m venv` has one
environment() {
    local place=.ci-work/$1
    shift
    test -d "$place" || "$UV" venv --quiet --seed --python .venv/bin/python "$place"
    "$UV" pip install --quiet --python "$place/bin/python" "$@"
}

# tests ENVIRONMENT ARGUMENT ...: pytest, where nothing may be left out because something is missing
tests() {
    local place=$1
    shift
    "$place/bin/python" -m pytest -q "$@" | tee ".ci-work/$$.txt"
    if grep "^SKIPPED" ".ci-work/$$.txt"; then
        echo "These tests were left out."
        return 1
    fi
}
