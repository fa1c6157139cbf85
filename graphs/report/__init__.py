"""The parts of a report: drafts, checked statements, works, references, results of queries and analyses."""
