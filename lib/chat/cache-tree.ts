import { and, eq, isNull } from "drizzle-orm";
import { cacheNodes } from "../../schema/db/cache.ts";
import type { Db } from "../db/client.ts";
import { fingerprint } from "../fingerprint.ts";
import { type Candidate, candidatesRead, type OpenTurn } from "./open-turn.ts";

/** The tutor's prompt as it stands now, references inlined, with the fingerprint that answers are kept under. */
export type TutorPrompt = { name: string; version: number; template: string; fingerprint: string };

/**
 * The node that answers a turn's message for the prompts as they stood when the turn was opened. Opening it read
 * the likely nodes already; only when they fill their list, and none fits, the tree is asked once more.
 */
export async function nodeAtOpening(
  db: Db,
  turn: OpenTurn,
  prompt: TutorPrompt,
): Promise<Candidate | undefined> {
  const found = turn.candidates.find((node) => node.prompt_fingerprint === prompt.fingerprint);
  if (found || turn.candidates.length < candidatesRead) return found;
  return findNode(db, turn, prompt);
}

/** The same node as it stands now. */
export async function findNode(db: Db, turn: OpenTurn, prompt: TutorPrompt): Promise<Candidate | undefined> {
  const [node] = await db
    .select({
      id: cacheNodes.id,
      prompt_fingerprint: cacheNodes.prompt_fingerprint,
      chunks: cacheNodes.chunks,
    })
    .from(cacheNodes)
    .where(and(eq(cacheNodes.prompt_fingerprint, prompt.fingerprint), keyOf(turn, prompt)));
  return node;
}

const keyOf = (turn: OpenTurn, prompt: TutorPrompt) =>
  and(
    eq(cacheNodes.content_item_id, turn.content_item_id),
    turn.parent_id === null ? isNull(cacheNodes.parent_id) : eq(cacheNodes.parent_id, turn.parent_id),
    eq(cacheNodes.message_hash, turn.message.kind === "free" ? "" : fingerprint(turn.message.normalForm)),
    eq(cacheNodes.prompt_name, prompt.name),
    eq(cacheNodes.prompt_version, prompt.version),
    eq(cacheNodes.model, turn.model),
    eq(cacheNodes.content_fingerprint, turn.content_fingerprint),
  );
