import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { draftConditionMutants, draftRejectionMutants } from "./conditions.ts";
import { draftEndpointContractMutants } from "./endpoint-contracts.ts";
import { type Mutant, type MutantDraft, mutantCategories, mutantsFromDrafts } from "./mutant.ts";
import { draftPolicyRuleMutants } from "./policy.ts";
import { draftSqlRoutineMutants, draftSqlStatementMutants, draftTenantIsolationMutants } from "./sql.ts";
import { draftSchemaMutants } from "./validation.ts";

export const repositoryRoot = path.resolve(import.meta.dirname, "../..");

type Source = { files: string | readonly string[]; faults: (source: string) => MutantDraft[] };

/** Faults by source files. */
const sources: readonly Source[] = [
  {
    files: [
      "lib/identity/auth/{guards,token-reach,optimistic-actor,key-credential,key-in-request,actor,login-attempt,sign-in-limit}.ts",
      "lib/identity/auth/{password-policy,redirect-target,open-invitations,accounts,identities,acting-key}.ts",
      "lib/http/{conditional,if-match,allow-origins,validate,cursor,asked-type,shell}.ts",
      "lib/platform/secrets/tokens.ts",
    ],
    faults: (source) => [
      ...draftConditionMutants(source, "guards"),
      ...draftRejectionMutants(source, "guards"),
    ],
  },
  { files: "functions/**/*.ts", faults: draftEndpointContractMutants },
  { files: "functions/**/*.ts", faults: (source) => draftRejectionMutants(source, "guards") },
  {
    files: "lib/{assessment,community,courses,files,identity,integrations,tutor}/**/*.ts",
    faults: (source) => draftRejectionMutants(source, "guards"),
  },
  {
    files: "lib/identity/rbac/policy.ts",
    faults: (source) => [...draftPolicyRuleMutants(source), ...draftConditionMutants(source, "policy")],
  },
  { files: "lib/identity/rbac/scopes.ts", faults: (source) => draftConditionMutants(source, "tenancy") },
  { files: "lib/**/*.ts", faults: draftTenantIsolationMutants },
  { files: "lib/**/*.ts", faults: draftSqlStatementMutants },
  { files: ["schema/api/*/*.ts", "schema/question.ts"], faults: draftSchemaMutants },
  { files: "schema/api/*/*.ts", faults: (source) => draftConditionMutants(source, "validation") },
  { files: "schema/functions/*/*.sql", faults: draftSqlRoutineMutants },
];

/** All possible mutants, by file and position. */
export function findAllPossibleMutants(): Mutant[] {
  const drafts = new Map<string, MutantDraft[]>();
  for (const { files, faults } of sources)
    for (const file of globSync(files as string[], { cwd: repositoryRoot }).sort())
      drafts.set(file, [...(drafts.get(file) ?? []), ...faults(readRepositoryFile(file))]);
  const mutants = [...drafts].flatMap(([file, found]) =>
    mutantsFromDrafts(file, readRepositoryFile(file), found),
  );
  return [...new Map(mutants.map((mutant) => [mutant.id, mutant])).values()];
}

export const readRepositoryFile = (file: string): string =>
  readFileSync(path.join(repositoryRoot, file), "utf8");

/**
 * A reproducible sample of `count` mutants: round-robin by category, and within it by operator. Seed and ids
 * decide.
 */
export function sampleMutants(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const ordered = mutants.toSorted(
    (one, other) => rank(one.id, seed) - rank(other.id, seed) || (one.id < other.id ? -1 : 1),
  );
  const lists = mutantCategories.map((category) => {
    const own = ordered.filter((mutant) => mutant.category === category);
    return inTurn([...Map.groupBy(own, ({ operator }) => operator).values()]);
  });
  return inTurn(lists).slice(0, count);
}

/** The first of each list, the second of each, and so on. */
const inTurn = <Item>(lists: readonly (readonly Item[])[]): Item[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();

/** An id's rank under a seed. */
function rank(id: string, seed: number): number {
  let value = (Number.parseInt(id.slice(0, 8), 16) ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
