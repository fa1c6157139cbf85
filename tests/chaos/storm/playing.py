"""One run of the schedule: asked for, followed by two clients, disturbed, and controlled as its plan says."""

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Final

import httpx

from elcano.graphs.frozen import JsonObject
from tests.chaos.storm import clients
from tests.chaos.storm.clients import Reader
from tests.chaos.storm.operators import Operator
from tests.chaos.storm.records import Again, Played, Request
from tests.chaos.storm.schedule import NOTHING, Command, Disturbance, Plan, WishKind
from tests.chaos.storm.stack import Stormy

RUN_SECONDS: Final = 900.0
"""A run that is not over by then is stuck: undisturbed it takes a few, on a busy machine some dozens, and each worker
that is killed costs it half a minute."""
NEEDS: Final[dict[WishKind, tuple[str, ...]]] = {
    "top-up": ("top-up",),
    "stop": ("stop",),
    "pause": ("pause", "unpause"),
    "steer": ("steer",),
    "cancel": ("cancel",),
    "resume": ("stop", "resume"),
    "rollback": ("rollback",),
    "fork": ("fork",),
}
"""The routes that a wish takes; it is not made where the server has not got them."""
TOP_UP: Final[JsonObject] = {"tokens": 5_000_000}


async def routes(base_url: str) -> frozenset[str]:
    """What may be asked of a run, as the server's description of itself has it."""
    async with clients.client(base_url) as http:
        paths = (await clients.insist(http, "GET", "/openapi.json")).json()["paths"]
    return frozenset(path.rpartition("/")[2] for path in paths if path.startswith("/v1/runs/{run_id}/"))


