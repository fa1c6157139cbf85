// requires: @ag-ui/client@1.0.0
// AG-UI: a thread of runs; a connection that is cut is made again with the same run. This package reports a cut twice,
// and only one of the reports can be caught.
import { HttpAgent } from "@ag-ui/client";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

process.on("unhandledRejection", (error) => console.error(`${error.name}: ${error.message}`));
const at = (base) => new HttpAgent({ url: base.replace("/openai/v1", "/ag-ui") });
const say = (agent, content) => agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
const options = (mode = "iterative") => ({ runId: crypto.randomUUID(), forwardedProps: { elcano: { mode } } });

async function ask(agent, question, asked = options(), subscriber = {}) {
  say(agent, question);
  await agent.runAgent(asked, subscriber);
  return answered(agent.messages.findLast((one) => one.role === "assistant")?.content);
}

await run({
  ask: () => ask(at(BASE), QUESTION),
  stream: async () => {
    const types = new Set();
    const length = await ask(at(BASE), QUESTION, options(), { onEvent: ({ event }) => void types.add(event.type) });
    return `${length}, ${types.size} types of events`;
  },
  second_turn: async () => {
    const agent = at(BASE);
    await ask(agent, QUESTION);
    return ask(agent, SECOND);
  },
  cancel: async () => {
    const agent = at(BASE);
    say(agent, LEFT);
    await agent.runAgent(options(), { onRunStartedEvent: () => agent.abortRun() }).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
    return "left";
  },
  error: () => refused(() => ask(at(BASE), QUESTION, options("telepathy"))),
  slow: () => ask(at(BASE), SLOW),
  cut: async () => {
    const agent = at(CUT);
    const asked = options();
    say(agent, SLOW_CUT);
    await agent.runAgent(asked).catch(() => agent.runAgent(asked));
    return answered(agent.messages.findLast((one) => one.role === "assistant")?.content);
  },
});
