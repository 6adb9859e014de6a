import type { ErrorStatus } from "../../../lib/errors.ts";
import type { Contract, EndpointGroup } from "../../../lib/http/endpoint.ts";
import { codesOfTokens } from "./codes-of-tokens.ts";
import { type Name, readDeclarations } from "./declarations.ts";
import { RefusalsOf } from "./of-declarations.ts";
import { neverOf, onlyOf } from "./shared-tables.ts";

/** Codes by status, in alphabetical order: `{ 400: ["already_enrolled"] }`. */
export type CodesByStatus = Partial<Record<ErrorStatus, string[]>>;

/** Shared by all operations: guards and response helpers. */
const outside = ["lib/identity/auth/guards.ts", "lib/http/", "schema/"];

/**
 * Error codes by operation id: those that its code can reach, with a status in the contract, plus those that
 * the contract adds.
 */
export async function readRefusals(
  groups: readonly EndpointGroup[],
): Promise<ReadonlyMap<string, CodesByStatus>> {
  const declarations = await readDeclarations();
  const refusalsOf = new RefusalsOf(declarations);
  const endpoints = new Map<string, Name>();
  for (const name of declarations.keys())
    if (name.startsWith("functions/")) endpoints.set(name.split(" ")[1] ?? "", name);
  return new Map(
    groups
      .flatMap(({ endpoints }) => endpoints)
      .map(({ contract }) => {
        const name = endpoints.get(contract.id);
        if (!name) throw new Error(`No declaration of the operation ${contract.id} was found`);
        return [contract.id, answered(contract, refusalsOf.of(name, outside))];
      }),
  );
}

/** Codes that have another status everywhere. */
const ofElsewhere = (status: number, code: string): boolean =>
  code === "changed_meanwhile" || (status !== 503 && code.startsWith("database_"));

function answered(contract: Contract, refused: ReadonlySet<string>): CodesByStatus {
  const { access, fails = [], failsAsPage = [], refuses = {} } = contract;
  const takesToken = access.kind === "signed in" || access.kind === "refreshing";
  const statuses = new Set([...fails, ...failsAsPage, ...(takesToken ? [401, 403] : [])]);
  const besides = Object.entries(refuses).flatMap(([status, codes]) =>
    codes.map((code) => `${status} ${code}`),
  );
  const codes: CodesByStatus = {};
  for (const refusal of [...new Set([...refused, ...besides])].sort()) {
    const [status, code = ""] = [Number(refusal.split(" ")[0]) as ErrorStatus, refusal.split(" ")[1]];
    const isOthers = onlyOf[code]?.includes(contract.id) === false || neverOf[contract.id]?.includes(code);
    const isOfToken =
      takesToken &&
      Object.entries(codesOfTokens).some(
        ([of, all]) => Number(of) === status && all.some((one) => one === code),
      );
    if (!statuses.has(status) || isOfToken || isOthers || ofElsewhere(status, code)) continue;
    const same = codes[status];
    if (same) same.push(code);
    else codes[status] = [code];
  }
  return codes;
}
