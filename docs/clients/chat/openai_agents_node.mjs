// requires: @openai/agents@0.20.0 openai@6.49.0 zod@4
// The Agents SDK for JavaScript: a handoff to Elcano, and a session.
import { Agent, MemorySession, OpenAIResponsesModel, run as start, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

setTracingDisabled(true);
const parameters = z.object({ word: z.string() });
const lookUp = tool({ name: "look_up", description: "Look a word up.", parameters, execute: ({ word }) => word });
const agent = (base = BASE, model = "iterative") => {
  const served = new OpenAIResponsesModel(new OpenAI({ baseURL: base, apiKey: "none" }), model);
  return new Agent({ name: "Elcano", instructions: "One page.", model: served, tools: [lookUp] });
};
const research = async (question, base, model) => answered((await start(agent(base, model), question)).finalOutput);

await run({
  ask: () => research(QUESTION),
  stream: async () => {
    const streamed = await start(agent(), QUESTION, { stream: true });
    const events = [];
    for await (const event of streamed) events.push(event);
    await streamed.completed;
    return `${answered(streamed.finalOutput)}, ${events.length} events`;
  },
  second_turn: async () => {
    const session = new MemorySession();
    answered((await start(agent(), QUESTION, { session })).finalOutput);
    await session.addItems([
      { role: "user", content: SECOND },
      { type: "function_call", callId: "c1", name: "transfer_to_elcano", arguments: "{}", status: "completed" },
      { type: "function_call_result", callId: "c1", name: "transfer_to_elcano", status: "completed", output: "Elcano" },
    ]);
    return answered((await start(agent(), await session.getItems())).finalOutput);
  },
  cancel: async () => {
    const leaving = new AbortController();
    const streamed = await start(agent(), LEFT, { stream: true, signal: leaving.signal });
    for await (const _ of streamed) leaving.abort();
    return "left";
  },
  error: () => refused(() => research(QUESTION, BASE, "telepathy")),
  slow: () => research(SLOW),
  cut: () => research(SLOW_CUT, CUT).catch(() => research(SLOW_CUT, CUT)), // as openai_node.mjs says
});
