import { sql } from "drizzle-orm";
import * as z from "zod";
import { PromptImpact, type PromptImpactQuery } from "../../../schema/api/tutor/prompts.ts";
import { visibleCourseCondition } from "../../courses/course-permissions.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { reachedGraphCte } from "./graph.ts";
import { BrokenReferenceError, inlineReferences, PromptGraph } from "./inline.ts";

type Move = PromptImpactQuery & { name: string };

/** With the version that its tutor uses, now and after the move. */
const Type = PromptImpact.shape.content_types.element.extend({
  tutor: z.int().nullable(),
  tutor_after: z.int().nullable(),
});

const LabelState = PromptGraph.omit({ root: true }).extend({
  target: z.int(),
  following: PromptImpact.shape.prompts,
  types: z.array(Type),
});

type LabelState = z.output<typeof LabelState>;

/** `text` has references inlined. */
type Tutor = { name: string; version: number; text: string };

/** Its tutor changes; with the current one, if usable. */
type Change = { type: z.output<typeof Type>; now: Tutor | undefined };

/**
 * The effects of moving a label, without moving it; none if it is there already. 404 without such a version.
 */
export async function previewLabelMove(
  db: ReadDb,
  actor: Actor,
  move: Move,
  tutorPrompt: string,
): Promise<PromptImpact> {
  const before = await labelsBefore(db, move, tutorPrompt);
  const after = labelsAfter(before, move);
  const changes = before.types.flatMap((type): Change[] => {
    const now = tutorOf(before, type.tutor);
    const then = tutorOf(after, type.tutor_after);
    return JSON.stringify(now) === JSON.stringify(then) ? [] : [{ type, now }];
  });
  const content_types = changes.map(({ type: { id, name, label } }) => ({ id, name, label }));
  return { prompts: before.following, content_types, ...(await affectedCourses(db, actor, changes, move)) };
}

/** Current prompts, references and labels. */
async function labelsBefore(
  db: ReadDb,
  { name, label, version }: Move,
  tutorPrompt: string,
): Promise<LabelState> {
  /** Tutors follow production only. */
  const moved = label === "production" ? name : null;
  const statement = sql`
    with target as (
      select id from prompts where name = ${name} and version = ${version}
    ), following as (
      select id, name, version, labels
      from prompt_versions
      where id in (select prompts_depending_on_labels(${name}, array[${label}])) and not exists (
        select from prompt_labels, target
        where prompt_labels.name = ${name} and label = ${label} and prompt_id = target.id)
      order by name, version
    ), type as (
      select content_types.id, content_types.name, label,
             (select prompt.id from tutor_prompt_of_content_type(content_types.name, ${tutorPrompt}) as prompt) as tutor,
             (select prompt.id
              from target, tutor_prompt_of_content_type(content_types.name, ${tutorPrompt}, ${moved}, target.id) as prompt
             ) as tutor_after
      from content_types
    ), root as (
      select tutor as id from type union select tutor_after from type union select id from target
    ), ${reachedGraphCte(sql`root`)}
    select target.id as target, prompts, links,
      coalesce((select json_agg(following) from following), '[]') as following,
      coalesce((select json_agg(type order by id) from type), '[]') as types
    from target cross join reached_graph`;
  const [state] = await rowsOf(db, LabelState, statement);
  if (!state) throw notFound("Prompt version");
  return state;
}

function labelsAfter(state: LabelState, { name, label }: Move): LabelState {
  const links = state.links.map((link) =>
    link.child_name === name && link.child_label === label ? { ...link, child_id: state.target } : link,
  );
  return { ...state, links };
}

/** Undefined if there is none or it is unusable. */
function tutorOf(state: LabelState, id: number | null): Tutor | undefined {
  const prompt = state.prompts.find((one) => one.id === id);
  if (!prompt) return undefined;
  try {
    const text = inlineReferences({ ...state, root: prompt.id });
    return { name: prompt.name, version: prompt.version, text };
  } catch (error) {
    if (error instanceof BrokenReferenceError) return undefined;
    throw error;
  }
}

const AffectedCourses = PromptImpact.pick({ courses: true, courses_total: true, cold_cache_nodes: true });

type AffectedCourses = z.output<typeof AffectedCourses>;

/** Visible courses with content of these types, and the stored answers of its tutors. */
async function affectedCourses(
  db: ReadDb,
  actor: Actor,
  changes: readonly Change[],
  { skip, limit }: Move,
): Promise<AffectedCourses> {
  if (changes.length === 0) return { courses: [], courses_total: 0, cold_cache_nodes: 0 };
  const tutors = changes.map(({ type, now }) => ({
    content_type_id: type.id,
    prompt_name: now?.name ?? null,
    prompt_version: now?.version ?? null,
    prompt_fingerprint: now ? fingerprint(now.text) : null,
  }));
  const statement = sql`
    with tutor as (
      select * from jsonb_to_recordset(${JSON.stringify(tutors)}::jsonb)
        as tutor (content_type_id int, prompt_name text, prompt_version int, prompt_fingerprint text)
    ), course as (
      select id, title, code, university_id from courses
      where ${visibleCourseCondition(actor)} and exists (
        select from content_items join tutor using (content_type_id)
        where content_items.course_id = courses.id and is_active)
    )
    select (select count(*)::int from course) as courses_total,
      coalesce((select json_agg(listed) from (
        select * from course order by id offset ${skip} limit ${limit}) as listed), '[]') as courses,
      (select count(*)::int
       from cache_nodes join content_items on content_items.id = cache_nodes.content_item_id
       join tutor using (content_type_id, prompt_name, prompt_version, prompt_fingerprint)) as cold_cache_nodes`;
  const [affected] = await rowsOf(db, AffectedCourses, statement);
  return affected ?? { courses: [], courses_total: 0, cold_cache_nodes: 0 };
}
