import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ChatSession, ChatSessionCreate } from "../../../schema/api/tutor/chat.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import {
  type AccessRefusal,
  accessRefusalError,
  itemAccessRefusalSql,
} from "../../courses/content/item-access.ts";
import { dataJsonForStudents } from "../../courses/content/student-view.ts";
import { visibleModuleCondition } from "../../courses/modules/visibility.ts";
import { inactiveUniversityError, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { throwOutOfTokenReach } from "../../identity/auth/required-provider.ts";
import { tokenAdmittedAtUniversityCondition } from "../../identity/auth/token-reach.ts";
import type { Db } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { type SessionRollout, sessionRolloutJsonSql } from "./arm-of-session.ts";
import {
  asideValuesClosingOpenAside,
  ensureAsideCanBegin,
  notFoundIfParentDeleted,
  type ParentSession,
  parentSessionJsonSql,
} from "./asides.ts";
import { topicFingerprints } from "./content-context.ts";
import { learnerViewWithUnreadParts, sessionColumns } from "./session-columns.ts";
import { topicColumns } from "./topic-columns.ts";
import { resolveTriedPromptId, type TriedVersion, triedVersionJsonSql } from "./tried-version.ts";

/**
 * 404 unless the item is active and visible. 403 if it is locked or needs an enrollment, the university is
 * inactive, or the token does not reach it. Asides fail as `ensureAsideCanBegin`, tried versions as `resolveTriedPromptId`.
 */
export async function beginSession(
  db: Db,
  actor: Actor,
  { content_item_id: contentItemId, aside_of, prompt_name, prompt_version }: ChatSessionCreate,
  { now, maxMaterial, tutorPrompt }: { now: Date; maxMaterial: number; tutorPrompt: string },
): Promise<ChatSession> {
  const found = await snapshot(db, and(eq(contentItems.id, contentItemId), topicOpenTo(actor)), {
    gate: itemAccessRefusalSql(contentItems.id, actor, now),
    has_tutor: typedSql(
      z.boolean(),
    )`(select university.is_active from universities as university where university.id = content_items.university_id)`,
    is_reached: typedSql(
      z.boolean(),
    )`${tokenAdmittedAtUniversityCondition(actor, sql`content_items.university_id`, { course: contentItems.course_id })}`,
    beside: parentSessionJsonSql(actor, aside_of),
    tried: triedVersionJsonSql(
      actor,
      prompt_version === undefined ? undefined : { prompt_version, prompt_name },
      tutorPrompt,
    ),
    rollout: sessionRolloutJsonSql(actor, tutorPrompt),
  });
  if (!found) throw notFound("Content item");
  const { gate, has_tutor, is_reached, beside, tried, rollout, file_texts, tutor, ...row } = found;
  const item = { ...row, ...(file_texts && { file_texts }) };
  if (!is_reached) await throwOutOfTokenReach(db, actor, item.university_id);
  if (!has_tutor) throw inactiveUniversityError();
  if (gate) throw accessRefusalError(gate);
  if (aside_of !== undefined) ensureAsideCanBegin(beside, contentItemId);
  const prompt_id = tried && resolveTriedPromptId(tried, item.content_type, tutorPrompt);
  const context = { ...item, data_json: dataJsonForStudents(item.content_type, item.data_json) };
  const [session] = await notFoundIfParentDeleted(
    db
      .insert(chatSessions)
      .values({
        user_id: actor.id,
        content_item_id: contentItemId,
        content_context: context,
        tutor_context: tutor,
        ...topicFingerprints({ ...item, tutor }, maxMaterial),
        // Sessions that try a version never share answers with a class.
        ...(prompt_id === null ? rollout : { prompt_id, cache_state: "DIVERGED" as const }),
        ...(aside_of !== undefined && asideValuesClosingOpenAside(aside_of)),
      })
      .returning(sessionColumns),
  );
  if (!session) throw notFound("Content item");
  return learnerViewWithUnreadParts(session, maxMaterial);
}

const topicOpenTo = (actor: Actor): SQL | undefined =>
  and(eq(contentItems.is_active, true), visibleModuleCondition(actor));

async function snapshot(
  db: Db,
  where: SQL | undefined,
  asked: {
    gate: SQL<AccessRefusal | null>;
    has_tutor: SQL<boolean>;
    is_reached: SQL<boolean>;
    beside: SQL<ParentSession | null>;
    tried: SQL<TriedVersion | null>;
    rollout: SQL<SessionRollout | null>;
  },
) {
  const [item] = await db
    .select({
      ...topicColumns,
      ...asked,
    })
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .where(where);
  return item;
}
