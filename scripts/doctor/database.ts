import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../lib/config.ts";
import { addressForSessions, connectDatabase, type Db } from "../../lib/db/client.ts";
import { inspectDatabase } from "../../lib/db/inspect.ts";
import { rowsOf } from "../../lib/db/rows.ts";
import { findObstacle } from "../server/obstacles.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

/** The database, as it is reached for migrations and as the service reaches it. Nothing is changed. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const direct = await inspectDatabase(addressForSessions(config)).catch((error: unknown) => reasonOf(error));
  if (typeof direct === "string")
    return [
      wrong(
        `the database: ${direct}`,
        "look at DATABASE_URL, at DIRECT_DATABASE_URL where it is set, the network, and whether the server runs",
      ),
    ];
  const findings = [ok("the database can be reached directly, as migrations do")];
  if (direct.migrating)
    findings.push(
      wrong(
        `a migration holds its lock: ${direct.migrating}`,
        "if it is none that runs, end it: select pg_terminate_backend(pid)",
      ),
    );
  findings.push(
    direct.missing > 0
      ? wrong(`the database lacks ${direct.missing} migrations`, 'run "npm run migrate"')
      : ok("the database has all migrations of this version, and none was changed"),
  );
  if (direct.missing > 0) return findings;
  return [...findings, ...(await checkAsService(config))];
}

async function checkAsService(config: Config): Promise<Finding[]> {
  const neon = config.NEON_LOCAL_PROXY && { neonProxy: config.NEON_LOCAL_PROXY };
  const database = await connectDatabase({ url: config.DATABASE_URL, ...neon });
  try {
    const obstacle = await findObstacle(database.db, config);
    const problem = obstacle && wrong(obstacle, "the server does not start on it");
    const all = await Promise.all(
      [checkTimeout, checkLocks, checkMail, checkPruning].map((check) => check(database.db)),
    );
    return [...(problem ? [problem] : []), ...all];
  } catch (error) {
    return [
      wrong(
        `the database, through its pooler: ${reasonOf(error)}`,
        "look at DATABASE_URL, and at the pooler",
      ),
    ];
  } finally {
    await database.close();
  }
}

const Setting = z.object({ milliseconds: z.number() });

async function checkTimeout(db: Db): Promise<Finding> {
  const statement = sql`select setting::float8 as milliseconds from pg_settings where name = 'statement_timeout'`;
  const [timeout] = await rowsOf(db, Setting, statement);
  if (timeout && timeout.milliseconds > 0) return ok("the server ends statements that nobody waits for");
  return wrong(
    "statements that nobody waits for run on",
    'run "npm run migrate" under this account, or see "The database\'s account" in docs/operations.md',
  );
}

const Session = z.object({ described: z.string() });

/** Sessions that hold locks without doing anything, and statements that wait for others. */
async function checkLocks(db: Db): Promise<Finding> {
  const stuck = await rowsOf(
    db,
    Session,
    sql`
    select format('pid %s of %s: %s for %s s', pid, usename,
             case when state like 'idle in%' then 'holds a transaction open' else 'waits for ' || pg_blocking_pids(pid)::text end,
             extract(epoch from now() - state_change)::int) as described
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state_change < now() - interval '30 seconds'
      and (state like 'idle in transaction%' or cardinality(pg_blocking_pids(pid)) > 0)
    order by state_change limit 5`,
  );
  if (stuck.length === 0) return ok("nobody holds anyone up in the database");
  const named = stuck.map(({ described }) => described).join("; ");
  return wrong(`the database is held up: ${named}`, "ask whose it is, then select pg_terminate_backend(pid)");
}

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
  if (!mail || mail.overdue + mail.given_up === 0) return ok("no mail waits longer than it should");
  return advice(
    `${mail.overdue} mails wait for more than an hour, ${mail.given_up} were given up within a day`,
    "select failure, count(*) from mail_outbox group by 1; then SMTP_URL, and whether the schedule runs",
  );
}

const Pruning = z.object({ days: z.number().nullable() });

async function checkPruning(db: Db): Promise<Finding> {
  const statement = sql`
    select (extract(epoch from now() - max(begun_at)) / 86400)::float8 as days from scheduled_tasks where name = 'prune'`;
  const [pruning] = await rowsOf(db, Pruning, statement);
  if (pruning?.days == null || pruning.days < 2) return ok("the schedule of npm start is not behind");
  return advice(
    `the tree was last pruned by npm start ${Math.floor(pruning.days)} days ago`,
    'start a server; where functions or cron do it with "npm run prune-cache", all is well',
  );
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || ((error as { code?: string }).code ?? error.name) : String(error);
