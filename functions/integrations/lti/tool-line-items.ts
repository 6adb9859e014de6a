import { endpoint } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { lineItemsScope } from "../../../lib/integrations/lti/service-scopes.ts";
import {
  createLineItem,
  deleteLineItem,
  LineItemInput,
  updateLineItem,
} from "../../../lib/integrations/lti-tools/line-item-writes.ts";
import type { LineItem } from "../../../lib/integrations/lti-tools/line-items.ts";
import { parseToolBody } from "../../../lib/integrations/lti-tools/parse-body.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { callingTool, mediaTypes, type ServiceCall, writeInTurn } from "./tool-services.ts";

/** Line items that tools create (AGS 2.0). */

const all = "/tools/offerings/{offering_id}/line-items";
const one = `${all}/{content_item_id}`;

const readBody = async ({ http }: ServiceCall) =>
  parseToolBody(LineItemInput, await http.req.json().catch(() => undefined));

const lineItemJson = ({ http }: ServiceCall, item: LineItem, status: 200 | 201) =>
  http.body(JSON.stringify(item), status, {
    "Content-Type": mediaTypes.lineItem,
    "Cache-Control": "no-store",
    ...(status === 201 && { Location: item.id }),
  });

export const createLtiToolLineItem = endpoint(
  {
    id: "createLtiToolLineItem",
    method: "post",
    path: all,
    summary: "Create a line item of a tool",
    ...anyone,
    shares: "database",
    params: pathIds("offering_id"),
    answer: { status: 201, schema: undefined, description: "The line item" },
    fails: [401, 403, 404, 409, 422],
  },
  async (call) => {
    const caller = await callingTool(call, lineItemsScope);
    const input = await readBody(call);
    const service = publicUrl(call.http, call.deps.config);
    const { offering_id } = call.params;
    const item = await writeInTurn(caller, () =>
      createLineItem(call.deps.db, caller, offering_id, input, service),
    );
    return lineItemJson(call, item, 201);
  },
);

export const updateLtiToolLineItem = endpoint(
  {
    id: "updateLtiToolLineItem",
    method: "put",
    path: one,
    summary: "Update a line item of a tool",
    ...anyone,
    shares: "database",
    params: pathIds("offering_id", "content_item_id"),
    answer: { status: 200, schema: undefined, description: "The line item" },
    fails: [401, 403, 404, 422],
  },
  async (call) => {
    const caller = await callingTool(call, lineItemsScope);
    const input = await readBody(call);
    const service = publicUrl(call.http, call.deps.config);
    const item = await writeInTurn(caller, () =>
      updateLineItem(call.deps, caller, call.params, input, service),
    );
    return lineItemJson(call, item, 200);
  },
);

export const deleteLtiToolLineItem = endpoint(
  {
    id: "deleteLtiToolLineItem",
    method: "delete",
    path: one,
    summary: "Delete a line item of a tool",
    ...anyone,
    shares: "database",
    params: pathIds("offering_id", "content_item_id"),
    answer: { status: 204, schema: undefined, description: "Removed from the gradebook" },
    fails: [401, 403, 404],
  },
  async (call) => {
    const caller = await callingTool(call, lineItemsScope);
    await writeInTurn(caller, () => deleteLineItem(call.deps.db, caller, call.params));
    return undefined;
  },
);
