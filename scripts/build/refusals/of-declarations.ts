import type { Expression, SpreadElement } from "acorn";
import { simple } from "acorn-walk";
import {
  errorMessageTemplates,
  notFoundCode,
  type ResourceName,
  resourceNames,
} from "../../../lib/error-codes.ts";
import type { ErrorStatus, HttpError } from "../../../lib/errors.ts";
import { SamlRefusal, type SamlRefusalReason } from "../../../lib/identity/saml/refusals.ts";
import { LtiRefusal, type RefusalReason } from "../../../lib/integrations/lti/refusals.ts";
import { ScimError, type ScimType } from "../../../lib/integrations/scim/protocol.ts";
import type { Declaration, Name } from "./declarations.ts";

/** Codes with their statuses, such as 400 `already_enrolled`. */
export type Refusals = Set<`${number} ${string}`>;

type Constructor = {
  status: number;
  at: number;
  otherwise?: string;
};

/** The functions of lib/errors.ts that create an error from a code. */
const constructors: Readonly<Record<Name, Constructor>> = {
  "lib/errors.ts badRequest": { status: 400, at: 0 },
  "lib/errors.ts forbidden": { status: 403, at: 0, otherwise: "not_enough_permissions" },
  "lib/errors.ts goneError": { status: 410, at: 0 },
  "lib/errors.ts conflict": { status: 409, at: 0 },
  "lib/errors.ts conflictWithCurrentState": { status: 409, at: 0 },
  "lib/errors.ts hourlyLimitError": { status: 429, at: 0 },
  "lib/errors.ts tooManyRequests": { status: 429, at: 0 },
  "lib/errors.ts unauthorized": { status: 401, at: 0, otherwise: "credentials_invalid" },
  "lib/errors.ts unavailable": { status: 503, at: 0 },
};

/**
 * Error classes that derive codes from reasons. If the reason is a variable, all reasons in that folder
 * count.
 */
const reasoned: Readonly<Record<Name, { folder: string; of(reason: string): HttpError }>> = {
  "lib/integrations/lti/refusals.ts LaunchRefusal": {
    folder: "lib/integrations/lti/",
    of: (reason) => new LtiRefusal(reason as RefusalReason),
  },
  "lib/identity/saml/refusals.ts SamlRefusal": {
    folder: "lib/identity/saml/",
    of: (reason) => new SamlRefusal(reason as SamlRefusalReason),
  },
};

const scimError: Name = "lib/integrations/scim/protocol.ts ScimError";

const byStatus: readonly Name[] = ["lib/errors.ts httpErrorFromCode", "lib/errors.ts HttpError"];
const notFound: Name = "lib/errors.ts notFound";

const isCode = (text: string): boolean => Object.hasOwn(errorMessageTemplates, text);
const isResource = (text: string): text is ResourceName =>
  resourceNames.some((resource) => resource === text);

/** Functions that create errors from arguments and have no fixed codes. */
const isMade = (name: Name): boolean =>
  Object.hasOwn(constructors, name) ||
  byStatus.includes(name) ||
  name === notFound ||
  name === scimError ||
  Object.hasOwn(reasoned, name);

type Own = {
  refusals: Refusals;
  /** Codes outside calls, such as in a table. */
  loose: ReadonlySet<string>;
  /** Statuses of errors whose code is a variable. */
  open: ReadonlySet<number>;
  /** Folders of errors whose reason is a variable. */
  openReasons: ReadonlySet<Name>;
};

/** Errors of each declaration, including those of everything it uses. */
export class RefusalsOf {
  readonly #declarations: ReadonlyMap<Name, Declaration>;
  readonly #own = new Map<Name, Own>();
  /** Statuses of each code that is passed literally anywhere. */
  readonly #statuses = new Map<string, Set<number>>();

