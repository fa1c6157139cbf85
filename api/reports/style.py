"""How the page of a report looks: dark and light as its reader has it, and black on white on paper."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--text:#1c2024;--quiet:#5b646d;--line:#d7dce0;--ground:#fff;--shade:#f5f7f8;
--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--text:#e4e7ea;--quiet:#9aa4ad;--line:#3a4148;--ground:#15181b;--shade:#1f2429;
--link:#7db7f2}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:17px/1.6 Charter,Georgia,Cambria,serif}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 5rem;overflow-wrap:break-word}
h1,h2,h3{line-height:1.25;font-family:system-ui,sans-serif}
h1{font-size:1.9rem;margin:0 0 1.25rem}
h2{font-size:1.35rem;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
a{color:var(--link)}
a.number{text-decoration:none;font-size:.85em}
li:target{background:var(--shade);outline:2px solid var(--link);outline-offset:3px}
blockquote{margin:1.25rem 0;padding:.1rem 1rem;border-left:3px solid var(--line);color:var(--quiet)}
table{display:block;overflow-x:auto;border-collapse:collapse;margin:1.25rem 0;font-size:.93em}
th,td{border:1px solid var(--line);padding:.4rem .65rem;text-align:start;vertical-align:top}
th{background:var(--shade)}
svg{display:block;width:100%;height:auto;margin:1.25rem 0}
.left{text-align:left}.right{text-align:right}.center{text-align:center}
pre{overflow-x:auto;background:var(--shade);padding:.85rem 1rem;border-radius:4px}
code{font:.88em/1.5 ui-monospace,Menlo,Consolas,monospace}
:not(pre)>code{background:var(--shade);padding:.1em .3em;border-radius:3px}
.math.block{display:block;overflow-x:auto;margin:1.25rem 0}
hr{border:0;border-top:1px solid var(--line);margin:2rem 0}
@media print{:root{color-scheme:light;--text:#000;--quiet:#333;--line:#999;--ground:#fff;--shade:#f3f3f3;--link:#000}
body{font-size:11pt}main{max-width:none;padding:0}h1,h2,h3{break-after:avoid}
pre,table,blockquote,li{break-inside:avoid}table{display:table}pre{white-space:pre-wrap}
a[href^=http]::after{content:" (" attr(href) ")";font-size:.85em;overflow-wrap:anywhere}}
"""
