#!/bin/sh
# pip 23.2.1, which CPython 3.11.7 brings, cannot install readability-lxml 0.9 and trafilatura 2.3.0 in one command: it
# ends with `AssertionError: Internal issue: Candidate is not for this requirement`. Each alone installs. One names the
# extra of lxml `html_clean`, the other `html-clean`, which are one extra by the rules of names; this pip compares them
# as texts. pip 26.1.2 installs both. So whoever compares the two readers in one environment has to renew pip first.
#
# version: pip==23.2.1 (of CPython 3.11.7), readability-lxml==0.9, trafilatura==2.3.0; pip==26.1.2 installs both
# behaviour: two spellings of one extra of lxml end the installation with an AssertionError; each package alone installs
# seen: AssertionError: Internal issue: Candidate is not for this requirement
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
pip="$folder/env/bin/python -m pip"
say() { # the last line that a dry run prints, without warnings
    $pip install --disable-pip-version-check --dry-run --quiet "$@" 2>&1 | grep -v WARNING | tail -n 1 | cut -c 1-80
}
$pip install --quiet --disable-pip-version-check 'pip==23.2.1' 2>/dev/null
together=$(say 'readability-lxml==0.9' 'trafilatura==2.3.0')
alone=$(say 'readability-lxml==0.9')$(say 'trafilatura==2.3.0')
$pip install --quiet --disable-pip-version-check 'pip==26.1.2' 2>/dev/null
newer=$(say 'readability-lxml==0.9' 'trafilatura==2.3.0')
echo "pip 23.2.1, together: $together"
echo "pip 23.2.1, each alone: ${alone:-no error}"
echo "pip 26.1.2, together: ${newer:-no error}"
case $together in
*"Candidate is not for this requirement"*) ;;
*) exit 1 ;;
esac
[ -z "$alone$newer" ]
