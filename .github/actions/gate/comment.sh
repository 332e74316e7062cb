#!/usr/bin/env bash
# Puts summary.md on the pull request: into the comment of an earlier run, found by
# the first line, or into a new one. The gate does not depend on it: where the token
# may not comment, as on pull requests from forks, it warns.
#
#   GATE_FOLDER     folder with summary.md
#   GATE_COMMENTER  login of the account that GH_TOKEN belongs to
#   GATE_PULL       number of the pull request; empty when there is none
#   GH_TOKEN        token
set -euo pipefail

if [ -z "$GATE_PULL" ]; then
  echo "no pull request, so no comment"
  exit 0
fi
body=$GATE_FOLDER/summary.md
if [ -z "$GATE_FOLDER" ] || [ ! -s "$body" ]; then
  echo "::warning::there is no summary to comment"
  exit 0
fi

# Anyone may write a comment that begins alike; only an own one is changed.
IFS= read -r GATE_MARKER <"$body"
case $GATE_MARKER in
  '<!-- tiaptest summarize: '*' -->') export GATE_MARKER ;;
  *) echo "::warning::the summary has no marker, so it is not put on the pull request"; exit 0 ;;
esac
comments=repos/$GITHUB_REPOSITORY/issues/$GATE_PULL/comments
post() {
  local ids id
  # shellcheck disable=SC2016 # the variables are those of jq
  ids=$(gh api --paginate "$comments" --jq '.[] | select(.user.login == env.GATE_COMMENTER) | select(.body | startswith(env.GATE_MARKER)) | .id') || return
  read -r id <<<"$ids" || true
  if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$body"
  else
    gh api --silent --method POST "$comments" -F "body=@$body"
  fi
}
if ! post; then
  echo "::warning::the summary could not be put on the pull request; the job needs the permission pull-requests: write, which pull requests from forks do not have"
fi
