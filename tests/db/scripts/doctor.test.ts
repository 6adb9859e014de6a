import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Config, loadConfig } from "../../../lib/config.ts";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { startStandInServer } from "../../../scripts/dev/stand-in-server.ts";
import { checkDatabase } from "../../../scripts/ops/doctor/database.ts";
import { type Finding, linesOf } from "../../../scripts/ops/doctor/finding.ts";
import { checkLlm } from "../../../scripts/ops/doctor/llm.ts";
import { checkMailServer } from "../../../scripts/ops/doctor/mail-server.ts";
import { checkServices } from "../../../scripts/ops/doctor/reach.ts";
import { checkSettings } from "../../../scripts/ops/doctor/settings.ts";
import { seed } from "../../../scripts/seed.ts";
import { findObstacle } from "../../../server/obstacles.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { startEmbeddingsStandIn, vectorStandIn } from "../../support/embeddings-stand-in.ts";
import { grantsFor, servedAsService } from "../../support/service-role.ts";
import { startSmtpStandIn } from "../../support/smtp-stand-in.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  // A clone lacks the settings that migrating gives the account.
  const name = new URL(database.url).pathname.slice(1);
  await database.run(`alter role current_user in database ${name} set statement_timeout = '32s'`);
});

afterAll(() => database.drop());

const settings = {
  SECRET_KEY: "a secret of the tests, long enough for HS256",
  LLM_PROVIDER: "direct_api",
  DIRECT_API_KEY: "key-of-the-tests",
};

const configOf = (own: Record<string, string> = {}): Config =>
  loadConfig({ ...settings, DATABASE_URL: database.url, ...own });

const wrongOf = (findings: Finding[]): string[] =>
  findings.filter(({ state }) => state === "wrong").map(linesOf);

describe("the doctor on the settings", () => {
  it("names each that is wrong", () => {
    const { config, findings } = checkSettings({ ...settings, SECRET_KEY: "short", PORT: "many" });
    expect(config).toBeUndefined();
    expect(wrongOf(findings).join()).toMatch(
      /PORT: must be.*DATABASE_URL: is required.*SECRET_KEY: must have 32/s,
    );
  });

  it("recommends settings for production, and nothing if they are set", () => {
    const adviceOn = (own: Record<string, string>) =>
      checkSettings({ ...settings, DATABASE_URL: database.url, ...own }).findings.filter(
        ({ state }) => state === "advice",
      );
    expect(adviceOn({}).map(linesOf).join()).toMatch(/PASSWORD_MIN_LENGTH.*LOGIN_MAX_FAILURES.*SMTP_URL/s);
    expect(adviceOn({ ENVIRONMENT: "development" })).toEqual([]);
    const whole = {
      ...{
        PASSWORD_MIN_LENGTH: "12",
        PASSWORD_REJECT_COMMON: "true",
        LOGIN_MAX_FAILURES: "10",
        SMTP_URL: "smtp://mail.example.edu",
      },
      ...{ MAIL_FROM: "l@example.edu", METRICS_TOKEN: "token", PUBLIC_URL: "https://learn.example.edu" },
    };
    expect(adviceOn(whole)).toEqual([]);
    const elsewhere = "postgresql://service:of-the-database@db.example.edu/learning";
    const spoken = (mode: string) => adviceOn({ ...whole, DATABASE_URL: `${elsewhere}?sslmode=${mode}` });
    expect(spoken("disable").map(linesOf).join()).toMatch(/no TLS.*sslmode=verify-full/s);
    expect(adviceOn({ ...whole, DATABASE_URL: elsewhere })).toEqual(spoken("disable"));
    expect(spoken("require")).toEqual([]);
  });
});

describe("the doctor about embeddings", () => {
  const lineOf = async (own: Record<string, string>) => {
    const findings = await checkDatabase(configOf(own));
    return findings.map(linesOf).find((line) => line.includes("EMBEDDINGS_MODEL") || line.includes("titan"));
  };
  const model = { EMBEDDINGS_MODEL: "amazon.titan-embed-text-v2:0", CLOUD_ACCESS_KEY_ID: "AKIDEXAMPLE" };

  it("says what the database or the model lacks", async () => {
    expect(await lineOf({})).toMatch(/^ {2}ok .*words only: EMBEDDINGS_MODEL is not set$/);
    const standIn = await startEmbeddingsStandIn();
    const own = { ...model, CLOUD_SECRET_ACCESS_KEY: "secret", CLOUD_ENDPOINT_URL: standIn.url };
    expect(await lineOf(own)).toMatch(/^ {2}no .*has no pgvector.*\n.*create extension vector/);
    await database.run(vectorStandIn);
    expect(await lineOf(own)).toMatch(/^ {2}ok .*has pgvector, and amazon\.titan-embed-text-v2:0/);
    standIn.fails = { status: 403, type: "AccessDeniedException" };
    expect(await lineOf(own)).toMatch(/^ {2}no .*HTTP 403, AccessDeniedException.*\n.*EMBEDDINGS_MODEL/);
    await standIn.close();
    await database.run(
      "drop domain vector; drop operator <=> (real[], real[]); drop function cosine_distance",
    );
  });
});

