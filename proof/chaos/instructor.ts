import { setTimeout as sleep } from "node:timers/promises";
import { formatQuestionBlock } from "../../lib/tutor/dialogue/read-question.ts";
import type { AnswerPin, CacheNode, TopicTree, TreeChange } from "../../schema/api/tutor/chat.ts";
import type { ChaosEnvironment } from "./environment.ts";
import { questionBlockInTwoChunks as newQuestion } from "./llm-answer-modes.ts";
import type { SeededRandom } from "./rng.ts";
import type { ChaosTopic } from "./topics-and-learners.ts";

/** Changes a topic's stored answers or its tutor's input, while answers are generated. */
export async function makeRandomInstructorChange(
  stage: ChaosEnvironment,
  topic: ChaosTopic,
  rng: SeededRandom,
): Promise<void> {
  const whim = rng.next();
  if (whim < 0.05) return rewordItem(stage, topic, rng);
  if (whim < 0.25) return settlePin(stage, topic, rng);
  if (whim < 0.35) return undoChange(stage, topic, rng);
  if (whim < 0.5) return correctKey(stage, topic, rng);
  await changeNode(stage, topic, rng);
}

/** Purges or replaces a stored answer by its version; often pins after it then belong to another question. */
async function changeNode(stage: ChaosEnvironment, topic: ChaosTopic, rng: SeededRandom): Promise<void> {
  const read = await send(stage, topic, rng, { method: "GET", path: `${treeOf(topic)}?limit=100` });
  const nodes = (read.body as Partial<TopicTree> | undefined)?.nodes ?? [];
  const live = nodes.filter(({ is_live }) => is_live || rng.chance(0.3));
  const asking = live.filter(({ id }) => nodes.some(({ parent_id }) => parent_id === id));
  const [first, ...more] = asking.length > 0 && rng.chance(0.7) ? asking : live;
  if (!first) return;
  const node = rng.pick([first, ...more]);
  if (rng.chance(0.25)) return purge(stage, topic, node, rng);
  const child = nodes.find(({ parent_id }) => parent_id === node.id);
  if (!child || !node.question || rng.chance(0.3)) {
    const body = { keep_children: rng.chance(0.5) };
    return replace(stage, topic, node, questionOf(stage, node, rng), body, rng);
  }
  await replace(stage, topic, child, questionOf(stage, child, rng), {}, rng);
  const reworded = {
    ...node.question,
    question: `Which one is it now, after ${stage.ledger.counted("edits")} edits?`,
  };
  await replace(stage, topic, node, `\n\n${formatQuestionBlock(reworded)}`, { keep_children: false }, rng);
  await settlePin(stage, topic, rng);
}

async function purge(
  stage: ChaosEnvironment,
  topic: ChaosTopic,
  node: CacheNode,
  rng: SeededRandom,
): Promise<void> {
  // Counts even if its outcome is unknown.
  stage.ledger.count("purges");
  const path = `${treeOf(topic)}/nodes/${node.id}`;
  await send(stage, topic, rng, { method: "DELETE", path, version: node.version });
}

async function replace(
  stage: ChaosEnvironment,
  topic: ChaosTopic,
  node: CacheNode,
  question: string,
  more: { keep_children?: boolean },
  rng: SeededRandom,
): Promise<void> {
  const { ledger } = stage;
  ledger.count("edits");
  const answer = `Text ${ledger.counted("edits")} of the instructor.${question}`;
  const path = `${treeOf(topic)}/nodes/${node.id}`;
  const body = { answer, ...more };
  const { status } = await send(stage, topic, rng, { method: "PUT", path, version: node.version, body });
  ledger.count(`edits answered ${status}`);
  if (status === 200) ledger.pinned.add(nameOf(answer));
}

/** An edit's question: unchanged, as after a correction; a new one; or none. */
function questionOf({ ledger }: ChaosEnvironment, { question }: CacheNode, rng: SeededRandom): string {
  if (question && rng.chance(0.5)) return `\n\n${formatQuestionBlock(question)}`;
  return rng.chance(0.7) ? newQuestion(`e${ledger.counted("edits")}`).join("") : "";
}

