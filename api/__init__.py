"""The API serves: runs are asked for, followed, stopped and read over HTTP.

Nothing is decided here that a workflow decides. A request becomes the input of a workflow, a query, an update or a
read of the store; a finished run is answered from the store alone, so it can be read without Temporal or a worker.
"""
