import type { SQL } from "drizzle-orm";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import type { Action } from "../rbac/policy.ts";
import { type ItemPath, reachedItem, refuseItem } from "./items.ts";

/** A quiz is a content item, and in each offering of its course one of its own. */
export type QuizPath = ItemPath;

/** The one row (offering_id, item_id, university_id) of a quiz to which the caller may do `action`. */
export const reachedQuiz = (actor: Actor, action: Action, path: QuizPath): SQL =>
  reachedItem(actor, action, path, "quiz");

/** Why a statement did not reach the quiz: 404 when the caller cannot see it, else 403. */
export const refuseQuiz = (db: Db, actor: Actor, path: QuizPath): Promise<never> =>
  refuseItem(db, actor, path, "quiz");
