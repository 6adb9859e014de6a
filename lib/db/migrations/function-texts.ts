import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../../package.json" with { type: "json" };
import { retired } from "../../../schema/functions/retired.ts";

const schema = fileURLToPath(new URL("../../../schema", import.meta.url));

/** What a statement of schema/functions or schema/db/constraints.sql makes. */
type Made = "extension" | "function" | "view" | "trigger" | "constraint";

/** A statement with the comment that stands right above it, and where it stands. */
export type Statement = { text: string; makes: Made; name: string; file: string };

/** The one current text of each function, view and trigger, and of the constraints and extensions that Drizzle cannot say. */
export async function readStatements(): Promise<Statement[]> {
  const folder = path.join(schema, "functions");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  const files = [path.join(schema, "db/constraints.sql"), ...names.map((name) => path.join(folder, name))];
  const read = files.map(async (file) => parseStatements(await readFile(file, "utf8"), path.basename(file)));
  return [...(await Promise.all(read)).flat(), ...oldNames()];
}

/** What the version that is being replaced still calls by another name, while that is the version before this one. */
const oldNames = (): Statement[] =>
  retired.flatMap(({ text, retiredIn }) =>
    text && retiredIn === packageJson.version ? parseStatements(text, "retired.ts") : [],
  );

export function parseStatements(sql: string, file: string): Statement[] {
  return splitStatements(sql).map((text) => recognise(text, file));
}

/**
 * Cuts a file at each `;` that ends a line outside of a `$$` body. Comments stay with the statement below them, but for
 * those that an empty line sets apart, such as the head of the file.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  let inBody = false;
  for (const line of sql.split("\n")) {
    const isComment = !inBody && line.startsWith("--");
    if (!isComment && line.split("$$").length % 2 === 0) inBody = !inBody;
    if (line.trim() === "" && lines.every((before) => before.startsWith("--"))) lines = [];
    else lines.push(line);
    if (inBody || isComment || !line.trimEnd().endsWith(";")) continue;
    statements.push(lines.join("\n"));
    lines = [];
  }
  if (lines.some((line) => !line.startsWith("--")))
    throw new Error(`A statement does not end with ";":\n${lines.join("\n")}`);
  return statements;
}

const shapes: Record<Made, RegExp> = {
  extension: /^create extension if not exists (?<name>\w+);/,
  function: /^create or replace function (?<name>\w+)\s*\(/,
  view: /^create or replace view (?<name>\w+)\s/,
  trigger: /^create or replace trigger (?<name>\w+)\s[^;]*?\son (?<table>\w+)\s/,
  constraint: /^alter table (?<table>\w+)\s[^;]*add constraint (?<name>\w+)\s/,
};

function recognise(text: string, file: string): Statement {
  const bare = text.replace(/^(--.*\n)+/, "");
  for (const [makes, shape] of Object.entries(shapes) as [Made, RegExp][]) {
    const found = shape.exec(bare)?.groups;
    if (!found) continue;
    const name = found["table"] ? `${found["name"]} on ${found["table"]}` : String(found["name"]);
    return { text, makes, name, file };
  }
  throw new Error(
    `${file}: only "create or replace" of a function, view or trigger, a constraint or an extension:\n${text}`,
  );
}