class Playing:
    """One run that is being played."""

    def __init__(self, stack: Stormy, plan: Plan, story: int, known: Collection[str]) -> None:
        """`story` is how many events the twin told, `known` the routes that there are."""
        possible = set(NEEDS.get(plan.wish.kind, ())) <= set(known)
        self._plan = plan if possible else plan.model_copy(update={"wish": NOTHING})
        self._stack = stack
        self._story = story
        self._http = clients.client(stack.settings.base_url)
        self._requests: list[Request] = []
        self._again: list[Again] = []
        self._over = False
        self._run_id = ""

    async def play(self) -> list[Played]:
        """The run, and the one that was forked from it if one was."""
        began = time.time()
        async with self._http:
            self._run_id = await self._started()
            steady, restless = self._reader("steady"), self._reader("restless", *self._plan.cuts)
            doing = [
                *(asyncio.create_task(self._disturb(steady, one)) for one in self._plan.disturbances),
                *(asyncio.create_task(self._operate(steady, one)) for one in self._plan.commands),
                asyncio.create_task(self._wish(steady)),
                asyncio.create_task(self._top_up(steady)),
            ]
            ended: float | None = None
            forked: list[Played] = []
            try:
                async with asyncio.timeout(RUN_SECONDS):
                    await asyncio.gather(steady.follow(), restless.follow())
                    self._over = True
                    await asyncio.gather(*doing)
                    if (fork := await self._afterwards(steady, restless)) is not None:
                        forked = [fork]
                ended = time.time()
            except TimeoutError:
                pass  # it is stuck, and its record says so
            finally:
                for task in doing:
                    task.cancel()
                await asyncio.gather(*doing, return_exceptions=True)
        played = Played(
            plan=self._plan,
            run_id=self._run_id,
            began=began,
            ended=ended,
            transcripts=(steady.transcript, restless.transcript),
            requests=tuple(self._requests),
            again=tuple(self._again),
        )
        return [played, *forked]

    def _reader(self, name: str, *cuts: int) -> Reader:
        return Reader(self._http, self._run_id, name, cuts)

    async def _started(self) -> str:
        script = self._plan.script
        body: JsonObject = {
            "question": script.question,
            "sources": [*script.sources],
            "budget": dict(script.budget),  # type: ignore[arg-type]
            "model": f"openai-chat:{self._plan.name}",
        }
        if script.way == "patient":
            body["graph"] = await self._patient()
        else:
            body |= {"mode": script.mode, "use_graph": script.use_graph}
        answer = await clients.insist(self._http, "POST", "/v1/runs", body)
        assert answer.status_code in (200, 201), f"{script.name}: {answer.text}"
        run_id: str = answer.json()["run_id"]
        return run_id

    async def _patient(self) -> JsonObject:
        """The graph of questions to databases with more time for its paths than any disturbance takes."""
        graph: JsonObject = (await clients.insist(self._http, "GET", "/v1/graphs/data")).json()
        nodes = graph["nodes"]
        assert isinstance(nodes, list)
        for node in nodes:
            assert isinstance(node, dict)
            if node["kind"] == "parallel":
                node["timeout_seconds"] = RUN_SECONDS
        return graph

    async def _disturb(self, reader: Reader, disturbance: Disturbance) -> None:
        if await self._reached(reader, disturbance.at):
            await asyncio.sleep(disturbance.later)
            await self._stack.disturb(disturbance, self._plan.name)

    async def _operate(self, reader: Reader, command: Command) -> None:
        if await self._reached(reader, command.at):
            await Operator(self._stack.settings.temporal_target).do(command, self._run_id)

    async def _reached(self, reader: Reader, share: float) -> bool:
        """Waits for a place in the story; False: the run was over before."""
        return await self._until(lambda: reader.told >= share * self._story)

    async def _until(self, met: Callable[[], bool]) -> bool:
        while not met():
            if self._over:
                return False
            await asyncio.sleep(0.01)
        return True

    async def _ask(self, action: str, body: JsonObject) -> Request:
        asked = await clients.ask(self._http, self._run_id, action, body)
        self._requests.append(asked)
        return asked

    async def _wish(self, reader: Reader) -> None:
        wish = self._plan.wish
        if wish.kind in ("none", "rollback", "fork") or not await self._reached(reader, wish.at):
            return
        match wish.kind:
            case "top-up":
                await self._ask("top-up", TOP_UP)
            case "stop" | "resume":
                await self._ask("stop", {"reason": "chaos"})
            case "cancel":
                await self._ask("cancel", {})
            case "steer":
                await self._ask("steer", {"instruction": "Mind the weather."})
            case "pause":
                if (await self._ask("pause", {})).accepted:
                    await asyncio.sleep(wish.seconds)
                    await self._ask("unpause", {})

    async def _top_up(self, reader: Reader) -> None:
        """Of a run that has too little: whenever it tells that it waits for more."""
        if not self._plan.script.tight:
            return
        answered = 0

        def waits() -> bool:
            return _pauses(reader) > answered

        while await self._until(waits):
            answered = _pauses(reader)
            await self._ask("top-up", TOP_UP)

    @property
    def _fork(self) -> Plan:
        nothing = {"disturbances": (), "commands": (), "faults": (), "cuts": (), "wish": NOTHING, "fork": True}
        return self._plan.model_copy(update=nothing)

    async def _afterwards(self, *readers: Reader) -> Played | None:
        """What is asked for when the run is over; the fork, if that was it."""
        wish = self._plan.wish
        if wish.kind == "resume" and any(one.action == "stop" and one.accepted for one in self._requests):
            began = time.time()
            if (await self._ask("resume", {})).accepted:
                step = int(str(self._requests[-1].body["step"]))
                self._again.append(Again(at=began, step=step, sections=False))
                await asyncio.gather(*(one.follow() for one in readers))
        if wish.kind in ("rollback", "fork"):
            steps = (await clients.insist(self._http, "GET", f"/v1/runs/{self._run_id}")).json()["steps"]
            step = 1 + min(int(wish.step * steps), steps - 1)
            began = time.time()
            body: JsonObject = {"step": step}
            if wish.kind == "fork":
                body["model"] = f"openai-chat:{self._fork.name}"  # so that its requests are told from this run's
            if (asked := await self._ask(wish.kind, body)).accepted:
                if wish.kind == "fork":
                    return await self._forked(str(asked.body["run_id"]), step)
                self._again.append(Again(at=began, step=step))
                await asyncio.gather(*(one.follow() for one in readers))
        return None

    async def _forked(self, run_id: str, step: int) -> Played:
        began = time.time()
        reader = Reader(self._http, run_id, "steady")
        await reader.follow()
        return Played(
            plan=self._fork,
            run_id=run_id,
            began=began,
            ended=time.time(),
            transcripts=(reader.transcript,),
            forked_from=self._run_id,
            forked_at=step,
        )


def _pauses(reader: Reader) -> int:
    return sum(one.event == "paused" and not one.data["path"] for one in reader.heard)


async def play(stack: Stormy, plan: Plan, story: int, known: Collection[str]) -> list[Played]:
    """Plays one run, to its end or until it is stuck."""
    try:
        return await Playing(stack, plan, story, known).play()
    except httpx.HTTPError as error:
        raise RuntimeError(f"{plan.told()}: {error!r}") from error