describe("the doctor on the database", () => {
  it("finds nothing wrong with one that is up to date", async () => {
    const findings = await checkDatabase(configOf());
    // Except that the tests' role owns the server.
    const others = findings.filter(({ state }) => state !== "ok").map(linesOf);
    expect(others.join()).toMatch(
      /^[^,]*role has more privileges than the service needs: superuser.*, owner of the tables/,
    );
    expect(others).toHaveLength(1);
    expect(findings.length).toBeGreaterThan(4);
  });

  it("names each sequence that has drawn more than half of its numbers", async () => {
    await database.run("select setval('course_prerequisites_id_seq', 1610612736)");
    const said = (await checkDatabase(configOf())).map(linesOf).join();
    await database.run("select setval('course_prerequisites_id_seq', 1)");
    expect(said).toContain("course_prerequisites_id_seq (75 %)");
  });

  it("reports the lag of work that all universities share, and its start", async () => {
    const said = async () => (await checkDatabase(configOf())).map(linesOf).join();
    expect(await said()).toContain("ok  reports, event feeds and embeddings are up to date");
    await database.run(
      "update scheduled_tasks set begun_at = now() - interval '50 hours' where name = 'count'",
    );
    expect(await said()).toMatch(/50 hours, since 20\d\d-.*Z: reports are behind.*\n.*upkeep/);
    await database.run("update scheduled_tasks set begun_at = to_timestamp(0) where name = 'count'");
  });

  it("reports a missing one, and one that lacks migrations", async () => {
    const nowhere = await checkDatabase(configOf({ DATABASE_URL: "postgresql://127.0.0.1:9/nowhere" }));
    expect(wrongOf(nowhere).join()).toMatch(/ECONNREFUSED.*check DATABASE_URL/s);
    const empty = await emptyDatabase();
    expect(wrongOf(await checkDatabase(configOf({ DATABASE_URL: empty.url }))).join()).toMatch(
      /lacks \d+ migrations.*npm run migrate/s,
    );
    await empty.drop();
  });

  it("names an account that owns the tables, or changes the audit log, and has nothing against one with the grants alone", async () => {
    const served = await servedAsService(await cloneDatabase());
    const said = async () =>
      (await checkDatabase(configOf({ DATABASE_URL: served.url })))
        .map(linesOf)
        .find((line) => line.includes("the database role"));
    expect(await said()).toBe("  ok  the database role has only the privileges that the service needs");
    await served.run(
      `grant delete on audit_events to ${served.role}; grant create on schema public to public`,
    );
    expect(await said()).toMatch(
      /^ {2}-- .* needs: create in the schema, changes of the audit log\n.*schema\/grants\.sql/,
    );
    await served.run(grantsFor(served.role));
    await served.run(`alter table users owner to ${served.role}`);
    expect(await said()).toMatch(/^ {2}-- .* needs: owner of the tables\n/);
    await served.drop();
  });

  it("names each lock with a wait of over a second, and its holder, also of tables that it reads itself", async () => {
    const [holder, first, second] = [0, 1, 2].map(() => new pg.Client(database.url));
    await Promise.all([holder, first, second].map((one) => one?.connect()));
    await holder?.query("begin; lock table mail_outbox, courses in access exclusive mode");
    const waiting = [first?.query("select from courses"), second?.query("select from mail_outbox")];
    const waits = async () =>
      (
        await database.run(
          "select from pg_locks where not granted and waitstart < now() - interval '1 second'",
        )
      ).length;
    await expect.poll(waits).toBe(2);
    const name = new URL(database.url).pathname.slice(1);
    await database.run(`alter role current_user in database ${name} set lock_timeout = '200ms'`);
    const found = wrongOf(await checkDatabase(configOf()));
    await database.run(`alter role current_user in database ${name} reset lock_timeout`);
    await holder?.query("rollback");
    await Promise.all(waiting);
    await Promise.all([holder, first, second].map((one) => one?.end()));
    for (const table of ["courses", "mail_outbox"])
      expect(found.join("\n")).toMatch(
        new RegExp(
          `1 session waits for ${table}, .*held by pid \\d+ of \\w+, which holds a transaction open for \\d+ s\n.*pg_terminate`,
        ),
      );
    expect(found.join("\n")).toContain("The database is busy: other transactions hold what this needs");
  });

  it("offers no migration for an unsupported database, and neither do migrating and starting", async () => {
    const old = await cloneDatabase();
    // Simulates an older server.
    await old.run(`
      create function current_setting(name text) returns text language sql stable as $$
        select case name when 'server_version' then '14.11' else pg_catalog.current_setting(name) end $$`);
    await old.run(
      `alter database ${new URL(old.url).pathname.slice(1)} set search_path = public, pg_catalog`,
    );
    await old.run("delete from drizzle.__drizzle_migrations where id > 1");
    const said =
      /The database is PostgreSQL 14\.11\. It must be 15 or newer.*A migration cannot upgrade PostgreSQL/;
    const config = configOf({ DATABASE_URL: old.url });
    expect(wrongOf(await checkDatabase(config)).join()).toMatch(said);
    await expect(migrate(old.url)).rejects.toThrow(said);
    const { db, close } = await connectDatabase({ url: old.url });
    expect(await findObstacle(db, config)).toMatch(said);

    await old.run(`alter database ${new URL(old.url).pathname.slice(1)} reset search_path`);
    await old.run("update drizzle.__drizzle_migrations set created_at = created_at - 1 where id = 1");
    const other = /created before version 1\.0\.0.*DATABASE_URL/;
    expect(wrongOf(await checkDatabase(config)).join()).toMatch(other);
    await expect(migrate(old.url)).rejects.toThrow(other);
    expect(await findObstacle(db, config)).toMatch(other);
    await close();
    await old.drop();
  });

  it("names the holder of the migration lock, and the remedy", async () => {
    const other = new pg.Client(database.url);
    await other.connect();
    await other.query("begin; select pg_advisory_xact_lock(7305144)");
    const found = wrongOf(await checkDatabase(configOf())).join();
    await other.end();
    expect(found).toMatch(/a migration is running: pid \d+ since.*pg_terminate_backend/s);
  });

  it("reports demonstration accounts, mail without a sender, a late schedule, and endless statements", async () => {
    const ill = await cloneDatabase();
    const { db, close } = await connectDatabase({ url: ill.url });
    await seed(db, { now: new Date(), bcryptCost: 4 });
    await close();
    await ill.run(`
      insert into mail_outbox (kind, address, created_at, due_at)
        values ('verify_email', 'ada@example.edu', now() - interval '2 hours', now());
      insert into scheduled_tasks (name, begun_at) values ('prune', now() - interval '5 days')`);
    const findings = await checkDatabase(configOf({ DATABASE_URL: ill.url }));
    await ill.drop();
    const said = findings.filter(({ state }) => state !== "ok").map(linesOf);
    expect(said.join("\n")).toMatch(
      /demonstration's accounts.*keep running\n.*1 mails have waited.*5 days ago/s,
    );
  });
});

