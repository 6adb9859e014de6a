import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  parseStatements,
  type SchemaStatement,
  withoutComment,
} from "../../../lib/platform/db/migrations/function-texts.ts";
import { locksIn } from "../writes/locks.ts";
import { bare, callsIn, writesIn } from "../writes/read.ts";

/** Texts by the name of their file. */
export type Sources = { sql: ReadonlyMap<string, string>; code: ReadonlyMap<string, string> };

/** A function of schema/functions. Functions that share a name share their callers. */
export type DatabaseFunction = {
  name: string;
  file: string;
  lines: number;
  parameters: number;
  isTriggers: boolean;
  /** Whether its own text or a function that it calls writes rows or locks. */
  changes: boolean;
  /** Functions, views and triggers that call it. */
  inSql: readonly string[];
  /** Files of TypeScript, and of schema/db, that call it. */
  inCode: readonly string[];
};

export type Definitions = { functions: readonly DatabaseFunction[]; triggers: number };

const root = path.resolve(import.meta.dirname, "../../..");

export function readSources(): Sources {
  const texts = (pattern: string) =>
    new Map(
      globSync(pattern, { cwd: root }).map((file) => [file, readFileSync(path.join(root, file), "utf8")]),
    );
  return {
    sql: texts("schema/functions/*/*.sql"),
    code: texts("{functions,lib,proof,schema/db,scripts,server}/**/*.{ts,sql}"),
  };
}

export function readDefinitions({ sql, code }: Sources): Definitions {
  const statements = [...sql].flatMap(([file, text]) => parseStatements(text, path.basename(file)));
  const functions = statements.filter(({ makes }) => makes === "function");
  const names = new Set(functions.map(({ name }) => name));
  const texts = new Map<string, string>();
  const inSql = new Map<string, Set<string>>();
  for (const statement of statements) {
    const { makes, name } = statement;
    const text = bare(withoutComment(statement.text)).replace(/^create or replace function \w+/, "");
    if (makes === "function") texts.set(name, `${texts.get(name) ?? ""};${text}`);
    for (const called of callsIn(text))
      if (names.has(called) && !(makes === "function" && called === name))
        add(inSql, called, makes === "function" ? name : `${makes} ${name}`);
  }
  const inCode = new Map<string, Set<string>>();
  for (const [file, text] of code)
    for (const called of calledInCode(text)) if (names.has(called)) add(inCode, called, file);
  const changing = changingOf(texts);
  return {
    functions: functions.map((statement) => ({
      ...shapeOf(statement),
      changes: changing.has(statement.name),
      inSql: [...(inSql.get(statement.name) ?? [])].toSorted(),
      inCode: [...(inCode.get(statement.name) ?? [])].toSorted(),
    })),
    triggers: statements.filter(({ makes }) => makes === "trigger").length,
  };
}

function shapeOf({ text, name, file }: SchemaStatement) {
  const whole = withoutComment(text);
  return {
    name,
    file,
    lines: whole.trim().split("\n").length,
    parameters: parametersOf(whole),
    isTriggers: /\breturns trigger\b/.test(whole),
  };
}

/** How many values the function takes: its `out` parameters are its result. */
export function parametersOf(text: string): number {
  let depth = 0;
  const parameters = [""];
  for (const one of bare(text).slice(bare(text).indexOf("("))) {
    if (one === "(" || one === "[") depth += 1;
    else if ((one === ")" || one === "]") && --depth === 0) break;
    else if (one === "," && depth === 1) parameters.push("");
    else parameters.push((parameters.pop() ?? "") + one);
  }
  return parameters.map((one) => one.trim()).filter((one) => one !== "" && !/^out\s/.test(one)).length;
}

/** A call in a statement, or a name in quotes that a statement is made with. */
const calledInCode = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\b([a-z_]\w*)(?=\s*\()|"([a-z]\w*)"/g)].map(
      ([, call, quoted]) => (call ?? quoted) as string,
    ),
  );

/** The functions that write or lock, by their own text or by one that they call. */
function changingOf(texts: ReadonlyMap<string, string>): Set<string> {
  const changing = new Set(
    [...texts]
      .filter(([, text]) => writesIn(text).length > 0 || locksIn(text).length > 0)
      .map(([name]) => name),
  );
  const calls = new Map([...texts].map(([name, text]) => [name, callsIn(text)]));
  for (let before = -1; before < changing.size; ) {
    before = changing.size;
    for (const [name, called] of calls) if (called.some((one) => changing.has(one))) changing.add(name);
  }
  return changing;
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}
