import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import {
  type AnyNode,
  type CallExpression,
  type Expression,
  type Identifier,
  type Node,
  type Pattern,
  type Program,
  parse,
  type SpreadElement,
} from "acorn";
import { type SimpleVisitors, simple } from "acorn-walk";
import { transform } from "esbuild";

/** A top-level declaration, as `lib/courses/courses.ts createCourse`. */
export type Name = `${string} ${string}`;

/** `tables`: for each argument such as `refusals[reason]`, the declaration of its table. */
type Call = {
  called: Name;
  args: readonly (Expression | SpreadElement)[];
  tables: readonly (Name | undefined)[];
};

/** References and calls with arguments in a declaration's text. */
export type Declaration = {
  uses: ReadonlySet<Name>;
  calls: readonly Call[];
  strings: readonly string[];
  resources: readonly string[];
};

const root = path.resolve(import.meta.dirname, "../../..");

/** The declarations of `functions` and `lib`, by static analysis: no file is run. */
export async function readDeclarations(): Promise<ReadonlyMap<Name, Declaration>> {
  const files = (await Promise.all(["functions", "lib"].map(sourcesIn))).flat();
  const read = (await Promise.all(files.map(readFileOf))).flat();
  return new Map([...Map.groupBy(read, ([name]) => name)].map(([name, same]) => [name, together(same)]));
}

const sourcesIn = async (folder: string): Promise<string[]> =>
  (await readdir(path.join(root, folder), { recursive: true }))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);

/** A file may have several statements of one name. */
const together = (same: readonly [Name, Declaration][]): Declaration => ({
  uses: new Set(same.flatMap(([, { uses }]) => [...uses])),
  calls: same.flatMap(([, { calls }]) => calls),
  strings: same.flatMap(([, { strings }]) => strings),
  resources: same.flatMap(([, { resources }]) => resources),
});

/** The meaning of a file's names: declarations, or whole modules (`import * as`). */
type Scope = { names: Map<string, Name>; files: Map<string, string> };

async function readFileOf(file: string): Promise<[Name, Declaration][]> {
  const { code } = await transform(await readFile(path.join(root, file), "utf8"), {
    loader: "ts",
    target: "esnext",
  });
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const declared = declarationsIn(program);
  const scope: Scope = { names: new Map(), files: new Map() };
  for (const { names } of declared) for (const name of names) scope.names.set(name, `${file} ${name}`);
  importsOf(program, file, scope);
  for (const { names, node } of declared) {
    const loaded = loadedBy(node, file);
    for (const name of loaded ? names : []) scope.files.set(`${name}()`, loaded ?? "");
  }
  return declared.flatMap(({ names, node }) => {
    const declaration = look(node, file, scope);
    return names.map((name): [Name, Declaration] => [`${file} ${name}`, declaration]);
  });
}

/** The name of a file's top-level statements. */
const onceLoaded = "*";

type Declared = { names: string[]; node: AnyNode };

function declarationsIn(program: Program): Declared[] {
  return program.body.flatMap((statement): Declared[] => {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (node?.type === "FunctionDeclaration" || node?.type === "ClassDeclaration")
      return [{ names: [node.id?.name ?? ""], node }];
    if (node?.type === "ExpressionStatement") return [{ names: [onceLoaded], node }];
    if (node?.type !== "VariableDeclaration") return [];
    return node.declarations.map((one) => ({ names: namesIn(one.id), node: one }));
  });
}

/** Names bound by patterns in a declaration; acorn-walk's types omit this visitor. */
function boundIn(node: Node): string[] {
  const names: string[] = [];
  const visitors = { VariablePattern: ({ name }: Identifier) => void names.push(name) };
  simple(node, visitors as unknown as SimpleVisitors<unknown>);
  return names;
}

const namesIn = (pattern: Pattern): string[] =>
  pattern.type === "Identifier" ? [pattern.name] : boundIn(pattern);

const fileOf = (source: unknown, from: string): string | undefined =>
  typeof source === "string" && source.startsWith(".")
    ? path.posix.join(path.posix.dirname(from), source)
    : undefined;

