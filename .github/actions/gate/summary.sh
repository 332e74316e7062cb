#!/usr/bin/env bash
# Writes what the tests found into the summary of the step, as annotations, and to
# summary.md beside the events. It fails when the tests do, and when it cannot be told
# whether they do.
#
#   GATE_FOLDER   folder with events.json
#   GATE_NAME     name of the summary
#   GATE_OUTCOME  how the step that ran the tests ended: success, failure, ...
set -euo pipefail

# say puts a failure that tiaptest cannot tell into the summary.
say() {
  echo "::error::$1"
  local file
  for file in "$GITHUB_STEP_SUMMARY" "${GATE_FOLDER:+$GATE_FOLDER/summary.md}"; do
    if [ -z "$file" ]; then continue; fi
    if [ ! -s "$file" ]; then printf '<!-- tiaptest summarize: %s -->\n' "${GATE_NAME//[^A-Za-z0-9 ._]/}" >>"$file"; fi
    printf '\n> [!CAUTION]\n> %s\n\n' "$1" >>"$file"
  done
}

if [ ! -d "$GATE_FOLDER" ]; then
  GATE_FOLDER=
  say "failed: the tests were not started; see the log of the step before"
  exit 1
fi

if ! go tool -n tiaptest >/dev/null; then
  say "failed: tiaptest is no tool of this module; go get -tool github.com/tiaptest/tiap/tiaptest/cmd/tiaptest makes it one"
  exit 1
fi

status=0
go tool tiaptest summarize -step-summary -annotations -name="$GATE_NAME" -o "$GATE_FOLDER/summary.md" "$GATE_FOLDER/events.json" || status=$?

if [ ! -s "$GATE_FOLDER/summary.md" ]; then
  say "failed: there is no summary of the tests; see the log of this step"
  if [ "$status" -eq 0 ]; then status=1; fi
elif [ "$status" -eq 0 ] && [ "$GATE_OUTCOME" != success ]; then
  say "failed: all tests passed, but go test did not; see the log of the step before"
  status=1
fi
exit "$status"
