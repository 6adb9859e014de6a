import type { SQL } from "drizzle-orm";
import type { Actor } from "../identity/auth/actor.ts";
import type { PolicyAction } from "../identity/rbac/policy.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { explainItemRefusal, type OfferingItemPath, permittedItemQuery } from "./graded-items.ts";

export type QuizPath = OfferingItemPath;

/** One row (offering_id, item_id, university_id) if permitted. */
export const permittedQuizQuery = (actor: Actor, action: PolicyAction, path: QuizPath): SQL =>
  permittedItemQuery(actor, action, path, "quiz");

/** 404 if the caller cannot see the quiz, else 403. */
export const explainQuizRefusal = (db: ReadDb, actor: Actor, path: QuizPath): Promise<never> =>
  explainItemRefusal(db, actor, path, "quiz");
