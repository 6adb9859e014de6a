import { withApiKey } from "../../../lib/identity/auth/guards.ts";
import { toKeyAuthorization } from "../../../lib/integrations/one-roster/access-tokens.ts";
import type { OneRosterScope } from "../../../lib/integrations/one-roster/protocol.ts";

type KeyRule = ReturnType<typeof withApiKey>["access"];

/** An access token with one of the scopes, or an API key. */
function withOneRosterScope(rule: KeyRule, scopes: readonly OneRosterScope[]): { access: KeyRule } {
  const admit: KeyRule["admit"] = async (arrival, work) => {
    const authorization = await toKeyAuthorization(arrival.deps, arrival.authorization, scopes);
    return rule.admit({ ...arrival, authorization }, work);
  };
  return { access: { ...rule, admit } };
}

const readsRosters = withApiKey("user:read").access;
const readsGrades = withApiKey("final-grade:read").access;

export const byCoreRosterScope = {
  ...withOneRosterScope(readsRosters, ["roster-core.readonly", "roster.readonly"]),
  scope: "people:read",
} as const;

export const byRosterScope = {
  ...withOneRosterScope(readsRosters, ["roster.readonly"]),
  scope: "people:read",
} as const;

export const byCoreGradebookScope = {
  ...withOneRosterScope(readsGrades, ["gradebook-core.readonly", "gradebook.readonly"]),
  scope: "grades:read",
} as const;

export const byGradebookScope = {
  ...withOneRosterScope(readsGrades, ["gradebook.readonly"]),
  scope: "grades:read",
} as const;

/** A response by the standard. */
export const oneRosterAnswer = (description: string) =>
  ({ answer: { status: 200, description, schema: undefined } }) as const;
