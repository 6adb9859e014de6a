import { forbidden, unauthorized } from "../../../lib/errors.ts";
import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import {
  lineItemsScope,
  readLineItemsScope,
  readResultsScope,
  rosterScope,
  scoreScope,
  type ToolScope,
} from "../../../lib/integrations/lti/service-scopes.ts";
import {
  findCallingTool,
  grantToolAccess,
  TokenRefusal,
  type ToolCaller,
} from "../../../lib/integrations/lti-tools/access-tokens.ts";
import { getLineItem, listLineItems } from "../../../lib/integrations/lti-tools/line-items.ts";
import { listMemberships } from "../../../lib/integrations/lti-tools/memberships.ts";
import { parseToolBody } from "../../../lib/integrations/lti-tools/parse-body.ts";
import { listResults, Score, storeToolScore } from "../../../lib/integrations/lti-tools/scores.ts";
import { fairLimits } from "../../../lib/platform/async/fair-limits.ts";
import { noteOnRequest } from "../../../lib/platform/async/request-context.ts";
import {
  LineItemQuery,
  MembershipQuery,
  ResultQuery,
} from "../../../schema/api/integrations/lti-services.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

/** Services for tools: OAuth 2.0 (RFC 7523), Assignment and Grade Services 2.0, and Names and Roles 2.0. */

const ofOffering = "/tools/offerings/{offering_id}";
const params = pathIds("offering_id");
const itemParams = pathIds("offering_id", "content_item_id");

export const grantLtiToolAccess = endpoint(
  {
    id: "grantLtiToolAccess",
    method: "post",
    path: "/tools/token",
    summary: "Grant a tool an access token",
    ...anyone,
    shares: "outbound",
    answer: { status: 200, schema: undefined, description: "An access token" },
    fails: [400, 401],
  },
  async (call) => {
    const service = publicUrl(call.http, call.deps.config);
    try {
      const granted = await grantToolAccess(call.deps, await parseFormBody(call), service);
      return call.http.json(granted, 200, { "Cache-Control": "no-store" });
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      const body = { error: error.error, error_description: error.message };
      return call.http.json(body, error.status, { "Cache-Control": "no-store" });
    }
  },
);

export type ServiceCall = Pick<HandlerInput, "http"> & { deps: Pick<HandlerInput["deps"], "config" | "now"> };

/** Throws 401 without a valid token, and 403 without one of the scopes. */
export async function callingTool({ http, deps }: ServiceCall, ...scopes: ToolScope[]): Promise<ToolCaller> {
  const caller = await findCallingTool(deps, http.req.header("authorization"), scopes);
  if (caller === 401) throw unauthorized();
  if (caller === 403) throw forbidden();
  return caller;
}

/** Writes take turns, fairly by network and tool: a flood of scores delays only its tool. */
export function writeInTurn<Result>({ tool_id }: ToolCaller, work: () => Promise<Result>): Promise<Result> {
  noteOnRequest({ account: `tool-${tool_id}` });
  return fairLimits.database.run(work);
}

export const mediaTypes = {
  lineItem: "application/vnd.ims.lis.v2.lineitem+json",
  lineItems: "application/vnd.ims.lis.v2.lineitemcontainer+json",
  results: "application/vnd.ims.lis.v2.resultcontainer+json",
  memberships: "application/vnd.ims.lti-nrps.v2.membershipcontainer+json",
} as const;

type Links = Partial<Record<"next" | "differences", Record<string, string | number | undefined>>>;

/** Links are this request's address with other parameters; undefined removes one. */
function serviceJson(call: ServiceCall, type: keyof typeof mediaTypes, body: object, links: Links = {}) {
  const values = Object.entries(links).map(([rel, parameters]) => {
    const own = new URL(call.http.req.url);
    for (const [name, value] of Object.entries(parameters))
      if (value === undefined) own.searchParams.delete(name);
      else own.searchParams.set(name, String(value));
    return `<${publicUrl(call.http, call.deps.config)}${own.pathname}${own.search}>; rel="${rel}"`;
  });
  const headers = { "Content-Type": mediaTypes[type], "Cache-Control": "no-store" };
  return call.http.body(JSON.stringify(body), 200, {
    ...headers,
    ...(values.length > 0 && { Link: values.join(", ") }),
  });
}

