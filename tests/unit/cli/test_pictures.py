"""A report that is saved as a file shows its chart and its plots, which are saved beside it."""

from pathlib import Path

from tests.unit.cli.scripted import Answer, Server, problem, run, script_a_run, stands

REPORT = "# T\n\n![a \\] b](chart.svg)\n\n![p](analysis/plots/2.svg)\n\nA file called chart.svg.\n"


def served(server: Server, text: str = REPORT) -> None:
    script_a_run(server)
    server.answer("GET /v1/runs/run-1", stands())
    server.answer("GET /v1/runs/run-1/report", Answer(text, media_type="text/markdown"))
    server.answer("GET /v1/runs/run-1/chart.svg", Answer("<svg>1</svg>", media_type="image/svg+xml"))
    server.answer("GET /v1/runs/run-1/analysis/plots/2.svg", Answer("<svg>2</svg>", media_type="image/svg+xml"))


def test_pictures_are_saved_beside_it(server: Server, tmp_path: Path) -> None:
    served(server)
    assert run("report", "run-1", "--out", str(tmp_path / "my report.md")) == 0
    text = (tmp_path / "my report.md").read_text()
    assert text == REPORT.replace("(chart.svg)", "(my%20report-chart.svg)").replace(
        "(analysis/plots/2.svg)", "(my%20report-plot-2.svg)"
    )
    assert (tmp_path / "my report-chart.svg").read_text() == "<svg>1</svg>"
    assert (tmp_path / "my report-plot-2.svg").read_text() == "<svg>2</svg>"


def test_what_has_none_is_one_file(server: Server, tmp_path: Path) -> None:
    served(server, "# T\n")
    assert run("report", "run-1", "--out", str(tmp_path / "r.md")) == 0
    assert [one.name for one in tmp_path.iterdir()] == ["r.md"]


def test_a_picture_that_cannot_be_had_is_said(server: Server, tmp_path: Path) -> None:
    served(server)
    server.answer("GET /v1/runs/run-1/chart.svg", problem(404, "There is no chart"))
    assert run("report", "run-1", "--out", str(tmp_path / "r.md")) != 0
    assert not (tmp_path / "r.md").exists()
