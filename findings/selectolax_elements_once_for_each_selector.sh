#!/bin/sh
# selectolax gives an element once for each selector of a list that it matches, where querySelectorAll, lxml and
# BeautifulSoup give it once: `<main role="main">`, as Bootstrap's pages have it, is two main elements, and whoever takes
# out what `css("[hidden], .menu")` finds frees some nodes twice. `:is(main, [role=main])` gives each once. And a node's
# own css() finds the node itself, which querySelectorAll never does. But `:is(...)` is no way to shorten a descendant's
# selector: behind it, a space looks at the parent alone, as `>` does.
#
# version: selectolax==1.0.2 (its parser lexbor)
# behaviour: css("main, [role=main]") finds <main role="main"> twice; css("div") of a div finds that div first;
# css(":is(main, nav) b") does not find the <b> of <main><p><b>, which css("main b") finds
# seen: 2 results, one element; `:is(...)`: 1; in lxml 1; div#outer and div#inner within div#outer;
# b in main: 1, by `:is(...)` 0, in lxml 1
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q selectolax==1.0.2 lxml==6.1.3 cssselect==1.6.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import lxml.html
from selectolax.lexbor import LexborHTMLParser

PAGE = '<main role="main"><div id="outer"><div id="inner">text</div></div></main>'
tree, other = LexborHTMLParser(PAGE), lxml.html.document_fromstring(PAGE)
plain, joined = tree.css("main, [role=main]"), tree.css(":is(main, [role=main])")
elsewhere = other.cssselect("main, [role=main]")
print("main, [role=main]:", len(plain), "results,", len({one.mem_id for one in plain}), "element; by :is", len(joined))
print("lxml:", len(elsewhere))
within = [one.id for one in tree.css_first("#outer").css("div")]
print("div within #outer:", within)
deep = "<main><p><b>text</b></p></main>"
spaced = [len(LexborHTMLParser(deep).css(one)) for one in ("main b", ":is(main, nav) b", ":is(p, nav) b")]
spaced.append(len(lxml.html.document_fromstring(deep).cssselect(":is(main, nav) b")))
print("main b; :is(main, nav) b; :is(p, nav) b; in lxml :is(main, nav) b:", spaced)
as_stated = len(plain) == 2 and plain[0].mem_id == plain[1].mem_id and len(joined) == len(elsewhere) == 1
sys.exit(0 if as_stated and within == ["outer", "inner"] and spaced == [1, 0, 1, 1] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