  constructor(declarations: ReadonlyMap<Name, Declaration>) {
    this.#declarations = declarations;
    for (const name of [...Object.keys(constructors), ...byStatus, notFound, scimError])
      if (!declarations.has(name as Name)) throw new Error(`${name} has another name now`);
    for (const [name, declaration] of declarations) {
      const own = ownOf(declaration, (table) => declarations.get(table)?.strings.filter(isCode) ?? []);
      this.#own.set(name, own);
    }
    for (const [name, { calls, uses }] of declarations) {
      if (this.#own.get(name)?.open.has(404))
        for (const used of uses)
          if (this.#own.get(used)?.refusals.size === 0)
            for (const resource of declarations.get(used)?.strings.filter(isResource) ?? [])
              this.#own.get(name)?.refusals.add(`404 ${notFoundCode(resource)}`);
      for (const { called, args } of calls)
        if (this.#own.get(called)?.open.has(404))
          for (const resource of args.flatMap(stringsIn).filter(isResource))
            this.#own.get(name)?.refusals.add(`404 ${notFoundCode(resource)}`);
    }
    for (const own of this.#own.values())
      for (const refusal of own.refusals) {
        const [status = "", code = ""] = refusal.split(" ");
        this.#statuses.set(code, (this.#statuses.get(code) ?? new Set()).add(Number(status)));
      }
  }

  /** Errors of a declaration and everything it uses, except in `outside`. */
  of(name: Name, outside: readonly string[]): Refusals {
    const reached = this.#reached(name, outside);
    const refusals: Refusals = new Set();
    const open = new Set<number>();
    const loose = new Set<string>();
    const openReasons = new Set<Name>();
    for (const one of reached) {
      const own = this.#own.get(one);
      for (const refusal of own?.refusals ?? []) refusals.add(refusal);
      for (const status of own?.open ?? []) open.add(status);
      for (const code of own?.loose ?? []) loose.add(code);
      for (const name of own?.openReasons ?? []) openReasons.add(name);
    }
    for (const name of openReasons) this.#addReasons(refusals, reached, name);
    for (const code of loose)
      for (const status of this.#statusesOf(code, open)) refusals.add(`${status} ${code}`);
    return refusals;
  }

  #addReasons(refusals: Refusals, reached: Iterable<Name>, name: Name): void {
    const made = reasoned[name];
    for (const one of reached)
      if (made && one.startsWith(made.folder))
        for (const reason of this.#declarations.get(one)?.strings ?? []) addReason(refusals, reason, made.of);
  }

  /** The code's literal statuses, otherwise the open statuses of this declaration. */
  #statusesOf(code: string, open: ReadonlySet<number>): Iterable<number> {
    return this.#statuses.get(code) ?? open;
  }

  #reached(name: Name, outside: readonly string[]): Set<Name> {
    const reached = new Set<Name>();
    const wanted = [name];
    for (let one = wanted.pop(); one; one = wanted.pop()) {
      if (reached.has(one) || isMade(one) || outside.some((path) => one?.startsWith(path))) continue;
      reached.add(one);
      wanted.push(...(this.#declarations.get(one)?.uses ?? []));
    }
    return reached;
  }
}

function ownOf(
  { calls, strings, resources: given }: Declaration,
  codesOf: (table: Name) => readonly string[],
): Own {
  const refusals: Refusals = new Set();
  const open = new Set<number>();
  const named = new Set<string>();
  const add = (status: number, code: Expression | SpreadElement | undefined, otherwise?: string) => {
    const codes = code ? stringsIn(code).filter(isCode) : otherwise ? [otherwise] : [];
    for (const one of codes) {
      refusals.add(`${status} ${one}`);
      named.add(one);
    }
    if (code && !isText(code)) open.add(status);
  };
  for (const resource of given.filter(isResource)) refusals.add(`404 ${notFoundCode(resource)}`);
  const openReasons = new Set<Name>();
  for (const { called, args, tables } of calls) {
    const reasons = reasoned[called];
    if (reasons && args[0]) {
      for (const reason of stringsIn(args[0])) {
        addReason(refusals, reason, reasons.of);
        named.add(reason);
      }
      if (!isText(args[0])) openReasons.add(called);
    }
    if (called === scimError) addScim(refusals, args);
    const made = constructors[called];
    const table = made && tables[made.at];
    const codes = table ? codesOf(table) : [];
    for (const code of codes) refusals.add(`${made?.status} ${code}` as `${number} ${string}`);
    if (made && codes.length === 0) add(made.status, args[made.at], made.otherwise);
    if (byStatus.includes(called)) {
      const [status, code] = args;
      if (status?.type === "Literal" && typeof status.value === "number") add(status.value, code);
    }
    if (called === notFound) {
      const found = args[0] ? stringsIn(args[0]).filter(isResource) : [];
      for (const resource of found) refusals.add(`404 ${notFoundCode(resource)}`);
      if (found.length === 0) open.add(404);
    }
  }
  return {
    refusals,
    open,
    openReasons,
    loose: new Set(strings.filter((text) => isCode(text) && !named.has(text))),
  };
}

function addReason(refusals: Refusals, reason: string, of: (reason: string) => HttpError): void {
  const { status, code } = refusalOf(() => of(reason)) ?? {};
  if (status) refusals.add(`${status} ${code}`);
}

function refusalOf(make: () => HttpError): HttpError | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function addScim(refusals: Refusals, [status, , kind]: readonly (Expression | SpreadElement)[]): void {
  if (status?.type !== "Literal" || typeof status.value !== "number") return;
  for (const one of kind ? stringsIn(kind) : [undefined])
    refusals.add(
      `${status.value} ${new ScimError(status.value as ErrorStatus, "", one as ScimType | undefined).code}`,
    );
}

/** True for a literal, or a choice between two. */
function isText(node: Expression | SpreadElement): boolean {
  if (node.type === "ConditionalExpression") return isText(node.consequent) && isText(node.alternate);
  return node.type === "Literal";
}

function stringsIn(node: Expression | SpreadElement): string[] {
  const strings: string[] = [];
  simple(node, {
    Literal: ({ value }) => void (typeof value === "string" && strings.push(value)),
  });
  return strings;
}
