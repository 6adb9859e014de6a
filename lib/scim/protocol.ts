import type { ErrorStatus } from "../errors.ts";
import { HttpError } from "../errors.ts";

/*
 * How SCIM spells what the service says in its own words elsewhere (RFC 7644): lists, entity tags and refusals.
 */

/** Where a directory finds the service, below its address. */
export const scimPath = "/scim/v2";

export const messages = "urn:ietf:params:scim:api:messages:2.0";
export const patchSchema = `${messages}:PatchOp`;

/** The kinds of a refusal that a directory tells apart (RFC 7644, 3.12). */
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

/** `invalidFilter` is `scim_invalid_filter`; what has no kind is `scim_refused`. */
const codeOf = (scimType: ScimType | "refused" = "refused"): string =>
  `scim_${scimType.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** Every code of a refusal here, with what it stands for. */
export const scimCodes: readonly (readonly [code: string, words: string])[] = [
  [codeOf(), "What a directory names is not there, or has changed since it was read"],
  ...scimTypes.map((scimType) => [codeOf(scimType), `What RFC 7644 calls ${scimType}`] as const),
];

/** A refusal with its kind. */
export class ScimError extends HttpError {
  override name = "ScimError";
  readonly scimType: ScimType | undefined;

  constructor(status: ErrorStatus, detail: string, scimType?: ScimType) {
    super(status, codeOf(scimType), detail);
    this.scimType = scimType;
  }
}

export const invalidValue = (detail: string) => new ScimError(400, detail, "invalidValue");

export const noSuch = (resource: "User" | "Group", id: string) =>
  new ScimError(404, `${resource} ${id.slice(0, 64)} not found`);

export const stale = () => new ScimError(412, "This has changed since it was read");

/** The refusal of what was not written: 412 where it has another version than was expected, else 404. */
export const notWritten = (outcome: string | undefined, resource: "User" | "Group", id: string) =>
  outcome === "stale" ? stale() : noSuch(resource, id);

/** Of what may be compressed on its way, hence weak. */
export const tagOf = (version: number): string => `W/"${version}"`;

type Part = { total: number; startIndex: number; items: readonly object[] };

export const listResponse = ({ total, startIndex, items }: Part) => ({
  schemas: [`${messages}:ListResponse`],
  totalResults: total,
  startIndex,
  itemsPerPage: items.length,
  Resources: items,
});

/** The id of a path or a member; undefined for what is none of the service's. */
export const idIn = (text: unknown): number | undefined =>
  typeof text === "string" && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647
    ? Number(text)
    : undefined;
