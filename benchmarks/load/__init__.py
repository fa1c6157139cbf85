"""What a run costs, measured on a real stack: a Temporal server, PostgreSQL, workers and APIs as programs of their own.

`stack` starts the programs, `model_server` is the model, `corpus` what is searched and answered, `clients` start runs
and listen, `meters` read what was used, `load` plays the phases. `costs` and `scaling` are pure: what one run costs,
and what many need. `statement_counter` is a plugin of the measured programs.
"""
