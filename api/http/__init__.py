"""What goes over the wire: requests, answers, problems, and what is refused before a route is reached."""