describe("the queries that docs/operations.md gives an operator at night", () => {
  const operations = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const blocks = [...operations.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, text]) => text ?? "");
  const queries = blocks.flatMap((block) => block.split(/^-- (?=\d\.)/m)).filter((one) => /^\d\./.test(one));
  const others = blocks.filter((block) => !block.startsWith("-- "));

  it.each(queries.map((query) => [query.split("\n")[0], `-- ${query}`]))("%s", async (_, query) => {
    await database.run(String(query));
  });

  it("and those for the service's account run as written, on a database and an account with other names", async () => {
    expect(others).toHaveLength(1);
    const name = new URL(database.url).pathname.slice(1);
    const role = `${name}_service`;
    const named = others.join().replaceAll("role service", `role ${role}`).replaceAll("learning", name);
    await database.run(named);
    await database.run(grantsFor(role));
    const [row] = await database.run(`
      select array_to_string(setconfig, ' ') as set from pg_db_role_setting where setrole = '${role}'::regrole`);
    await database.run(
      `alter role ${role} in database ${name} reset all; drop owned by ${role}; drop role ${role}`,
    );
    expect(row).toEqual({
      set: "statement_timeout=32s idle_in_transaction_session_timeout=32s lock_timeout=2s jit=off",
    });
  });

  it("are all that the tables speak of", () => {
    const named = [...operations.matchAll(/query (\d)/g)].map(([, number]) => Number(number));
    expect(queries.length).toBe(Math.max(...named));
  });
});

