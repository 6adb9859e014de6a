import type { ErrorStatus } from "../../errors.ts";
import { HttpError } from "../../errors.ts";

/* Lists, entity tags and errors of SCIM (RFC 7644). */

export const scimPath = "/scim/v2";

export const messageSchemaPrefix = "urn:ietf:params:scim:api:messages:2.0";
export const scimPatchSchemaUrn = `${messageSchemaPrefix}:PatchOp`;

/** RFC 7644, 3.12. */
const scimTypes = [
  "invalidFilter",
  "tooMany",
  "uniqueness",
  "mutability",
  "invalidSyntax",
  "invalidPath",
  "noTarget",
  "invalidValue",
] as const;

export type ScimType = (typeof scimTypes)[number];

/** `invalidFilter` has the code `scim_invalid_filter`; errors without a type have `scim_refused`. */
const codeOf = (scimType: ScimType | "refused" = "refused"): string =>
  `scim_${scimType.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** With their descriptions. */
export const scimErrorCodeDescriptions: readonly (readonly [code: string, words: string])[] = [
  [codeOf(), "A named resource does not exist, or has changed since it was read"],
  ...scimTypes.map((scimType) => [codeOf(scimType), `The error ${scimType} of RFC 7644`] as const),
];

export class ScimError extends HttpError {
  override name = "ScimError";
  readonly scimType: ScimType | undefined;

  constructor(status: ErrorStatus, detail: string, scimType?: ScimType) {
    super(status, codeOf(scimType), detail);
    this.scimType = scimType;
  }
}

export const scimInvalidValueError = (detail: string) => new ScimError(400, detail, "invalidValue");

export const scimNotFoundError = (resource: "User" | "Group", id: string) =>
  new ScimError(404, `${resource} ${id.slice(0, 64)} not found`);

export const versionConflictError = () => new ScimError(412, "This has changed since it was read");

/** 412 on a version conflict, else 404. */
export const scimWriteError = (outcome: string | undefined, resource: "User" | "Group", id: string) =>
  outcome === "stale" ? versionConflictError() : scimNotFoundError(resource, id);

/** Weak, because responses may be compressed. */
export const formatWeakEtag = (version: number): string => `W/"${version}"`;

type Part = { total: number; startIndex: number; items: readonly object[] };

export const listResponse = ({ total, startIndex, items }: Part) => ({
  schemas: [`${messageSchemaPrefix}:ListResponse`],
  totalResults: total,
  startIndex,
  itemsPerPage: items.length,
  Resources: items,
});

/** Undefined if it is not one of our ids. */
export const parseScimId = (text: unknown): number | undefined =>
  typeof text === "string" && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647
    ? Number(text)
    : undefined;
