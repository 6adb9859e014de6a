import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../../lib/config.ts";
import { errorMessageTemplates } from "../../../lib/error-codes.ts";
import { replicaDelaySeconds } from "../../../lib/operations/analytics/replica.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { sessionDatabaseUrl } from "../../../lib/platform/db/driver/address.ts";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { inspectDatabase } from "../../../lib/platform/db/migrations/inspect.ts";
import { CannotMigrate } from "../../../lib/platform/db/migrations/migration-history.ts";
import { readDatabaseReadiness } from "../../../lib/platform/db/migrations/readiness.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { sequencesOverHalfQuery } from "../../../lib/platform/db/query/sequences.ts";
import {
  isDatabaseBusy,
  databaseErrorReasonAndCode as refusalOf,
} from "../../../lib/platform/db/unavailable.ts";
import { findObstacle } from "../../../server/obstacles.ts";
import { checkApiKeys } from "./api-keys.ts";
import { checkBehind } from "./behind.ts";
import { checkEmbeddings } from "./embeddings.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";
import { checkLlmProblems } from "./llm-problems.ts";
import { checkLtiPlatforms } from "./lti.ts";
import { checkRetention } from "./retention.ts";
import { checkSamlProviders } from "./saml.ts";
import { checkStoredFiles } from "./stored-files.ts";

/** Checks the database by the migrations' address and by the service's. Read-only. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const direct = await inspectDatabase(sessionDatabaseUrl(config)).catch(unfitOrAway);
  if ("state" in direct) return [direct];
  const findings = [ok("the database can be reached directly, as migrations do")];
  if (direct.migrating)
    findings.push(
      wrong(
        `a migration is running: ${direct.migrating}`,
        "if it is none that runs, end it: select pg_terminate_backend(pid)",
      ),
    );
  findings.push(
    direct.missing > 0
      ? wrong(`the database lacks ${direct.missing} migrations`, 'run "npm run migrate"')
      : ok("the database has all migrations of this version, unchanged"),
  );
  if (direct.missing > 0) return findings;
  return [...findings, ...(await checkAsService(config)), ...(await checkReplica(config))];
}

/** A replica with more lag is unsuitable for current reports. */
const maxTaskDelaySeconds = 300;

async function checkReplica(config: Config): Promise<Finding[]> {
  const url = config.REPORT_DATABASE_URL;
  if (!url) return [];
  const neon = config.NEON_LOCAL_PROXY && { neonProxy: config.NEON_LOCAL_PROXY };
  const replica = await connectDatabase({ url, ...neon });
  try {
    const [{ missing }, delay] = [
      await readDatabaseReadiness(replica.db),
      await replicaDelaySeconds(replica.db),
    ];
    if (missing > 0)
      return [wrong(`the replica for reports lacks ${missing} migrations`, "check its replication")];
    return [
      delay > maxTaskDelaySeconds
        ? wrong(`the replica for reports is ${delay} seconds behind`, "check its replication")
        : ok(`the replica for reports can be reached, ${delay} seconds behind`),
    ];
  } catch (error) {
    return [
      wrong(
        `the replica for reports: ${reasonOf(error)}`,
        "check REPORT_DATABASE_URL; without it, reports read the primary database",
      ),
    ];
  } finally {
    await replica.close();
  }
}

/** A reachable but unsuitable database has its own remedy. */
function unfitOrAway(error: unknown): Finding {
  if (error instanceof CannotMigrate) return wrong(error.message, "use another database, or another version");
  return wrong(
    `the database: ${reasonOf(error)}`,
    "check DATABASE_URL, DIRECT_DATABASE_URL if it is set, the network, and whether the server runs",
  );
}

