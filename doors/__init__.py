"""Doors: other ways in and out: the page, other protocols, exports, schedules, batches, webhooks."""
