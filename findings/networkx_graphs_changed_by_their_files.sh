#!/bin/sh
# networkx writes graphs to formats that cannot hold them, without an error. A GEXF attribute has one type, and networkx
# takes that of the first value: a year that is whole in one node and has decimals in another gives a file that networkx
# itself cannot read. GML has "label" and "id" for the nodes' names, and node attributes of these names are left out.
# node_link_data, the JSON of web pages, replaces an edge's own "source" or "target" (the article it is from) by its ends.
# GraphML keeps all three.
#
# version: networkx==3.6.1
# behaviour: GEXF of 2020 and 2020.5 cannot be read back; GML loses node labels; node_link_data loses an edge's "source"
# seen: ValueError: invalid literal for int() with base 10: '2020.5'; {'year': 2020}; 'a' in the place of 'article 7'
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
