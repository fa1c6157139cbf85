// Start a run, follow it to its end, approve its plan and read its report: the client of @hey-api/openapi-ts.
import { setTimeout } from "node:timers/promises";
import { approveRun, followRun, getReport, startRun } from "./elcano";
import { client } from "./elcano/client.gen";

const [question = "What is HTTPX?", key = crypto.randomUUID()] = process.argv.slice(2);
client.setConfig({ baseUrl: process.env.ELCANO_API_URL ?? "http://127.0.0.1:8000" });

async function repeat<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // so `fetch` says that the connection broke
      await setTimeout(2_000);
    }
  }
}

const { data: run } = await startRun({
  body: { question, mode: "deep", approve_plan: true },
  headers: { "idempotency-key": key }, // with the same key, the program goes on with the same run
  throwOnError: true,
});
const path = { run_id: run.run_id };
let last: string | undefined;
let end: string | undefined;
while (end === undefined) {
  // A connection that breaks is resumed by the client; one that the server ends, after an hour at the latest, by this loop.
  const { stream } = await followRun({
    path,
    query: { since: last },
    onSseEvent: ({ id }) => void (last = id ?? last),
    sseMaxRetryDelay: 5_000, // its pause doubles with every break, otherwise to half a minute
  });
  for await (const event of stream) {
    if (typeof event !== "object" || !("seq" in event)) continue; // a notice, or text that is being written
    console.error(event.message);
    if (event.type === "plan_proposed")
      await repeat(() => approveRun({ path, headers: { "idempotency-key": `plan-${run.run_id}` }, throwOnError: true }));
    if (!["complete", "failed", "cancelled"].includes(event.type)) continue;
    end = event.type;
    break; // a connection that breaks now is not to be resumed: the server has nothing more to tell (204)
  }
}
if (end !== "complete") throw new Error(`the run ended as ${end}`);
const { data: report } = await repeat(() =>
  getReport({ path, headers: { accept: "text/markdown" }, throwOnError: true }),
);
console.log(String(report)); // its declared type is that of the JSON form
