import type pg from "pg";
import { applyInAnyOrder, type Change } from "../../../lib/db/migrations/any-order.ts";
import { type Retired, retired } from "../../../schema/functions/retired.ts";
import { type Catalog, readCatalog } from "./catalog.ts";
import { compare, type Difference, describeDifference } from "./compare.ts";
import { retirementOf } from "./retirement.ts";
import type { Wanted } from "./wanted.ts";

export type Version = {
  /** That of package.json. */
  version: string;
  retired?: readonly Retired[];
};

/** What is not as schema/ says, without the retired functions that are kept for the version before. */
export function differencesOf(wanted: Wanted, found: Catalog, { version, ...given }: Version): Difference[] {
  const list = given.retired ?? retired;
  return compare(wanted.catalog, found).filter(
    (one) => !isLeftOver(one, "function") || retirementOf(one, list, version) !== "keep",
  );
}

/**
 * The statements that make a migrated database into the one that schema/ describes: those of its tables, and of the
 * rest just what differs. They are tried in the database, which is left as it was, and must leave no difference.
 */
export async function draftStatements(
  client: pg.Client,
  wanted: Wanted,
  tables: string[],
  version: Version,
): Promise<string[]> {
  await client.query("begin");
  try {
    const left = differencesOf(wanted, await readCatalog(client), version);
    const changesWith = (ofTable: (statement: string) => Change): Change[] => [
      ...drops(left, wanted, version),
      ...tables.map(ofTable),
      ...replacements(left, wanted),
    ];
    await client.query("savepoint before_changes");
    const statements = await applyInAnyOrder(client, changesWith(only)).catch(async () => {
      await client.query("rollback to savepoint before_changes");
      return applyInAnyOrder(
        client,
        changesWith((statement) => despiteViews(statement, wanted)),
      );
    });
    // What fell with another part, such as a function that answered the rows of a view, is made again.
    const fallen = differencesOf(wanted, await readCatalog(client), version);
    statements.push(...(await applyInAnyOrder(client, replacements(fallen, wanted))));
    refuse(differencesOf(wanted, await readCatalog(client), version));
    return statements;
  } finally {
    await client.query("rollback");
  }
}

const only = (statement: string): Change => ({ ways: [[statement]] });

/** A change of a table, if need be without the views, which are made again. */
function despiteViews(statement: string, { catalog }: Wanted): Change {
  const views = [...catalog.keys()].filter((object) => object.startsWith("view "));
  return {
    ways: [
      [statement],
      [...views.map((view) => `drop ${view.replace("view ", "view if exists ")} cascade;`), statement],
    ],
  };
}

const isLeftOver = ({ object, wanted }: Difference, kind: string) =>
  wanted === undefined && object.startsWith(`${kind} `);

function drops(left: Difference[], wanted: Wanted, version: Version): Change[] {
  const unlisted = left.filter(
    (one) =>
      isLeftOver(one, "function") &&
      retirementOf(one, version.retired ?? retired, version.version, wanted.catalog.keys()) === "unlisted",
  );
  if (unlisted.length > 0)
    throw new Error(
      `The version that is being replaced may still call what stands nowhere any more: ${unlisted
        .map(({ object }) => object)
        .join(", ")}. List it in schema/functions/retired.ts.`,
    );
  const kinds = ["trigger", "view", "function"];
  return kinds.flatMap((kind) =>
    left.filter((one) => isLeftOver(one, kind)).map(({ object }) => only(`drop ${object};`)),
  );
}

/** What is missing or differs, from its one text; dropped first where PostgreSQL cannot replace it in its place. */
function replacements(left: Difference[], { texts }: Wanted): Change[] {
  return left.flatMap(({ object, wanted, found }) => {
    const text = texts.get(object);
    if (wanted === undefined || text === undefined) return [];
    const ways = [[text]];
    if (found !== undefined && !object.startsWith("constraint ")) ways.push([`drop ${object};`, text]);
    if (found !== undefined && object.startsWith("view ")) ways.push([`drop ${object} cascade;`, text]);
    return [{ ways }];
  });
}

function refuse(left: Difference[]): void {
  if (left.length === 0) return;
  const lines = left.map((one) => `- ${describeDifference(one)}`);
  throw new Error(
    `No migration can be written: with it the database would still not be as schema/ says.\n${lines.join("\n")}`,
  );
}
