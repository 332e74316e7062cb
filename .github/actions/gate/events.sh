#!/usr/bin/env bash
# Runs go test -json with the arguments after the first, which names the file that
# keeps the events, and hands them on to gotestsum. That takes an event of artifacts
# (its version 1.13) for the end of a test and counts the test twice, so it gets
# none. The exit status is that of go test.
set -euo pipefail
events=$1
shift
go test -json "$@" | tee "$events" | awk '!/"Action":"artifacts"/ { print; fflush() }'
