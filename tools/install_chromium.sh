#!/bin/sh
# Installs Chromium for the tests of the page and for treadle render, where it is missing.
# Works as root on Debian and Ubuntu; elsewhere it says what to do, and the tests are skipped with that reason.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    if apt-get install -y --no-install-recommends chromium >/dev/null 2>&1 ||
        { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends chromium >/dev/null 2>&1; }; then
        exit 0
    fi
    echo "Chromium could not be installed with apt; tests in the browser are skipped." >&2
    exit 0
fi
echo "Chromium is missing; tests in the browser are skipped. Install it with: sudo apt install chromium" >&2
echo "or name another one with TREADLE_CHROMIUM=/path/to/chrome." >&2
