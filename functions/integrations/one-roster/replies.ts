import { BufferedResponse } from "../../../lib/http/buffered-response.ts";
import type { HandlerInput } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import type { ActingApiKey } from "../../../lib/identity/auth/acting-key.ts";
import type { ServiceUrlsAndUniversity } from "../../../lib/integrations/one-roster/collection.ts";
import {
  gradebookPath,
  OneRosterError,
  oneRosterPath,
  rosteringPath,
} from "../../../lib/integrations/one-roster/protocol.ts";
import {
  type FilteredCollection,
  listResources,
  type ResourcePage,
} from "../../../lib/integrations/one-roster/read-resources.ts";
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

/** A page of `selection`. */
export const listResponse = async (
  call: OneRosterCall & { deps: { db: ReadDb }; query: OneRosterQuery },
  selection: FilteredCollection,
): Promise<BufferedResponse> =>
  pageResponse(call, await listResources(call.deps.db, selection, call.query, serviceOf(call)), call.query);

/** With the total and links to other pages (RFC 8288). */
function pageResponse(
  { http, deps }: Pick<OneRosterCall, "http" | "deps">,
  { many, items, total }: ResourcePage,
  { limit, offset }: OneRosterQuery,
): BufferedResponse {
  const own = new URL(http.req.url);
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  const links = [
    ["first", 0],
    ["prev", offset > 0 ? Math.max(0, offset - limit) : undefined],
    ["next", offset + limit < total ? offset + limit : undefined],
    ["last", last],
  ] as const;
  const linkTo = (at: number): string => {
    own.searchParams.set("limit", String(limit));
    own.searchParams.set("offset", String(at));
    return publicUrl(http, deps.config) + own.pathname + own.search;
  };
  return new BufferedResponse(JSON.stringify({ [many]: items }), 200, {
    ...noStore,
    "X-Total-Count": String(total),
    Link: links.flatMap(([rel, at]) => (at === undefined ? [] : `<${linkTo(at)}>; rel="${rel}"`)).join(", "),
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
