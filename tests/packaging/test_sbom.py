"""The bill of materials names everything that the image installs, and every image that is used is a fixed one."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.packaging.building import ROOT

PACKAGE = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
FIXED = re.compile(r"\d+\.\d+(\.\d+)?|@sha256:[0-9a-f]{64}$")
"""A tag that names a release, or a digest."""


def read_lock() -> dict[str, tuple[str, set[str]]]:
    """The version and the hashes of each package that the image installs."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    found = list(PACKAGE.finditer(text))
    ends = [one.start() for one in found[1:]] + [len(text)]
    parts = {one[1]: (one[2], text[one.start() : end]) for one, end in zip(found, ends, strict=True)}
    return {name: (version, set(re.findall(r"sha256:([0-9a-f]{64})", part))) for name, (version, part) in parts.items()}


def make_bill(file: Path) -> bytes:
    """The bill of materials, made anew."""
    subprocess.run([ROOT / "scripts" / "sbom", file], check=True, capture_output=True)
    return file.read_bytes()


@pytest.mark.long
def test_a_bill_that_is_made_again_is_the_same(tmp_path: Path) -> None:
    assert make_bill(tmp_path / "one.json") == make_bill(tmp_path / "two.json")


@pytest.mark.long
def test_every_locked_package_is_in_the_bill_with_its_version_and_hashes(tmp_path: Path) -> None:
    bill = json.loads(make_bill(tmp_path / "bill.json"))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "elcano-research"
    listed = {
        one["name"]: (
            one["version"],
            {found["content"] for place in one["externalReferences"] for found in place.get("hashes", ())},
        )
        for one in bill["components"]
    }
    locked = read_lock()
    assert len(locked) > 100
    assert all(hashes for _, hashes in locked.values())
    assert listed == locked


def test_every_image_has_an_exact_tag_or_a_digest() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    images = {service["image"] for service in compose["services"].values()}
    images |= set(re.findall(r"^FROM (\S+:\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE))
    assert len(images) > 6
    for image in images:
        tag = image.partition("@")[2] or image.rpartition("/")[2].partition(":")[2]
        assert FIXED.search(f"@{tag}" if "@" in image else tag), image
