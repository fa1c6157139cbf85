#!/bin/sh
# networkx writes graphs to formats that cannot hold them, without an error. A GEXF attribute has one type, and networkx
# declares that of the first value: if a year is an int on one node and a float on the next, networkx cannot read its
# own file. GML uses "label" and "id" for node names, and node attributes with these names are dropped. node_link_data,
# the JSON for web pages, overwrites an edge's own "source" or "target" (the article it comes from). GraphML keeps all
# three.
#
# version: networkx==3.6.1
# behaviour: GEXF with 2020 and 2020.5 cannot be read back; GML loses node labels; node_link_data loses an edge's
#   "source"
# seen: ValueError: invalid literal for int() with base 10: '2020.5'; {'year': 2020}; 'a' instead of 'article 7'
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from pathlib import Path

import networkx

folder = Path(sys.argv[1])
graph = networkx.DiGraph()
graph.add_node("a", label="Aspirin", year=2020)
graph.add_node("b", label="Bleeding", year=2020.5)
graph.add_edge("a", "b", source="article 7")

networkx.write_gexf(graph, folder / "graph.gexf")
try:
    networkx.read_gexf(folder / "graph.gexf")
    gexf = "read"
except ValueError as error:
    gexf = str(error)
networkx.write_gml(graph, folder / "graph.gml")
gml = dict(networkx.read_gml(folder / "graph.gml").nodes["a"])
(edge,) = networkx.node_link_data(graph)["edges"]
networkx.write_graphml(graph, folder / "graph.graphml")
graphml = networkx.read_graphml(folder / "graph.graphml")
print(f"GEXF: {gexf}\nGML: {gml}\nJSON: {edge}\nGraphML: {dict(graphml.nodes['b'])}, {graphml.edges['a', 'b']}")
same = (
    *("2020.5" in gexf, gml == {"year": 2020}, edge["source"] == "a", "article 7" not in edge.values()),
    *(graphml.nodes["b"] == {"label": "Bleeding", "year": 2020.5}, graphml.edges["a", "b"] == {"source": "article 7"}),
)
sys.exit(0 if all(same) else 1)
PYTHON
