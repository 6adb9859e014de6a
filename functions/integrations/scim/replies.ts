import { BufferedResponse } from "../../../lib/http/buffered-response.ts";
import {
  annotateRefusedDirectoryRequest,
  annotateSuccessfulDirectoryRequest,
} from "../../../lib/integrations/scim/directory-request-log.ts";
import { formatWeakEtag, messageSchemaPrefix, ScimError } from "../../../lib/integrations/scim/protocol.ts";

const mediaType = "application/scim+json";

/** An error in SCIM's format. Invalid input is a 400, since SCIM has no 422. */
export async function scimErrorResponse(answer: Response, thrown?: unknown): Promise<Response> {
  const said = (await answer.json()) as { detail: unknown };
  const detail = typeof said.detail === "string" ? said.detail : wordsOf(said.detail);
  const status = answer.status === 422 ? 400 : answer.status;
  const isInvalid = answer.status === 422;
  const scimType = thrown instanceof ScimError ? thrown.scimType : isInvalid ? "invalidSyntax" : undefined;
  const body = {
    schemas: [`${messageSchemaPrefix}:Error`],
    status: String(status),
    ...(scimType && { scimType }),
    detail,
  };
  annotateRefusedDirectoryRequest(detail, scimType);
  const headers = new Headers(answer.headers);
  headers.set("content-type", mediaType);
  headers.delete("content-length");
  return new Response(JSON.stringify(body), { status, headers });
}

const wordsOf = (issues: unknown): string =>
  (issues as { loc: string[]; msg: string }[]).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");

type Extra = { status?: number; version?: number; location?: string };

/** A SCIM response. Resources have their version as ETag. */
export function logAndBuildScimResponse(
  body: object | null,
  { status = 200, version, location }: Extra = {},
) {
  annotateSuccessfulDirectoryRequest(location);
  return new BufferedResponse(body && JSON.stringify(body), status, {
    ...(body && { "Content-Type": mediaType }),
    ...(version !== undefined && { ETag: formatWeakEtag(version) }),
    ...(location !== undefined && { Location: location }),
  });
}

/** The versions in `If-Match`, or undefined for any. */
export function versionsInIfMatch(ifMatch: string | undefined): number[] | undefined {
  const header = ifMatch?.trim();
  if (header === undefined || header === "*") return undefined;
  return (header.slice(0, 512).match(/"\d{1,9}"/g) ?? []).map((tag) => Number(tag.slice(1, -1)));
}
