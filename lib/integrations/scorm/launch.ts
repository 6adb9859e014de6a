import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ScormLaunch, ScormLaunchCreate } from "../../../schema/api/integrations/scorm.ts";
import type { StoredSco, StoredScoState } from "../../../schema/db/integrations/scorm.ts";
import { type ScormVersion, scormVersions } from "../../../schema/enums.ts";
import type { OfferingItemPath } from "../../assessment/graded-items.ts";
import { recordActivityCte } from "../../courses/activity/record.ts";
import { AccessRefusal, accessRefusalError } from "../../courses/content/item-access.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, forbidden, invalidField, notFound, unavailable } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { sealToken } from "../../identity/auth/sealing.ts";
import { personIdIfOfferingInTokenReachSql } from "../../identity/auth/token-reach.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { packageUrl } from "./package-address.ts";
import { type ScoOutcome, type ScormRules, scormRulesWithDefaults, untouchedSco } from "./result.ts";
import { type ScormSession, scormSessionLifetimeSeconds, scormSessionPurpose } from "./session.ts";

type Parts = Pick<Deps, "db" | "config" | "now">;

const Attempt = z.object({
  id: z.number(),
  attempt_number: z.int(),
  is_complete: z.boolean(),
  scos: z.record(z.string(), z.any()),
  sequencing: z.object({ next: z.string().nullable(), state: z.string() }).nullable(),
});

const Found = z.object({
  refusal: AccessRefusal.nullable(),
  is_enrolled: z.boolean(),
  may_preview: z.boolean(),
  data_json: z.record(z.string(), z.unknown()),
  university_id: z.int(),
  full_name: z.string().nullable(),
  file_id: z.number().nullable(),
  version: z.enum(scormVersions).nullable(),
  scos: z.array(z.any()).nullable(),
  activity_tree: z.any(),
  attempt: Attempt.nullable(),
});

type Found = z.output<typeof Found>;

type States = Record<string, StoredScoState>;

/**
 * Starts or continues the caller's attempt with one SCO, and ends any other session of the attempt. Staff
 * without a seat get a preview. 404, 403 without a seat or while locked, 400 without a package or attempts
 * left.
 */
export async function launchScorm(
  parts: Parts,
  actor: Actor,
  path: OfferingItemPath,
  input: ScormLaunchCreate,
  requestUrl: string,
): Promise<ScormLaunch> {
  const { config, now } = parts;
  const [found] = await rowsOf(parts.db, Found, findLaunch(actor, path, now()));
  if (!found || found.refusal === "hidden") throw notFound("Content item");
  if (found.refusal) throw accessRefusalError(found.refusal);
  if (!found.is_enrolled && !found.may_preview) throw forbidden("not_enrolled");
  const { file_id, version, activity_tree: tree } = found;
  if (file_id === null || version === null) throw badRequest("scorm_item_without_package");
  const scos = (found.scos ?? []) as StoredSco[];
  const rules = scormRulesWithDefaults(found.data_json as Partial<ScormRules>);
  const before = found.is_enrolled ? attemptToContinue(found.attempt, rules, input.new_attempt) : undefined;
  // Without inherited properties, because packages name the items.
  const states: States = Object.assign(Object.create(null), before?.scos);
  const sco = chooseSco(scos, states, input.sco, before?.sequencing?.next);
  const url = packageUrl(config, file_id, now(), requestUrl);
  if (url === undefined) throw unavailable("no_packages_url", undefined, 0);
  const former = states[sco.id];
  const own = {
    ...former,
    seconds: (former?.seconds ?? 0) + (former?.session_seconds ?? 0),
    session_seconds: 0,
  };
  const started = found.is_enrolled
    ? await startSession(parts, actor, path, found, { before, sco, own })
    : undefined;
  const isSequenced = tree !== null;
  const session =
    started &&
    (sco.is_sco || isSequenced) &&
    sessionOf({ scos, states, sco, rules, version, isSequenced }, started, actor, own.seconds);
  return {
    version,
    attempt_id: started?.id ?? null,
    attempt_number: started?.attempt_number ?? 1,
    session: session
      ? await sealToken(parts, scormSessionPurpose, scormSessionLifetimeSeconds, session)
      : null,
    sco: sco.id,
    scos: scos.map(({ id, title, is_sco }) => {
      const { completed, passed } = states[id] ?? untouchedSco;
      return { id, title, is_sco, completed, passed };
    }),
    player_url: `${url}/player`,
    start: {
      ...startOf(version, sco, former, {
        id: String(actor.id),
        name: found.full_name ?? "",
        seconds: own.seconds,
      }),
      ...(isSequenced && { sequencing: { tree, state: before?.sequencing?.state ?? null } }),
    },
  };
}

const findLaunch = (actor: Actor, { offering_id, content_item_id }: OfferingItemPath, now: Date): SQL => sql`
  select item_access_refusal(content_items.id, ${personIdIfOfferingInTokenReachSql(actor, offering_id)}::int, ${now.toISOString()},
           offering => course_offerings.id) as refusal,
         exists (
           select from enrollments
           where user_id = ${personIdIfOfferingInTokenReachSql(actor, offering_id)} and course_offering_id = course_offerings.id
             and is_admitted) as is_enrolled,
         ${coursePermissionCondition(actor, "content:write")} as may_preview,
         content_items.data_json, courses.university_id,
         (select full_name from users where id = ${actor.id}) as full_name,
         scorm_packages.file_id::float8 as file_id, scorm_packages.version, scorm_packages.scos,
         scorm_packages.activity_tree,
         (select jsonb_build_object('id', one.id, 'attempt_number', one.attempt_number,
            'is_complete', one.completed_at is not null, 'scos', one.scos, 'sequencing', one.sequencing)
          from scorm_attempts as one
          where one.user_id = ${personIdIfOfferingInTokenReachSql(actor, offering_id)} and one.course_offering_id = course_offerings.id
            and one.content_item_id = content_items.id
          order by one.attempt_number desc limit 1) as attempt
  from course_offerings
  join courses on courses.id = course_offerings.course_id
  join content_items on content_items.course_id = courses.id
  join content_types on content_types.id = content_items.content_type_id and content_types.name = 'scorm'
  left join scorm_packages on scorm_packages.file_id = json_number(content_items.data_json -> 'file_id')::bigint
  where course_offerings.id = ${offering_id} and content_items.id = ${content_item_id}`;

