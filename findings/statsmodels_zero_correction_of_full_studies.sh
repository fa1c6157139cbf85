#!/bin/sh
# statsmodels' effectsize_2proportions(zero_correction=0.5) is meant for studies in which an arm has no event. It adds 0.5
# to the events of every study, and 1 to the sizes of those alone that need it: a study without an empty cell gets another
# odds ratio than by itself, and a larger one if its events are frequent. metafor corrects only studies that need it.
#
# version: statsmodels==0.15.0
# behaviour: with zero_correction, 19 of 20 against 12 of 20 has the odds ratio of 19.5 of 20 against 12.5 of 20
# seen: 23.40 with the correction, 12.67 without; 8.84 if 0.5 were added to all four cells, as its documentation says
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q statsmodels==0.15.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import numpy as np
from statsmodels.stats.meta_analysis import effectsize_2proportions


def compute_ratio(events: float, size: float, other_events: float, other_size: float) -> float:
    return events / (size - events) * (other_size - other_events) / other_events


counts = [np.array(one) for one in ([19, 0], [20, 50], [12, 4], [20, 50])]
without = np.exp(effectsize_2proportions(*(one[:1] for one in counts), statistic="odds-ratio")[0][0])
first, second = np.exp(effectsize_2proportions(*counts, statistic="odds-ratio", zero_correction=0.5)[0])
print(f"19 of 20 against 12 of 20: {without:.2f} without a correction, {first:.2f} with it")
print(f"0.5 added to its events alone: {compute_ratio(19.5, 20, 12.5, 20):.2f}; to all cells: {compute_ratio(19.5, 21, 12.5, 21):.2f}")
print(f"0 of 50 against 4 of 50: {second:.4f}; 0.5 added to all cells: {compute_ratio(0.5, 51, 4.5, 51):.4f}")
as_stated = (
    np.isclose(without, compute_ratio(19, 20, 12, 20))
    and np.isclose(first, compute_ratio(19.5, 20, 12.5, 20))
    and np.isclose(second, compute_ratio(0.5, 51, 4.5, 51))
)
sys.exit(0 if as_stated else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