async function checkAsService(config: Config): Promise<Finding[]> {
  const neon = config.NEON_LOCAL_PROXY && { neonProxy: config.NEON_LOCAL_PROXY };
  const database = await connectDatabase({ url: config.DATABASE_URL, ...neon });
  try {
    // Runs first and on its own: a locked table fails the other checks too.
    const locks = await checkLocks(database.db);
    const stored = await checkStoredFiles(database.db, config);
    return [
      ...locks,
      ...(await checkTables(database.db, config)),
      ...stored,
      await checkEmbeddings(database.db, config),
    ];
  } catch (error) {
    return [
      wrong(`the database, through its pooler: ${reasonOf(error)}`, "check DATABASE_URL and the pooler"),
    ];
  } finally {
    await database.close();
  }
}

async function checkTables(db: Db, config: Config): Promise<Finding[]> {
  try {
    const obstacle = await findObstacle(db, config);
    const problem = obstacle && wrong(obstacle, "the server does not start on it");
    const checks = [
      checkTimeout,
      checkMail,
      checkPruning,
      checkSequences,
      checkRole,
      checkApiKeys,
      checkRetention,
    ];
    const all = await Promise.all([
      ...checks.map((check) => check(db)),
      checkLtiPlatforms(db, config, () => new Date()),
      checkSamlProviders(db, new Date()),
    ]);
    return [
      ...(problem ? [problem] : []),
      ...all,
      ...(await checkLlmProblems(db, new Date())),
      ...(await checkBehind(db)),
    ];
  } catch (error) {
    if (!isDatabaseBusy(error)) throw error;
    return [
      wrong(
        `the database rejects requests: ${errorMessageTemplates[refusalOf(error).reason]}`,
        "fix that first, then run this again",
      ),
    ];
  }
}

const Role = z.object({ powers: z.string() });

/** Rights of the service's role that no operation needs: on the server, on tables, on the log. */
async function checkRole(db: Db): Promise<Finding> {
  const [role] = await rowsOf(
    db,
    Role,
    sql`with owned as (
          select exists (select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
                         and pg_has_role(relowner, 'member'))
                 or (select pg_has_role(nspowner, 'member') from pg_namespace where nspname = 'public') as is_owner
        )
        select concat_ws(', ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
            case when rolcreatedb then 'createdb' end, case when rolbypassrls then 'bypassrls' end,
            case when rolreplication then 'replication' end,
            case when is_owner then 'owner of the tables'
                 when has_schema_privilege('public', 'create') then 'create in the schema' end,
            case when not is_owner and has_table_privilege('audit_events', 'update, delete, truncate')
                 then 'changes of the audit log' end) as powers
        from pg_roles, owned where rolname = current_user`,
  );
  return role?.powers
    ? advice(
        `the database role has more privileges than the service needs: ${role.powers}`,
        'create a separate role with schema/grants.sql: "The database\'s account" in docs/operations.md',
      )
    : ok("the database role has only the privileges that the service needs");
}

const Setting = z.object({ milliseconds: z.number() });

async function checkTimeout(db: Db): Promise<Finding> {
  const statement = sql`select setting::float8 as milliseconds from pg_settings where name = 'statement_timeout'`;
  const [timeout] = await rowsOf(db, Setting, statement);
  if (timeout && timeout.milliseconds > 0) return ok("the server cancels statements of disconnected clients");
  return wrong(
    "statements of disconnected clients keep running",
    'run "npm run migrate" under this account, or see "The database\'s account" in docs/operations.md',
  );
}

const Wait = z.object({ wanted: z.string(), waiting: z.int(), seconds: z.int(), holders: z.string() });

/** Blocking locks with their holders, and idle transactions. */
async function checkLocks(db: Db): Promise<Finding[]> {
  const waits = await rowsOf(db, Wait, lockWaits);
  const idle = await rowsOf(db, Session, idleSessions);
  const held = waits.map(({ wanted, waiting, seconds, holders }) =>
    wrong(
      `${waiting} ${waiting === 1 ? "session waits" : "sessions wait"} for ${wanted}, for up to ${seconds} s; held by ${holders}`,
      "find its owner, then select pg_terminate_backend(pid)",
    ),
  );
  const open = idle.map(({ described }) =>
    wrong(described, "find its owner, then select pg_terminate_backend(pid)"),
  );
  const found = [...held, ...open];
  return found.length > 0 ? found : [ok("no session waits for a lock")];
}

