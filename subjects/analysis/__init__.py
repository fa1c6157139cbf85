"""Numbers read out of studies and pooled by meta-analysis, and code that runs in a sandbox."""
