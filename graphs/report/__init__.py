"""What a report is made of: drafts, checked statements, works, references, results of queries and analyses."""
