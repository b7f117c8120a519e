#!/bin/sh
# lint_subjects.sh [N] - the subjects of the last N commits (20)
#
# A subject reads `area: imperative verb object`, in at most 72 characters, and
# a stranger understands it.  A verb that ends in "s", "ed" or "ing" is most
# likely not imperative.  Outside of a clone there is nothing to check.

git rev-parse --git-dir >/dev/null 2>&1 || exit 0
git log -n "${1:-20}" --no-merges --format='%h %s' | awk '
function refuse(why) {
    printf "commit %s: %s: %s\n", hash, why, subject
    n_refused++
}
{
    hash = $1
    subject = substr($0, length(hash) + 2)
    if (length(subject) > 72) refuse("the subject has more than 72 characters")
    if (subject !~ /^[a-z0-9_.\/-]+(, [a-z0-9_.\/-]+)*: [a-z]/)
        refuse("the subject is not `area: imperative verb object`")
    verb = subject
    sub(/^[^:]*: */, "", verb)
    sub(/[ ,].*/, "", verb)
    if (verb ~ /(ed|ing|[^s]s)$/ && verb !~ /^(need|bring|process|focus|bias|feed|seed|embed|shed|speed)$/)
        refuse("\"" verb "\" is not an imperative verb")
}
END { exit n_refused > 0 }'
