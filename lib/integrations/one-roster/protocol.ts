import { type ErrorStatus, HttpError } from "../../errors.ts";

/* Addresses, scopes and errors of OneRoster 1.2 (REST binding). */

export const oneRosterPath = "/ims/oneroster";
export const rosteringPath = "/rostering/v1p2";
export const gradebookPath = "/gradebook/v1p2";

const scopePrefix = "https://purl.imsglobal.org/spec/or/v1p2/scope/";

export const rosterScopes = ["roster-core.readonly", "roster.readonly"] as const;
export const gradebookScopes = ["gradebook-core.readonly", "gradebook.readonly"] as const;

export type OneRosterScope = (typeof rosterScopes | typeof gradebookScopes)[number];

export const toScopeUri = (scope: OneRosterScope): string => scopePrefix + scope;

const minorCodes = {
  invalid_filter_field: "The filter is malformed, or names a field that cannot be filtered",
  invalid_selection_field: "`fields` names an unknown field",
  invalid_sort_field: "`sort` names a field that cannot be sorted",
  unknownobject: "There is no such resource",
  forbidden: "The access token has none of the operation's scopes",
} as const;

export type OneRosterMinorCode = keyof typeof minorCodes;

const errorCodeOf = (minor: OneRosterMinorCode): string => `imsx_${minor}`;

/** With their descriptions. */
export const oneRosterErrorCodeDescriptions: readonly (readonly [code: string, words: string])[] =
  Object.entries(minorCodes).map(([minor, words]) => [errorCodeOf(minor as OneRosterMinorCode), words]);

export class OneRosterError extends HttpError {
  override name = "OneRosterError";
  readonly minor: OneRosterMinorCode;

  constructor(status: ErrorStatus, minor: OneRosterMinorCode, detail: string = minorCodes[minor]) {
    super(status, errorCodeOf(minor), detail);
    this.minor = minor;
  }
}

export const unknownObjectError = (): OneRosterError => new OneRosterError(404, "unknownobject");
