// requires: @modelcontextprotocol/sdk@1.32.2
// The MCP SDK for JavaScript, which starts `elcano mcp-server` (or what ELCANO names); every tool returns at once.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run } from "./steps.mjs";

const open = async (base) => {
  const env = { ...process.env, ELCANO_API_URL: base.replace("/openai/v1", "") };
  const client = new Client({ name: "tried", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.env.ELCANO ?? "elcano", args: ["mcp-server"], env }));
  return client;
};
const call = async (client, name, given) => {
  const result = await client.callTool({ name, arguments: given });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
};
const pause = (seconds) => new Promise((ready) => setTimeout(ready, 1000 * seconds));
const read = async (client, { run_id }) => {
  while ((await call(client, "research_status", { run_id })).status === "running") await pause(0.5);
  return answered((await call(client, "read_report", { run_id })).text);
};
const start = (client, question, more = {}) => call(client, "start_research", { question, mode: "iterative", ...more });

const here = await open(BASE);
let first;
await run({
  ask: async () => read(here, (first = await start(here, QUESTION))),
  stream: async () => `${(await here.readResource({ uri: first.report })).contents[0].text.length} characters of a resource`,
  second_turn: async () => read(here, await call(here, "ask_follow_up", { run_id: first.run_id, question: SECOND })),
  cancel: async () => {
    const { run_id } = await start(here, LEFT);
    return (await call(here, "cancel_research", { run_id })).status;
  },
  error: () => refused(() => start(here, QUESTION, { mode: "telepathy" })),
  slow: async () => read(here, await start(here, SLOW)),
  cut: async () => {
    const away = await open(CUT);
    const asked = await start(away, SLOW_CUT, { key: crypto.randomUUID() });
    const said = await read(away, asked);
    await away.close();
    return said;
  },
});
await here.close();
