// requires: ai@6.0.326 @ai-sdk/openai-compatible@2.0.92
// The AI SDK's chat of a page (what `useChat` is made of) and its route, which asks Elcano by chat completions.
import { createServer } from "node:http";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { AbstractChat, DefaultChatTransport, convertToModelMessages, streamText } from "ai";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

const route = createServer(async (request, response) => {
  const { messages, base, model } = JSON.parse((await request.toArray()).join(""));
  const served = createOpenAICompatible({ name: "elcano", baseURL: base, apiKey: "none" })(model);
  const leaving = new AbortController();
  response.on("close", () => leaving.abort());
  const streamed = streamText({ model: served, messages: await convertToModelMessages(messages), abortSignal: leaving.signal });
  streamed.pipeUIMessageStreamToResponse(response, { onError: (error) => error.responseBody ?? String(error) });
});
await new Promise((ready) => route.listen(0, "127.0.0.1", ready));

class Chat extends AbstractChat {
  // The state that a page would draw.
  constructor(base = BASE, model = "iterative") {
    const messages = [];
    const state = {
      status: "ready",
      messages,
      pushMessage: (one) => messages.push(one),
      popMessage: () => messages.pop(),
      replaceMessage: (index, one) => (messages[index] = one),
      snapshot: structuredClone,
    };
    const transport = new DefaultChatTransport({ api: `http://127.0.0.1:${route.address().port}`, body: { base, model } });
    super({ transport, state });
  }
  async ask(text) {
    await this.sendMessage({ text });
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
  cut: () => new Chat(CUT).ask(SLOW_CUT),
});
route.close();
