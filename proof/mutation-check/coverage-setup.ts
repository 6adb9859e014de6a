/**
 * Runs in each worker of the coverage run: records the probes and database functions that each test file
 * reaches.
 */
import { appendFileSync, globSync, readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { findSqlRoutines } from "./sql-text.ts";

const output = process.env["MUTATION_COVERAGE"] ?? "";

/** `tests`: names of finished tests; a probe has the indexes of those that reached it. */
type State = { tests: string[]; isInTest: boolean; probes: Map<string, Set<number>>; routines: Set<string> };

const shared = globalThis as { mutationState?: State; mutationProbe?: unknown };

/** State of the current file. The worker, and this state, outlive it. */
shared.mutationState ??= { tests: [], isInTest: false, probes: new Map(), routines: new Set() };
const state = shared.mutationState;

/** The database's functions and views, which statements name. */
const known = new Set(
  globSync("schema/functions/*/*.sql").flatMap((file) =>
    findSqlRoutines(readFileSync(file, "utf8")).map(({ name }) => name),
  ),
);

function note(name: string): void {
  const reached = state.probes.get(name) ?? new Set();
  if (state.isInTest) reached.add(state.tests.length - 1);
  state.probes.set(name, reached);
}

type Schema = { _zod: { run(...args: unknown[]): unknown; constr: new (def: unknown) => Schema } };

/** Records each value that a schema, or one derived from it, checks. */
function validates(name: string, schema: Schema): Schema {
  if (!schema?._zod?.run) return schema;
  const { run, constr: Made } = schema._zod;
  schema._zod.run = (...args) => {
    note(name);
    return run(...args);
  };
  schema._zod.constr = new Proxy(Made, {
    construct: (target, args) => validates(name, Reflect.construct(target, args)),
  });
  return schema;
}

shared.mutationProbe ??= {
  evaluated: note,
  validates,
  called:
    (name: string, handler: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      note(name);
      return handler(...args);
    },
  read: (name: string, rule: object) =>
    new Proxy(rule, {
      get: (target, key) => {
        note(name);
        return Reflect.get(target, key);
      },
    }),
};

/** Functions called in a database; counted after their sessions end. */
async function noteRoutines(url: URL): Promise<void> {
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    await client.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const { rows } = await client.query("select funcname from pg_stat_user_functions where calls > 0");
    for (const { funcname } of rows) state.routines.add(funcname);
  } finally {
    await client.end();
  }
}

const prototype = pg.Client.prototype as { query: unknown; isObserved?: true } & pg.Client;
if (!prototype.isObserved) {
  const query = prototype.query as unknown as (...args: unknown[]) => unknown;
  prototype.isObserved = true;
  prototype.query = function (
    this: pg.Client & { connectionParameters: { port: number; user: string } },
    ...args: unknown[]
  ) {
    const text = typeof args[0] === "string" ? args[0] : (args[0] as { text?: unknown })?.text;
    if (typeof text === "string")
      for (const [word] of text.matchAll(/[a-z_]\w*/g)) if (known.has(word)) state.routines.add(word);
    const dropped = typeof text === "string" && /^drop database (\w+) with \(force\)$/.exec(text);
    if (!dropped) return query.apply(this, args);
    const { host, port, user, password } = this;
    const url = new URL(
      `postgres://${user}:${encodeURIComponent(password ?? "")}@${host}:${port}/${dropped[1]}`,
    );
    return noteRoutines(url).then(() => query.apply(this, args));
  } as typeof prototype.query;
}

let began = 0;

beforeAll(() => {
  state.tests = [];
  state.probes.clear();
  state.routines.clear();
  began = Date.now();
});

beforeEach(({ task }) => {
  state.tests.push(task.fullTestName);
  state.isInTest = true;
});

afterEach(() => {
  state.isInTest = false;
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest takes no other first parameter
afterAll(({}, { file }) => {
  const line = {
    project: file.projectName,
    file: file.name,
    ms: Date.now() - began,
    tests: state.tests,
    probes: Object.fromEntries([...state.probes].map(([name, reached]) => [name, [...reached]])),
    routines: [...state.routines],
  };
  appendFileSync(output, `${JSON.stringify(line)}\n`);
});
