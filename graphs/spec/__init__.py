"""What a graph is: nodes and edges as frozen data, how large it may be, how it is drawn."""
