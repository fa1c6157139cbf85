"""From a draft to a report: every citation looked up, rendered as Markdown, published and archived."""
