import { BufferedResponse } from "../../../lib/http/buffered-response.ts";
import type { HandlerInput } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import type { ActingApiKey } from "../../../lib/identity/auth/acting-key.ts";
import type { ServiceUrlsAndUniversity } from "../../../lib/integrations/one-roster/collection.ts";
import type { GradebookList } from "../../../lib/integrations/one-roster/gradebook.ts";
import { listAcrossClasses } from "../../../lib/integrations/one-roster/list-across-classes.ts";
import {
  gradebookPath,
  OneRosterError,
  oneRosterPath,
  rosteringPath,
} from "../../../lib/integrations/one-roster/protocol.ts";
import { listResources, type ResourcePage } from "../../../lib/integrations/one-roster/read-resources.ts";
import type { ReadDb } from "../../../lib/platform/db/client.ts";
import type { OneRosterQuery } from "../../../schema/api/integrations/one-roster.ts";

export type OneRosterCall = Pick<HandlerInput, "http"> & {
  deps: Pick<HandlerInput["deps"], "config">;
  actor: { key: ActingApiKey };
};

const noStore = { "Content-Type": "application/json", "Cache-Control": "no-store" };

export function serviceOf({ http, deps, actor }: OneRosterCall): ServiceUrlsAndUniversity {
  const base = publicUrl(http, deps.config) + oneRosterPath;
  return {
    rostering: base + rosteringPath,
    gradebook: base + gradebookPath,
    university: actor.key.university_id,
  };
}

export const resourceResponse = (resource: object): BufferedResponse =>
  new BufferedResponse(JSON.stringify(resource), 200, noStore);

/** A page of `list`. */
export async function listResponse(
  call: OneRosterCall & { deps: { db: ReadDb }; query: OneRosterQuery },
  list: GradebookList,
): Promise<BufferedResponse> {
  const { deps, query } = call;
  const page =
    "across" in list
      ? await listAcrossClasses(deps.db, list.across, query, serviceOf(call))
      : await listResources(deps.db, list, query, serviceOf(call));
  return pageResponse(call, page, query);
}

/** With links to other pages (RFC 8288), and with the total if it is known. */
function pageResponse(
  { http, deps }: Pick<OneRosterCall, "http" | "deps">,
  { many, items, total, last }: ResourcePage,
  { limit, offset }: OneRosterQuery,
): BufferedResponse {
  const linkTo = (rel: string, position: { offset: number } | { after: string }): string => {
    const { pathname, searchParams } = new URL(http.req.url);
    for (const name of ["offset", "after"]) searchParams.delete(name);
    for (const [name, value] of Object.entries({ limit, ...position })) searchParams.set(name, String(value));
    return `<${publicUrl(http, deps.config)}${pathname}?${searchParams}>; rel="${rel}"`;
  };
  const links = [linkTo("first", { offset: 0 })];
  if (last !== undefined) links.push(linkTo("next", { after: last }));
  if (total !== undefined) {
    if (offset > 0) links.push(linkTo("prev", { offset: Math.max(0, offset - limit) }));
    if (offset + limit < total) links.push(linkTo("next", { offset: offset + limit }));
    links.push(linkTo("last", { offset: Math.max(0, Math.ceil(total / limit) - 1) * limit }));
  }
  return new BufferedResponse(JSON.stringify({ [many]: items }), 200, {
    ...noStore,
    ...(total !== undefined && { "X-Total-Count": String(total) }),
    Link: links.join(", "),
  });
}

const minorByStatus = new Map([
  [401, "unauthorisedrequest"],
  [403, "forbidden"],
  [404, "unknownobject"],
  [429, "server_busy"],
  [503, "server_busy"],
  [500, "internal_server_error"],
]);

/** An error as imsx_StatusInfo. Invalid input is a 400. */
export async function statusInfoResponse(answer: Response, thrown?: unknown): Promise<Response> {
  const { detail } = (await answer.json()) as { detail: string | { loc: string[]; msg: string }[] };
  const minor =
    thrown instanceof OneRosterError ? thrown.minor : (minorByStatus.get(answer.status) ?? "invaliddata");
  const body = {
    imsx_codeMajor: answer.status === 405 ? "unsupported" : "failure",
    imsx_severity: "error",
    imsx_description:
      typeof detail === "string"
        ? detail
        : detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "),
    imsx_CodeMinor: {
      imsx_codeMinorField: [{ imsx_codeMinorFieldName: "TargetEndSystem", imsx_codeMinorFieldValue: minor }],
    },
  };
  const headers = new Headers(answer.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  return new Response(JSON.stringify(body), { status: answer.status === 422 ? 400 : answer.status, headers });
}
