"""The packages of the wheel: every folder of code, as `elcano.<folder>`. All else is in `pyproject.toml`."""

from setuptools import find_packages, setup

ROOMS = (
    "graphs",
    "workflows",
    "activities",
    "storage",
    "api",
    "settings",
    "client",
    "cli",
    "dev",
    "testing",
    "text",
    "service",
    "subjects",
    "doors",
    "operations",
)

setup(
    script_name="setup.py",  # this file lies in the package's folder, and is left out of it by this name
    packages=["elcano", *(f"elcano.{name}" for room in ROOMS for name in find_packages(include=[room, f"{room}.*"]))],
    package_dir={"elcano": "."},
    package_data={"elcano": ["py.typed"], "": ["*.mako", "*.po", "templates/*", "static/*"]},
)
