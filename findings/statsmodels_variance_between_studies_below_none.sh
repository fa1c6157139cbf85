#!/bin/sh
# The random-effects estimate of DerSimonian and Laird sets the variance between studies to none where the formula gives
# less. statsmodels does not: studies that agree well have a negative tau2 and an I2 hundreds of per cent below none, and
# the interval with random effects is narrower than with a fixed effect, where both should be the same; studies that
# agree better still have none at all (NaN). R's metafor truncates, as does method_re="iterated" (Paule and Mandel).
#
# version: statsmodels==0.15.0
# behaviour: combine_effects(..., method_re="dl") of three studies that agree has tau2 < 0 and an interval narrower than the fixed effect's
# seen: tau2 -0.0355, I2 -4.67, a standard error of 0.044 with random effects and of 0.120 with a fixed one; iterated: tau2 0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q statsmodels==0.15.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import numpy as np
from statsmodels.stats.meta_analysis import combine_effects

effects, variances = np.array([0.10, 0.22, 0.05]), np.array([0.04, 0.04, 0.05])
found = combine_effects(effects, variances, method_re="dl")
table = found.summary_frame()
fixed, random = (table.loc[name, "sd_eff"] for name in ("fixed effect", "random effect"))
iterated = combine_effects(effects, variances, method_re="iterated").tau2
print(f"tau2 {found.tau2:.4f}, I2 {found.i2:.2f}, standard error: fixed {fixed:.3f}, random {random:.3f}; iterated: tau2 {iterated}")
sys.exit(0 if found.tau2 < 0 and found.i2 < 0 and random < fixed and iterated == 0 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
