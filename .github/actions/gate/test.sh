#!/usr/bin/env bash
# Runs go test through gotestsum, in the folder of a module. The output folder names
# where the events, JUnit and the artifacts of the tests are then. The exit status is
# that of the tests.
#
#   GATE_PACKAGES  packages, separated by blanks
#   GATE_ARGS      further arguments of go test behind the packages, one a line
set -euo pipefail

gotestsum_version=v1.13.0 # for a module that has none as its tool

folder=$(mktemp -d "$RUNNER_TEMP/tiap-gate.XXXXXX")
echo "folder=$folder" >>"$GITHUB_OUTPUT"
mkdir "$folder/artifacts" # go test does not make it

read -r -d '' -a packages <<<"$GATE_PACKAGES" || true # it stops at the end, not at a delimiter
args=()
while IFS= read -r arg; do
  if [ -n "$arg" ]; then args+=("$arg"); fi
done <<<"$GATE_ARGS"

if [ "${#packages[@]}" -eq 0 ]; then
  echo "the input packages names none; leave it out for ./..." >&2
  exit 2
fi
for package in "${packages[@]}"; do
  case $package in
    -*) echo "the input packages holds $package: arguments belong into args" >&2; exit 2 ;;
  esac
done

# The module's own version goes first.
if go tool -n gotestsum >/dev/null 2>&1; then
  gotestsum=(go tool gotestsum)
else
  gotestsum=(go run "gotest.tools/gotestsum@$gotestsum_version")
fi

# The packages stand before the arguments: what follows -args, or a flag that go test
# does not know, is handed to the tests, and only the package of the folder is tested.
test=("$(dirname "${BASH_SOURCE[0]}")/events.sh" "$folder/events.json"
  -artifacts -outputdir "$folder/artifacts" "${packages[@]}" ${args[@]+"${args[@]}"})

# What tests print is no command to the runner.
token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
echo "::stop-commands::$token"
status=0
"${gotestsum[@]}" --format pkgname-and-test-fails --junitfile "$folder/junit.xml" --raw-command -- "${test[@]}" || status=$?
echo # the last line may have no end
echo "::$token::"
exit "$status"
