import { loadModule, parseSync } from "libpg-query";

type Node = { [name: string]: unknown };

/** Loads the parser of PostgreSQL, which is WebAssembly. */
export const loadSqlParser = loadModule;

/**
 * Aliases that a nested query of a statement declares although a query around it has the name too. A condition
 * composed into the nested query would read the wrong table. Tables without an alias are exempt: conditions
 * with their names are written for the nearest one.
 */
export function repeatedAliases(statement: string): string[] {
  const found = new Set<string>();
  walk(parseSync(statement), new Set(), found);
  return [...found].sort();
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

type Names = ReadonlySet<string>;

function walk(value: unknown, around: Names, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) walk(one, around, found);
  else if (isNode(value))
    for (const [kind, child] of Object.entries(value)) {
      const visit = isNode(child) ? queries[kind] : undefined;
      if (visit) visit(child as Node, around, found);
      else walk(child, around, found);
    }
}

type Visit = (query: Node, around: Names, found: Set<string>) => void;

/** A query with its own names. Its `with`, and what it inserts, do not see them. */
const queryOf =
  (tables: readonly string[], hidden: readonly string[]): Visit =>
  (query, around, found) => {
    const own = tables.flatMap((name) => namesIn(query[name]));
    for (const { name, isAlias } of own) if (isAlias && around.has(name)) found.add(name);
    const inside = new Set([...around, ...own.map(({ name }) => name)]);
    for (const [name, child] of Object.entries(query))
      if (hidden.includes(name)) walk(child, around, found);
      else if (tables.includes(name)) walkTables(child, { around, inside }, found);
      else walk(child, inside, found);
  };

const queries: Record<string, Visit> = {
  SelectStmt: queryOf(["fromClause"], ["withClause", "larg", "rarg"]),
  larg: (query, around, found) => queries["SelectStmt"]?.(query, around, found),
  rarg: (query, around, found) => queries["SelectStmt"]?.(query, around, found),
  InsertStmt: queryOf(["relation"], ["withClause", "selectStmt"]),
  UpdateStmt: queryOf(["relation", "fromClause"], ["withClause"]),
  DeleteStmt: queryOf(["relation", "usingClause"], ["withClause"]),
};

type Named = { name: string; isAlias: boolean };

/** The names that a list of tables declares, without those inside its subqueries. */
function namesIn(value: unknown): Named[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isNode(value)) return [];
  const { RangeVar, JoinExpr, RangeSubselect, RangeFunction } = value as Record<string, Node | undefined>;
  if (JoinExpr) return [...namesIn(JoinExpr["larg"]), ...namesIn(JoinExpr["rarg"]), ...aliasOf(JoinExpr)];
  const table = RangeVar ?? RangeSubselect ?? RangeFunction ?? value;
  const alias = aliasOf(table);
  const { relname } = table;
  if (alias.length > 0 || typeof relname !== "string") return alias;
  return [{ name: relname, isAlias: false }];
}

const aliasOf = ({ alias }: Node): Named[] =>
  isNode(alias) ? [{ name: String(alias["aliasname"]), isAlias: true }] : [];

/** Only lateral subqueries, functions and conditions of joins see the other tables. */
function walkTables(value: unknown, names: { around: Names; inside: Names }, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) walkTables(one, names, found);
  else if (isNode(value)) {
    const { JoinExpr, RangeSubselect } = value as Record<string, Node | undefined>;
    if (JoinExpr) {
      walkTables([JoinExpr["larg"], JoinExpr["rarg"]], names, found);
      walk(JoinExpr["quals"], names.inside, found);
    } else if (RangeSubselect && !RangeSubselect["lateral"]) walk(RangeSubselect, names.around, found);
    else walk(value, names.inside, found);
  }
}
