import { allEndpointGroups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { chooseProvider } from "../../lib/platform/llm/choose-llm-provider.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { demoStudent } from "../../scripts/dev/seed/accounts.ts";
import { seed } from "../../scripts/seed.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** Database round trips of a stored answer: before its first chunk, and in total. */
export async function benchCachedAnswerRoundTrips(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  let roundTrips = 0;
  const countOne = () => {
    roundTrips += 1;
  };
  const database = await connectDatabase({ url: stage.databaseUrl, onQuery: countOne });
  const tutor = await startPracticeTutor();
  const config = loadConfig({
    ...benchServiceSettings(stage.databaseUrl, tutor.url),
    ENABLE_ACCESS_LOG: "false",
  });
  const deps = await createDeps(config, { database, llm: chooseProvider(config) });
  await seed(deps.db, { now: new Date(), bcryptCost: 4 });
  const app = createApp(deps, allEndpointGroups);

  const send = async (path: string, body: object, token = "") =>
    app.request(`/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { access_token } = (await (await send("/auth/login", demoStudent)).json()) as {
    access_token: string;
  };
  const openTopic = async () =>
    (await (await send("/chat/sessions", { content_item_id: 1 }, access_token)).json()) as { id: number };

  const greet = async () => {
    const session = await openTopic();
    roundTrips = 0;
    const response = await send(`/chat/sessions/${session.id}/messages`, { content: "Start." }, access_token);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const beforeFirstChunk = roundTrips;
    while (!(await reader.read()).done);
    return { beforeFirstChunk, all: roundTrips };
  };
  await greet();
  const { beforeFirstChunk, all } = await greet();
  await deps.close();
  await tutor.close();
  return [
    upperLimitVerdict("Cached answer, before its first chunk", beforeFirstChunk, 2, "round trips"),
    upperLimitVerdict("Cached answer, the whole request", all, 5, "round trips"),
  ];
}