describe("a server does not start", () => {
  const nowhere = { url: "postgresql://127.0.0.1:9/nowhere", drop: async () => {} };
  const unknown = () => ({
    ...nowhere,
    url: Object.assign(new URL(database.url), { pathname: "/unknown" }).href,
  });

  it.each([
    ["on a database that lacks migrations", () => emptyDatabase(), 'Run "npm run migrate" first'],
    ["where no database answers", async () => nowhere, "The database at DATABASE_URL does not answer"],
    [
      "on a database that is not there",
      async () => unknown(),
      'rejects the connection: database "unknown" does not exist',
    ],
  ])("%s", async (_, given, reason) => {
    const found = await given();
    const { db, close } = await connectDatabase({ url: found.url });
    expect(await findObstacle(db, configOf({ DATABASE_URL: found.url }))).toContain(reason);
    await close();
    await found.drop();
  });
});

describe("the doctor about external services", () => {
  /** Providers that count tokens and list models for a valid key, and have one model. */
  const startProvider = () =>
    startStandInServer(async ({ url = "", headers }, body, response) => {
      const given = headers.authorization ?? `${headers["x-api-key"]}`;
      const answer = (status: number, said: object, type = "") =>
        void response
          .writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type })
          .end(JSON.stringify(said));
      if (!/\bgood-key\b/.test(given)) return answer(403, { message: "no" }, "UnrecognizedClientException");
      if (url.includes("forbidden")) return answer(403, { message: "no" }, "AccessDeniedException");
      if (url.includes("/count-tokens")) return answer(200, { inputTokens: 1 });
      if (url.startsWith("/v1/models")) return answer(200, { data: [] });
      if (!url.startsWith("/v1/messages/count_tokens") || (body as { model: string }).model !== "known")
        return answer(404, { error: { type: "not_found_error" } });
      return answer(200, { input_tokens: 1 });
    });

  const providers = (url: string) => ({
    direct_api: { DIRECT_API_BASE_URL: url, DIRECT_API_KEY: "good-key", DIRECT_API_MODEL: "known" },
    openai_compatible: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "good-key", OPENAI_MODEL: "known" },
    cloud_managed: {
      ...{ CLOUD_ENDPOINT_URL: url, CLOUD_MODEL_ID: "known" },
      ...{ CLOUD_ACCESS_KEY_ID: "good-key", CLOUD_SECRET_ACCESS_KEY: "secret" },
    },
  });

  it.each([
    ["direct_api", { DIRECT_API_KEY: "wrong" }, /rejects the key: HTTP 403.*DIRECT_API_KEY/s],
    ["direct_api", { DIRECT_API_MODEL: "unknown" }, /does not know unknown.*HTTP 404.*DIRECT_API_MODEL/s],
    ["openai_compatible", { OPENAI_API_KEY: "wrong" }, /rejects the key: HTTP 403.*OPENAI_API_KEY/s],
    ["cloud_managed", { CLOUD_ACCESS_KEY_ID: "wrong" }, /rejects the key.*CLOUD_ACCESS_KEY_ID/s],
    ["cloud_managed", { CLOUD_MODEL_ID: "forbidden" }, /count tokens of forbidden.*npm run smoke/s],
  ] as const)("signs in at the LLM as %s, and names rejected settings: %o", async (provider, own, said) => {
    const server = await startProvider();
    const given = { LLM_PROVIDER: provider, ...providers(server.url)[provider] };
    expect(await checkLlm(configOf(given))).toMatchObject({
      state: "ok",
      what: expect.stringContaining("accepts the key"),
    });
    const found = await checkLlm(configOf({ ...given, ...own }));
    await server.close();
    expect(linesOf(found)).toMatch(said);
  });

  it("signs in at the mail server, and sends nothing", async () => {
    const server = await startSmtpStandIn({ user: "ada", password: "p@ss" });
    const findings = await Promise.all(
      ["ada:p%40ss@", "ada:wrong@"].map((who) => checkMailServer(server.url.replace("//", `//${who}`))),
    );
    await server.close();
    expect(findings.map(linesOf).join("\n")).toMatch(
      /ok {2}the mail server accepts ada at 127.*\n.*rejects the user or the password: it answered 535.*SMTP_URL/s,
    );
    expect(server.mails).toEqual([]);
  });

  it("reports an unreachable service, and its setting", async () => {
    const nowhere = "http://127.0.0.1:9";
    const provider = { name: "campus", label: "Campus", issuer: nowhere, client_id: "a", client_secret: "b" };
    const findings = await checkServices(
      configOf({
        ...{ ENVIRONMENT: "development", DIRECT_API_BASE_URL: nowhere },
        ...{ SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "l@example.edu" },
        OIDC_PROVIDERS: JSON.stringify([provider]),
      }),
    );
    expect(wrongOf(findings).join("\n")).toMatch(
      /LLM.*ECONNREFUSED\n.*DIRECT_API_BASE_URL.*mail server.*ECONNREFUSED\n.*SMTP_URL.*campus.*OIDC_PROVIDERS/s,
    );
  });
});
