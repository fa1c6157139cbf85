// Start a run, follow it to its end, approve its plan and read its report: the types of openapi-typescript.
import { setTimeout } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import createClient from "openapi-fetch";
import type { components, paths } from "./elcano";

const [question = "What is HTTPX?", key = crypto.randomUUID()] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: process.env.ELCANO_API_URL ?? "http://127.0.0.1:8000" });

const { data: run, error } = await api.POST("/v1/runs", {
  body: { question, mode: "deep", approve_plan: true },
  params: { header: { "idempotency-key": key } }, // with the same key, the program goes on with the same run
});
if (!run) throw new Error(error.detail ?? error.title);
const path = { run_id: run.run_id };
let last: string | undefined;
let end: string | undefined;
while (end === undefined) {
  try {
    const { data: body, error } = await api.GET("/v1/runs/{run_id}/events", {
      params: { path, header: { "last-event-id": last } },
      parseAs: "stream",
    });
    if (!body) throw new Error(error?.detail ?? error?.title);
    const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { id, data } of messages) {
      const event: components["schemas"]["RunMessage"] = JSON.parse(data);
      if (!("seq" in event)) continue; // a notice, or text that is being written; neither has an id
      console.error(event.message);
      if (event.type === "plan_proposed") {
        const header = { "idempotency-key": `plan-${run.run_id}` };
        const { error } = await api.POST("/v1/runs/{run_id}/approve", { params: { path, header } });
        if (error) throw new Error(error.detail ?? error.title);
      }
      if (["complete", "failed", "cancelled"].includes(event.type)) end = event.type;
      last = id; // not before: what failed above is done again
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // so `fetch` says that the connection broke
    await setTimeout(2_000);
  }
}
if (end !== "complete") throw new Error(`the run ended as ${end}`);
const { data: report } = await api.GET("/v1/runs/{run_id}/report", {
  params: { path, header: { accept: "text/markdown" } },
  parseAs: "text",
});
console.log(report);
