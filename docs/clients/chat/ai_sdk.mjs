// requires: ai@6.0.326 @ai-sdk/openai@3.0.141
// The Vercel AI SDK: by default it asks Responses, and names former answers by their ids (`item_reference`).
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

const at = (baseURL) => createOpenAI({ baseURL, apiKey: "none" });
const ask = (prompt, base = BASE, model = "iterative") => generateText({ model: at(base)(model), prompt });

await run({
  ask: async () => answered((await ask(QUESTION)).text),
  stream: async () => {
    const pieces = [];
    for await (const piece of streamText({ model: at(BASE)("iterative"), prompt: QUESTION }).textStream) pieces.push(piece);
    return `${answered(pieces.join(""))}, ${pieces.length} pieces`;
  },
  second_turn: async () => {
    const first = await ask(QUESTION);
    const messages = [{ role: "user", content: QUESTION }, ...first.response.messages, { role: "user", content: SECOND }];
    const asked = { model: at(BASE)("iterative"), messages };
    const previousResponseId = first.providerMetadata.openai.responseId;
    answered((await generateText({ ...asked, providerOptions: { openai: { previousResponseId } } })).text);
    return answered((await generateText(asked)).text);
  },
  cancel: async () => {
    const leaving = new AbortController();
    const { fullStream } = streamText({ model: at(BASE)("iterative"), prompt: LEFT, abortSignal: leaving.signal });
    for await (const part of fullStream) if (part.type === "reasoning-start") leaving.abort();
    return "left";
  },
  error: () => refused(() => ask(QUESTION, BASE, "telepathy")),
  slow: async () => answered((await ask(SLOW)).text),
  cut: async () => answered((await ask(SLOW_CUT, CUT)).text),
});
