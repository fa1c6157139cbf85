// requires: openai@6.49.0
import OpenAI from "openai";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

const client = new OpenAI({ baseURL: BASE, apiKey: "none" });
const ask = (input, more = {}, at = client) => at.responses.create({ model: "iterative", input, ...more });
let first;

// This package does not retry an answer that is cut behind its head: asked again, it is the same run's.
const askAgain = (input, at) => ask(input, {}, at).catch(() => ask(input, {}, at));

await run({
  ask: async () => answered((first = await ask(QUESTION)).output_text),
  stream: async () => {
    const pieces = [];
    for await (const event of await ask(QUESTION, { stream: true }))
      if (event.type === "response.output_text.delta") pieces.push(event.delta);
    return `${answered(pieces.join(""))}, ${pieces.length} pieces`;
  },
  second_turn: async () =>
    answered((await ask([{ role: "user", content: QUESTION }, ...first.output, { role: "user", content: SECOND }])).output_text),
  cancel: async () => (await client.responses.cancel((await ask(LEFT, { background: true })).id)).status,
  error: () => refused(() => ask(QUESTION, { model: "telepathy" })),
  slow: async () => answered((await ask(SLOW)).output_text),
  cut: async () => answered((await askAgain(SLOW_CUT, new OpenAI({ baseURL: CUT, apiKey: "none" }))).output_text),
});
