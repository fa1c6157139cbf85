// requires: @langchain/openai@1.5.8 @langchain/core@1.4.0
// LangChain for JavaScript, by chat completions.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

const at = (baseURL, model = "iterative") => new ChatOpenAI({ model, apiKey: "none", configuration: { baseURL } });
const ask = async (asked, base = BASE, model = "iterative") => (await at(base, model).invoke(asked)).text;

await run({
  ask: async () => answered(await ask(QUESTION)),
  stream: async () => {
    const pieces = [];
    for await (const piece of await at(BASE).stream(QUESTION)) pieces.push(piece.text);
    return `${answered(pieces.join(""))}, ${pieces.length} pieces`;
  },
  second_turn: async () => {
    const first = await ask(QUESTION);
    return answered(await ask([new HumanMessage(QUESTION), new AIMessage(first), new HumanMessage(SECOND)]));
  },
  cancel: async () => {
    const leaving = new AbortController();
    try {
      for await (const _ of await at(BASE).stream(LEFT, { signal: leaving.signal })) leaving.abort();
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
    return "left";
  },
  error: () => refused(() => ask(QUESTION, BASE, "telepathy")),
  slow: async () => answered(await ask(SLOW)),
  cut: async () => answered(await ask(SLOW_CUT, CUT)),
});