function importsOf(program: Program, file: string, { names, files }: Scope): void {
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration") continue;
    const imported = fileOf(statement.source.value, file);
    if (!imported) continue;
    for (const one of statement.specifiers)
      if (one.type === "ImportNamespaceSpecifier") files.set(one.local.name, imported);
      else if (one.type === "ImportSpecifier" && one.imported.type === "Identifier")
        names.set(one.local.name, `${imported} ${one.imported.name}`);
  }
}

/** The file in `const exchange = () => import("./exchange.ts")`. */
function loadedBy(node: AnyNode, file: string): string | undefined {
  if (node.type !== "VariableDeclarator" || node.init?.type !== "ArrowFunctionExpression") return undefined;
  const { body } = node.init;
  return body.type === "ImportExpression" && body.source.type === "Literal"
    ? fileOf(body.source.value, file)
    : undefined;
}

function look(node: AnyNode, file: string, scope: Scope): Declaration {
  const own = new Set(boundIn(node));
  if (node.type === "VariableDeclarator") for (const name of namesIn(node.id)) own.delete(name);
  const uses = new Set<Name>();
  const calls: Declaration["calls"][number][] = [];
  const strings: string[] = [];
  const resources: string[] = [];
  const declared = codesOfContracts(node);
  const named = (name: string): Name | undefined => (own.has(name) ? undefined : scope.names.get(name));
  const member = (object: AnyNode, name: string): Name | undefined => {
    const from = fileBehind(object, file, scope, own);
    return from === undefined ? undefined : `${from} ${name}`;
  };
  const nameOf = (callee: AnyNode): Name | undefined => {
    if (callee.type === "Identifier") return named(callee.name);
    if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return undefined;
    return member(callee.object as AnyNode, callee.property.name);
  };
  const tableOf = (arg: Expression | SpreadElement): Name | undefined =>
    arg.type === "MemberExpression" && arg.computed && arg.object.type === "Identifier"
      ? named(arg.object.name)
      : undefined;
  const use = (name: Name | undefined) => void (name && uses.add(name));
  const call = ({ callee, arguments: args }: Pick<CallExpression, "callee" | "arguments">) => {
    const called = nameOf(callee as AnyNode);
    if (called) calls.push({ called, args, tables: args.map(tableOf) });
  };
  simple(node, {
    Identifier: ({ name }) => use(named(name)),
    MemberExpression: (one) => use(nameOf(one)),
    CallExpression: call,
    NewExpression: (one) => {
      call(one);
      const [thread] = one.arguments;
      const isAddress = one.callee.type === "Identifier" && one.callee.name === "URL";
      const from = isAddress && thread?.type === "Literal" ? fileOf(thread.value, file) : undefined;
      use(from?.endsWith(".ts") ? `${from} ${onceLoaded}` : undefined);
    },
    Property: ({ key, value }) => {
      if (key.type !== "Identifier" || key.name !== "resource") return;
      if (value.type === "Literal" && typeof value.value === "string") resources.push(value.value);
    },
    Literal: (one) => void (typeof one.value === "string" && !declared.has(one) && strings.push(one.value)),
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "ObjectPattern" || !init) return;
      for (const property of id.properties)
        if (property.type === "Property" && property.key.type === "Identifier")
          use(member(init as AnyNode, property.key.name));
    },
  });
  return { uses, calls, strings, resources };
}

/** The codes in a contract itself: they belong to its own operation. */
function codesOfContracts(node: AnyNode): Set<Node> {
  const texts = new Set<Node>();
  simple(node, {
    Property: ({ key, value }) => {
      if (key.type !== "Identifier" || !["refuses", "constraints"].includes(key.name)) return;
      simple(value, { Literal: (text) => void texts.add(text) });
    },
  });
  return texts;
}

/**
 * The module behind a value: `people` of `import * as people`, `await import("./people.ts")`, `await
 * exchange()`.
 */
function fileBehind(
  value: AnyNode,
  file: string,
  { files }: Scope,
  own: ReadonlySet<string>,
): string | undefined {
  if (value.type === "Identifier") return own.has(value.name) ? undefined : files.get(value.name);
  if (value.type !== "AwaitExpression") return undefined;
  const { argument } = value;
  if (argument.type === "ImportExpression" && argument.source.type === "Literal")
    return fileOf(argument.source.value, file);
  return argument.type === "CallExpression" && argument.callee.type === "Identifier"
    ? files.get(`${argument.callee.name}()`)
    : undefined;
}