/** Undefined for a new attempt. */
function attemptToContinue(
  newest: Found["attempt"],
  { max_attempts }: ScormRules,
  wantsNew: boolean,
): Found["attempt"] | undefined {
  if (!newest) return undefined;
  if (!wantsNew || !newest.is_complete) return newest;
  if (max_attempts !== null && newest.attempt_number >= max_attempts)
    throw badRequest("no_scorm_attempt_left");
  return undefined;
}

/** By default the item that the sequencer named, or the first SCO that is not complete. */
function chooseSco(
  scos: readonly StoredSco[],
  states: States,
  wanted: string | undefined,
  next: string | null | undefined,
): StoredSco {
  const chosen =
    wanted === undefined
      ? (scos.find(({ id }) => id === next) ??
        scos.find(({ id, is_sco }) => is_sco && !states[id]?.completed) ??
        scos.find(({ is_sco }) => is_sco))
      : scos.find(({ id }) => id === wanted);
  if (!chosen) throw invalidField(["sco"], "Input should be an item of the package");
  return chosen;
}

const Started = z.object({ id: z.number(), attempt_number: z.int(), session_id: z.string() });

type Start = {
  before: Found["attempt"] | undefined;
  sco: StoredSco;
  own: Partial<StoredScoState>;
};

/** Of concurrent first launches, the last one owns the attempt. */
async function startSession(
  { db, now }: Parts,
  actor: Actor,
  { offering_id, content_item_id }: OfferingItemPath,
  { attempt, university_id }: Found,
  { before, sco, own }: Start,
): Promise<z.output<typeof Started>> {
  const number = before?.attempt_number ?? (attempt?.attempt_number ?? 0) + 1;
  const at = now().toISOString();
  const kept =
    before && own.cmi
      ? sql`jsonb_build_object(${sco.id}::text, ${JSON.stringify(own)}::jsonb)`
      : sql`'{}'::jsonb`;
  const [started] = await rowsOf(
    db,
    Started,
    sql`
      with started as (
        insert into scorm_attempts as one
          (user_id, course_offering_id, content_item_id, attempt_number, started_at, session_id)
        select user_id, course_offering_id, ${content_item_id}::int, ${number}::int, ${at}::timestamptz, ${randomUUID()}::text
        from enrollments
        where user_id = ${personIdIfOfferingInTokenReachSql(actor, offering_id)} and course_offering_id = ${offering_id} and is_admitted
        on conflict (user_id, course_offering_id, content_item_id, attempt_number) do update
          set session_id = excluded.session_id, sequence = 0, scos = one.scos || ${kept}
        returning one.*
      ), begun as materialized (
        -- Before the streak, as in progress.sql.
        select started.*, upsert_item_interaction_times(user_id, course_offering_id, content_item_id, ${at}::timestamptz, ${at}::timestamptz)
        from started
      ), done as (
        select 'attempted' as verb, 'content_item' as object_type, content_item_id as object_id,
               ${university_id}::int as university_id, content_item_id, course_offering_id
        from begun
      ), ${recordActivityCte(actor, now(), sql`done`)}
      select begun.id::float8 as id, attempt_number, session_id from begun, activity`,
  );
  if (!started) throw forbidden("not_enrolled");
  return started;
}

type Launched = {
  scos: readonly StoredSco[];
  states: States;
  sco: StoredSco;
  rules: ScormRules;
  version: ScormVersion;
  isSequenced: boolean;
};

function sessionOf(
  { scos, states, sco, rules, version, isSequenced }: Launched,
  { id, session_id }: z.output<typeof Started>,
  actor: Actor,
  seconds: number,
): ScormSession {
  const others = scos.filter((one) => one.is_sco && one.id !== sco.id);
  const { completion, passing_percent, grade } = rules;
  return {
    ...{ attempt_id: id, session_id, user_id: actor.id, version, sco: sco.id, seconds },
    thresholds: { passing_score: sco.passing_score, completion_threshold: sco.completion_threshold },
    rules: { completion, passing_percent, grade },
    is_sequenced: isSequenced,
    others: others.map((one): ScoOutcome => {
      const { completed, passed, scaled } = states[one.id] ?? untouchedSco;
      return { completed, passed, scaled };
    }),
    other_bytes: others.reduce((sum, one) => sum + JSON.stringify(states[one.id] ?? {}).length, 0),
    other_seconds: others.reduce((sum, one) => {
      const state = states[one.id];
      return sum + (state?.seconds ?? 0) + (state?.session_seconds ?? 0);
    }, 0),
  };
}

type Learner = { id: string; name: string; seconds: number };

/** What the player needs to start its runtime. The learner's name is not stored with the data. */
const startOf = (
  version: ScormVersion,
  sco: StoredSco,
  former: Partial<StoredScoState> | undefined,
  learner: Learner,
) => ({
  ...{ version, is_sco: sco.is_sco, launch_data: sco.launch_data },
  path: sco.path.split("/").map(encodeURIComponent).join("/") + sco.parameters,
  ...{ passing_score: sco.passing_score, completion_threshold: sco.completion_threshold },
  cmi: former?.cmi ?? null,
  learner,
});
