"""Chaos as a program: runs on a real stack whose processes are killed, with an undisturbed twin for each of them.

`schedule` draws what happens, as data; `processes`, `stack` and `model_server` are what it happens to; `clients` ask
and listen; `collecting` reads what is left; `checks` are pure and say what is wrong; `figures` are what is printed.
"""
