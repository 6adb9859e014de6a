import type { SQL } from "drizzle-orm";
import type { Actor } from "../auth/actor.ts";
import type { ReadDb } from "../db/client.ts";
import type { Action } from "../rbac/policy.ts";
import { explainItemRefusal, type ItemPath, permittedItem } from "./items.ts";

/** A quiz is a content item, and in each offering of its course one of its own. */
export type QuizPath = ItemPath;

/** The one row (offering_id, item_id, university_id) of a quiz to which the caller may do `action`. */
export const permittedQuiz = (actor: Actor, action: Action, path: QuizPath): SQL =>
  permittedItem(actor, action, path, "quiz");

/** Why a statement did not reach the quiz: 404 when the caller cannot see it, else 403. */
export const explainQuizRefusal = (db: ReadDb, actor: Actor, path: QuizPath): Promise<never> =>
  explainItemRefusal(db, actor, path, "quiz");
