#!/bin/sh
# statsmodels' multipletests decides otherwise if one p-value is missing (NaN, from a test that could not be made): it
# counts it as one more test, so hypotheses are kept that are rejected without it. With Holm and Bonferroni the corrected
# values grow. R's p.adjust corrects the others alone and returns NA in its place. Drop missing values first. That all
# corrected values of fdr_bh become NaN is known (github.com/statsmodels/statsmodels/issues/2899, open since 2016); the
# decisions that it returns beside them look valid.
#
# version: statsmodels==0.15.0
# behaviour: fdr_bh of .01, .03, .04 rejects all three; with a NaN among them one, and all corrected values are NaN
# seen: True True True (0.03 0.04 0.04); True False False False (nan nan nan nan); Holm 0.03 0.06 0.06, with a NaN 0.04
#   0.09 0.09
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check statsmodels==0.15.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from statsmodels.stats.multitest import multipletests

nan = float("nan")
results = {}
for method in ("fdr_bh", "holm"):
    for values in ([0.01, 0.03, 0.04], [0.01, nan, 0.03, 0.04]):
        rejected, corrected = multipletests(values, method=method)[:2]
        results[method, len(values)] = ([bool(one) for one in rejected], [f"{one:.2f}" for one in corrected])
        print(method, values, *results[method, len(values)])
same = results == {
    ("fdr_bh", 3): ([True, True, True], ["0.03", "0.04", "0.04"]),
    ("fdr_bh", 4): ([True, False, False, False], ["nan"] * 4),
    ("holm", 3): ([True, False, False], ["0.03", "0.06", "0.06"]),
    ("holm", 4): ([True, False, False, False], ["0.04", "nan", "0.09", "0.09"]),
}
sys.exit(0 if same else 1)
PYTHON
