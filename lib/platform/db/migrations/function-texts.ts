import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Retired } from "../../../../schema/functions/retired.ts";
import { retiredInThisVersion } from "./retirement.ts";

/** Objects that statements of schema/functions or schema/db/constraints.sql create. */
type Made = "extension" | "function" | "view" | "trigger" | "constraint";

/** With the comment right above it. */
export type SchemaStatement = {
  text: string;
  makes: Made;
  /** `open_turn`; a trigger or constraint includes its table: `note_changed_outlines on modules`. */
  name: string;
  file: string;
  line: number;
};

type FunctionSource = { functions?: string; retired: readonly Retired[]; version: string };

/** Includes retired names that the previous version still calls. */
export function readFunctionTexts({
  functions: folder,
  retired,
  version,
}: FunctionSource): SchemaStatement[] {
  if (!folder) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  return [
    ...names.flatMap((name) => parseStatements(readFileSync(path.join(folder, name), "utf8"), name)),
    ...retiredInThisVersion(retired, version).flatMap(({ text }) =>
      text ? parseStatements(text, "retired.ts") : [],
    ),
  ];
}

/** Ignores the comment above the statement. */
export const hashStatementText = ({ text }: Pick<SchemaStatement, "text">): string =>
  createHash("sha256").update(withoutComment(text)).digest("hex");

export const withoutComment = (text: string) => text.replace(/^(--.*\n)+/, "");

export function parseStatements(sql: string, file: string): SchemaStatement[] {
  return splitStatements(sql).map(({ text, line }) => recognise(text, file, line));
}

/** Splits at each `;` at a line's end outside a `$$` body. Keeps only comments right above a statement. */
export function splitStatements(sql: string): { text: string; line: number }[] {
  const statements: { text: string; line: number }[] = [];
  let lines: string[] = [];
  let inBody = false;
  for (const [at, line] of sql.split("\n").entries()) {
    const isComment = !inBody && line.startsWith("--");
    if (!isComment && line.split("$$").length % 2 === 0) inBody = !inBody;
    if (line.trim() === "" && lines.every((before) => before.startsWith("--"))) lines = [];
    else lines.push(line);
    if (inBody || isComment || !line.trimEnd().endsWith(";")) continue;
    statements.push({ text: lines.join("\n"), line: at + 2 - lines.length });
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

function recognise(text: string, file: string, line: number): SchemaStatement {
  const bare = withoutComment(text);
  for (const [makes, shape] of Object.entries(shapes) as [Made, RegExp][]) {
    const found = shape.exec(bare)?.groups;
    if (!found) continue;
    const name = found["table"] ? `${found["name"]} on ${found["table"]}` : String(found["name"]);
    return { text, makes, name, file, line };
  }
  throw new Error(
    `${file}:${line}: only "create or replace" of a function, view or trigger, a constraint or an extension:\n${text}`,
  );
}