/** The next page after that one, if there is one. */
const nextAfter = (after: string | number | undefined): Links =>
  after === undefined ? {} : { next: { after } };

const answer = (description: string) =>
  ({ answer: { status: 200, schema: undefined, description } }) as const;

export const listLtiToolLineItems = endpoint(
  {
    id: "listLtiToolLineItems",
    method: "get",
    path: `${ofOffering}/line-items`,
    summary: "List a tool's line items",
    ...anyone,
    params,
    query: LineItemQuery,
    ...answer("Line items of AGS"),
    fails: [401, 403, 404],
  },
  async (call) => {
    const caller = await callingTool(call, readLineItemsScope, lineItemsScope);
    const service = publicUrl(call.http, call.deps.config);
    const { items, next } = await listLineItems(
      call.deps.db,
      caller,
      call.params.offering_id,
      call.query,
      service,
    );
    return serviceJson(call, "lineItems", items, nextAfter(next));
  },
);

export const getLtiToolLineItem = endpoint(
  {
    id: "getLtiToolLineItem",
    method: "get",
    path: `${ofOffering}/line-items/{content_item_id}`,
    summary: "Get a tool's line item",
    ...anyone,
    params: itemParams,
    ...answer("A line item of AGS"),
    fails: [401, 403, 404],
  },
  async (call) => {
    const caller = await callingTool(call, readLineItemsScope, lineItemsScope);
    const service = publicUrl(call.http, call.deps.config);
    return serviceJson(call, "lineItem", await getLineItem(call.deps.db, caller, call.params, service));
  },
);

export const storeLtiToolScore = endpoint(
  {
    id: "storeLtiToolScore",
    method: "post",
    path: `${ofOffering}/line-items/{content_item_id}/scores`,
    summary: "Store a tool's score",
    ...anyone,
    shares: "database",
    params: itemParams,
    answer: { status: 204, schema: undefined, description: "Stored, or not final" },
    fails: [400, 401, 403, 404, 409, 422],
  },
  async (call) => {
    const caller = await callingTool(call, scoreScope);
    const score = parseToolBody(Score, await call.http.req.json().catch(() => undefined));
    await writeInTurn(caller, () => storeToolScore(call.deps, caller, call.params, score));
    return undefined;
  },
);

export const listLtiToolResults = endpoint(
  {
    id: "listLtiToolResults",
    method: "get",
    path: `${ofOffering}/line-items/{content_item_id}/results`,
    summary: "List results of a tool's line item",
    ...anyone,
    params: itemParams,
    query: ResultQuery,
    ...answer("Results of AGS"),
    fails: [401, 403, 404],
  },
  async (call) => {
    const caller = await callingTool(call, readResultsScope);
    const service = publicUrl(call.http, call.deps.config);
    const { results, next } = await listResults(call.deps.db, caller, call.params, call.query, service);
    return serviceJson(call, "results", results, nextAfter(next));
  },
);

export const listLtiToolMemberships = endpoint(
  {
    id: "listLtiToolMemberships",
    method: "get",
    path: `${ofOffering}/memberships`,
    summary: "List members of an offering for a tool",
    ...anyone,
    params,
    query: MembershipQuery,
    ...answer("Members of NRPS"),
    fails: [400, 401, 403, 404],
  },
  async (call) => {
    const caller = await callingTool(call, rosterScope);
    const service = publicUrl(call.http, call.deps.config);
    const { offering_id } = call.params;
    const { container, links } = await listMemberships(call.deps, caller, offering_id, call.query, service);
    const { next, differences: since } = links;
    const later = since && { since, as_of: undefined, after: undefined };
    return serviceJson(call, "memberships", container, {
      ...(next && { next }),
      ...(later && { differences: later }),
    });
  },
);
