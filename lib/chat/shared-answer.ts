import { refusalIn } from "../db/violations.ts";
import { unavailable } from "../errors.ts";
import { askLlm, privateAnswer } from "./ask-llm.ts";
import { findNode, nodeAtOpening, type TutorPrompt } from "./cache-tree.ts";
import { claimNode, FillWriter, giveUp, type Lease } from "./fill.ts";
import { follow } from "./follow.ts";
import { Listener } from "./listener.ts";
import type { Candidate, OpenTurn } from "./open-turn.ts";
import { type Answer, metaOf, type Outcome, type Piece, type TurnWorld } from "./turn.ts";

/** How many tellings of an answer may fail before the learner is told that there is none. */
const mostTellings = 3;

/** One telling of an answer, from its start; without an outcome it failed, and another may succeed. */
type Telling = AsyncGenerator<Piece, Outcome | undefined, undefined>;

/**
 * An answer that everyone on the same path gets: from the tree when it is there; from the LLM when this call is the
 * first to want it; else from the call that is writing it now, as it arrives. When that one gives up or dies, one
 * of those who waited takes its place, and the others go on from what they have heard.
 */
export async function* sharedAnswer(world: TurnWorld, turn: OpenTurn, prompt: TutorPrompt): Answer {
  const listener = new Listener();
  let node = await nodeAtOpening(world.db, turn, prompt);
  for (let tellings = 0; tellings < mostTellings; tellings += 1) {
    const outcome = yield* listener.hear(tell(world, turn, prompt, node));
    if (outcome) return outcome;
    node = undefined;
  }
  throw unavailable("The tutor cannot be reached just now");
}

async function* tell(
  world: TurnWorld,
  turn: OpenTurn,
  prompt: TutorPrompt,
  known: Candidate | undefined,
): Telling {
  const lease = known ? undefined : await claim(world, turn, prompt);
  if (lease === "path is gone") return yield* privateAnswer(world, turn, prompt);
  if (lease) return yield* fillNode(world, turn, prompt, lease);
  const node = known ?? (await findNode(world.db, turn, prompt));
  if (node?.chunks) return yield* replay(turn, prompt, node.id, node.chunks);
  return node && (yield* followNode(world, turn, prompt, node.id));
}

/** A path that was pruned meanwhile takes no more answers. */
async function claim(world: TurnWorld, turn: OpenTurn, prompt: TutorPrompt) {
  try {
    return await claimNode(world.db, turn, prompt);
  } catch (error) {
    if (refusalIn(error)?.code === "23503") return "path is gone";
    throw error;
  }
}

async function* replay(turn: OpenTurn, prompt: TutorPrompt, id: number, chunks: Piece): Telling {
  yield chunks;
  return { meta: { ...metaOf(turn, prompt, "cache"), cache_node_id: id }, place: { hit: id } };
}

/** Makes the answer for everyone. One that is empty or was cut off is told, and leaves no node. */
async function* fillNode(world: TurnWorld, turn: OpenTurn, prompt: TutorPrompt, lease: Lease): Telling {
  const writer = new FillWriter(world.db, lease);
  const telling = askLlm(world, turn, prompt);
  const chunks: string[] = [];
  let whole = false;
  try {
    for (;;) {
      const step = await telling.next();
      if (step.done) {
        const { complete, input_tokens, output_tokens } = step.value;
        whole = complete && chunks.length > 0;
        const place = { filled: lease.node_id, token: lease.token, chunks, input_tokens, output_tokens };
        const meta = { ...metaOf(turn, prompt, "llm"), input_tokens, output_tokens };
        return { meta, place: whole ? place : undefined };
      }
      chunks.push(...step.value);
      writer.add(...step.value);
      yield step.value;
    }
  } finally {
    await writer.stop();
    if (!whole) await giveUp(world.db, lease);
  }
}

/** Listens to the call that makes the answer; who waited has it from the LLM, and counts as no hit. */
async function* followNode(world: TurnWorld, turn: OpenTurn, prompt: TutorPrompt, id: number): Telling {
  const end = yield* follow(world.db, id, world.signal);
  if (end.state !== "whole") return undefined;
  const { input_tokens, output_tokens } = end;
  const meta = { ...metaOf(turn, prompt, "llm"), input_tokens, output_tokens };
  return { meta, place: { followed: id } };
}
