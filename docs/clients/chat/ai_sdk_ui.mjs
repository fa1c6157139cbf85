// requires: ai@6.0.326 @ai-sdk/openai-compatible@2.0.92
// The AI SDK's chat of a page (what `useChat` is made of) and its route, which asks Elcano by chat completions.
import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { AbstractChat, DefaultChatTransport, convertToModelMessages, streamText } from "ai";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

const route = createServer(async (request, response) => {
  const { messages, base, model } = JSON.parse((await request.toArray()).join(""));
  const served = createOpenAICompatible({ name: "elcano", baseURL: base, apiKey: "none" })(model);
  const leaving = new AbortController();
  response.on("close", () => leaving.abort());
  const streamed = streamText({ model: served, messages: await convertToModelMessages(messages), abortSignal: leaving.signal, onError: () => {} });
  const body = streamed.toUIMessageStreamResponse({ onError: (error) => error.responseBody ?? String(error) }).body;
  pipeline(body, response).catch(() => {}); // a stream that was cut; the chat says so
});
await new Promise((ready) => route.listen(0, "127.0.0.1", ready));

class Chat extends AbstractChat {
  // The state that a page would draw.
  constructor(base = BASE, model = "iterative") {
    const state = { status: "ready", messages: [], snapshot: structuredClone };
    state.pushMessage = (one) => state.messages.push(one);
    state.popMessage = () => state.messages.pop();
    state.replaceMessage = (index, one) => (state.messages[index] = one);
    const transport = new DefaultChatTransport({ api: `http://127.0.0.1:${route.address().port}`, body: { base, model } });
    super({ transport, state });
  }
  async ask(text) {
    await this.sendMessage({ text });
    return this.read();
  }
  read() {
    if (this.error) throw this.error;
    const parts = this.lastMessage.parts.filter(({ type }) => type === "text");
    return answered(parts.map((part) => part.text).join(""));
  }
}

await run({
  ask: () => new Chat().ask(QUESTION),
  stream: async () => {
    const chat = new Chat();
    const said = await chat.ask(QUESTION);
    return `${said}, ${chat.lastMessage.parts.map(({ type }) => type).join(" ")}`;
  },
  second_turn: async () => {
    const chat = new Chat();
    await chat.ask(QUESTION);
    return chat.ask(SECOND);
  },
  cancel: async () => {
    const chat = new Chat();
    const asking = chat.sendMessage({ text: LEFT });
    while (chat.status !== "streaming") await new Promise((ready) => setTimeout(ready, 50));
    await chat.stop();
    await asking;
    return chat.status;
  },
  error: () => refused(() => new Chat(BASE, "telepathy").ask(QUESTION)),
  slow: () => new Chat().ask(SLOW),
  cut: async () => {
    const chat = new Chat(CUT);
    await chat.ask(SLOW_CUT).catch(() => chat.regenerate()); // as a click on "try again" does
    return chat.read();
  },
});
route.close();
