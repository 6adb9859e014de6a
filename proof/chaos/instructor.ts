import { setTimeout as sleep } from "node:timers/promises";
import type { TopicTree } from "../../schema/api/chat.ts";
import { questionBlock } from "./failure-modes.ts";
import type { Rng } from "./rng.ts";
import type { Stage } from "./stage.ts";
import type { Topic } from "./university.ts";

/** Purges or replaces one stored answer of a topic, whatever is being made from it. */
export async function interfere(stage: Stage, topic: Topic, rng: Rng): Promise<void> {
  const { ledger } = stage;
  const path = `chat/topics/${topic.id}/tree`;
  const { nodes } = (await send(stage, topic, rng, "GET", `${path}?limit=100`)) as Partial<TopicTree>;
  const [first, ...more] = nodes ?? [];
  if (!first) return;
  const node = `${path}/nodes/${rng.pick([first, ...more]).id}`;
  if (rng.chance(0.4)) {
    await send(stage, topic, rng, "DELETE", node);
    ledger.count("purges");
    return;
  }
  const edit = ledger.counted("edits") + 1;
  const question = rng.chance(0.8) ? questionBlock(`e${edit}`).join("") : "";
  const keep_children = rng.chance(0.5);
  ledger.count("edits");
  await send(stage, topic, rng, "PUT", node, {
    answer: `Text ${edit} of the instructor.${question}`,
    keep_children,
  });
}

/** Sends a request until it is answered; undefined for what is gone by then. */
async function send(
  { servers, ledger }: Stage,
  { instructor }: Topic,
  rng: Rng,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const response = await fetch(`${await servers.any(rng)}/${path}`, {
      method,
      headers: { authorization: `Bearer ${instructor}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(6000),
    }).catch(() => undefined);
    if (response?.ok || response?.status === 404) return (await response.json().catch(() => ({}))) ?? {};
    if (response && response.status !== 503)
      ledger.violated(`An instructor got ${response.status} for ${method} ${path}: ${await response.text()}`);
    await sleep(200);
  }
  return {};
}
