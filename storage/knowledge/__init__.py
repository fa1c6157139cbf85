"""What runs found as a graph: in tables beside all else that is kept, or in Apache AGE."""