/** Confirms or deletes a pin, preferably a stale one. */
async function settlePin(stage: ChaosEnvironment, topic: ChaosTopic, rng: SeededRandom): Promise<void> {
  const { ledger } = stage;
  const read = await send(stage, topic, rng, { method: "GET", path: `${treeOf(topic)}/pins?limit=100` });
  const pins = Array.isArray(read.body) ? (read.body as AnswerPin[]) : [];
  const [stale, ...more] = pins.filter(({ state }) => state === "STALE");
  ledger.count("stale pins seen", stale ? 1 + more.length : 0);
  const pin = stale ? rng.pick([stale, ...more]) : rng.chance(0.2) ? pins[0] : undefined;
  if (!pin) return;
  const path = `${treeOf(topic)}/pins/${pin.id}`;
  const isSettled = rng.chance(0.7) && pin.state === "STALE";
  const others = pins.filter(({ id, path: way }) => id !== pin.id && `${way}` === `${pin.path}`);
  // A confirmed pin replaces another pin of that question.
  for (const { answer } of isSettled ? others : [pin]) ledger.dropped.add(nameOf(answer));
  if (!isSettled) {
    await send(stage, topic, rng, { method: "DELETE", path });
    ledger.count("pins dropped");
    return;
  }
  // The question's pin is no longer stale, even if the response is lost.
  ledger.confirmed.push({ text: nameOf(pin.answer), asked: pin.asked_now });
  const { status } = await send(stage, topic, rng, {
    method: "POST",
    path: `${path}/confirm`,
    refusals: [400],
  });
  ledger.count(`pins confirmed: ${status}`);
}

/** Sets the correct option of a stored question; a change deletes its subtree. */
async function correctKey(stage: ChaosEnvironment, topic: ChaosTopic, rng: SeededRandom): Promise<void> {
  const { ledger } = stage;
  const read = await send(stage, topic, rng, { method: "GET", path: `${treeOf(topic)}?limit=100` });
  const nodes = (read.body as Partial<TopicTree> | undefined)?.nodes ?? [];
  const [first, ...more] = nodes.filter(({ question, message }) => question && !message.startsWith("@"));
  if (!first) return;
  const node = rng.pick([first, ...more]);
  const answer = rng.pick(node.question?.options.map(({ id }) => id) as [string, ...string[]]);
  // Deleted answers are generated again, like purged ones.
  if (answer !== node.key?.answer) ledger.count("purges");
  const path = `${treeOf(topic)}/nodes/${node.id}/key`;
  const { status } = await send(stage, topic, rng, {
    method: "PUT",
    path,
    version: node.version,
    body: { answer, skill: `Skill ${ledger.counted("edits")}` },
    refusals: [400],
  });
  ledger.count(`keys corrected: ${status}`);
}

async function undoChange(stage: ChaosEnvironment, topic: ChaosTopic, rng: SeededRandom): Promise<void> {
  const path = `${treeOf(topic)}/changes`;
  const read = await send(stage, topic, rng, { method: "GET", path: `${path}?limit=10` });
  const changes = Array.isArray(read.body) ? (read.body as TreeChange[]) : [];
  const change = changes.find(({ can_undo }) => can_undo);
  if (!change) return;
  const undo = { method: "POST", path: `${path}/${change.id}/undo`, refusals: [400] };
  const { status } = await send(stage, topic, rng, undo);
  stage.ledger.count(`changes undone: ${status}`);
}

/** Later sessions use the new item text and a new tree. */
async function rewordItem(stage: ChaosEnvironment, topic: ChaosTopic, rng: SeededRandom): Promise<void> {
  stage.ledger.count("items reworded");
  const description = `In other words, ${stage.ledger.counted("items reworded")}`;
  await send(stage, topic, rng, { method: "PUT", path: `content/${topic.id}`, body: { description } });
}

const treeOf = ({ id }: ChaosTopic): string => `chat/topics/${id}/tree`;

/** Identifies an instructor's text by its first sentence. */
const nameOf = (answer: string): string => /^Text \d+ of the instructor\./.exec(answer)?.[0] ?? answer;

type Request = {
  method: string;
  path: string;
  /** Sent as If-Match: concurrent changes win. */
  version?: number;
  body?: object;
  /** Acceptable error statuses, because others may be first. */
  refusals?: number[];
};

/** Sends a request until it gets a response; status 0 without one. */
async function send(
  { servers, ledger }: ChaosEnvironment,
  { instructor }: ChaosTopic,
  rng: SeededRandom,
  { method, path, version, body, refusals = [] }: Request,
): Promise<{ status: number; body: unknown }> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const response = await fetch(`${await servers.any(rng)}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${instructor}`,
        "content-type": "application/json",
        ...(version !== undefined && { "if-match": `"${version}"` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(6000),
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response && text !== undefined) {
      const { status } = response;
      if (response.ok) return { status, body: text ? JSON.parse(text) : undefined };
      if ([404, 412, ...refusals].includes(status)) return { status, body: undefined };
      if (status !== 503) ledger.violated(`An instructor got ${status} for ${method} ${path}: ${text}`);
    }
    await sleep(200);
  }
  return { status: 0, body: undefined };
}