/** Waits grouped by lock and holder: a single request waits only a few seconds. */
const lockWaits = sql`
  with waits as (
    select waiting.pid, extract(epoch from clock_timestamp() - waiting.waitstart) as seconds,
           case when waiting.relation is not null then waiting.relation::regclass::text
                when waiting.locktype in ('transactionid', 'tuple', 'virtualxid') then 'rows'
                else waiting.locktype || ' locks' end as wanted,
           pg_blocking_pids(waiting.pid) as holders
    from pg_locks as waiting
    where not waiting.granted and waiting.waitstart < clock_timestamp() - interval '1 second'
      and (waiting.database is null
           or waiting.database = (select oid from pg_database where datname = current_database()))
  ), held as (
    select waits.pid, wanted, seconds, string_agg(
             format('pid %s of %s, %s for %s s', holder.pid, holder.usename,
                    case when holder.state like 'idle in%' then 'which holds a transaction open'
                         else coalesce(holder.state, 'unknown') end,
                    extract(epoch from clock_timestamp() - holder.state_change)::int),
             '; ' order by holder.pid) as holders
    from waits join pg_stat_activity as holder on holder.pid = any (waits.holders)
      and not exists (select from waits as further where further.pid = holder.pid)
    where holder.datname = current_database() group by 1, 2, 3
  )
  select wanted, count(*)::int as waiting, max(seconds)::int as seconds, max(holders) as holders
  from held group by wanted, regexp_replace(holders, ' for \d+ s', '', 'g') order by max(seconds) desc`;

const Session = z.object({ described: z.string() });

const idleSessions = sql`
  select format('pid %s of %s holds a transaction open for %s s', pid, usename,
           extract(epoch from now() - state_change)::int) as described
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'
    and state_change < now() - interval '30 seconds'
  order by state_change`;

const Mail = z.object({ overdue: z.number(), given_up: z.number() });

async function checkMail(db: Db): Promise<Finding> {
  const [mail] = await rowsOf(
    db,
    Mail,
    sql`
    select count(*) filter (where ended_at is null and created_at < now() - interval '1 hour')::float8 as overdue,
           count(*) filter (where ended_at is not null and failure is not null and tries >= 8)::float8 as given_up
    from mail_outbox`,
  );
  if (!mail || mail.overdue + mail.given_up === 0) return ok("no mail is overdue");
  return advice(
    `${mail.overdue} mails have waited for over an hour, ${mail.given_up} were given up in the last day`,
    "select failure, count(*) from mail_outbox group by 1; then SMTP_URL, and whether the schedule runs",
  );
}

const Pruning = z.object({ days: z.number().nullable() });

async function checkPruning(db: Db): Promise<Finding> {
  const statement = sql`
    select (extract(epoch from now() - max(begun_at)) / 86400)::float8 as days from scheduled_tasks where name = 'prune'`;
  const [pruning] = await rowsOf(db, Pruning, statement);
  if (pruning?.days == null || pruning.days < 2) return ok("the schedule of npm start is on time");
  return advice(
    `the tree was last pruned by npm start ${Math.floor(pruning.days)} days ago`,
    'start a server, unless functions or cron run "npm run prune-cache"',
  );
}

const Drawn = z.object({ sequence: z.string(), used: z.number() });

/** Sequences that are more than half used; an exhausted sequence only returns errors. */
async function checkSequences(db: Db): Promise<Finding> {
  const drawn = await rowsOf(db, Drawn, sequencesOverHalfQuery);
  if (drawn.length === 0) return ok("no sequence has used half of its numbers");
  const named = drawn.map(({ sequence, used }) => `${sequence} (${Math.floor(used * 100)} %)`);
  return advice(
    `sequences have used more than half of their numbers: ${named.join(", ")}`,
    "check how fast they grow: after the last number, every insert into their tables fails",
  );
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || ((error as { code?: string }).code ?? error.name) : String(error);
