import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/**
 * Tells @hono/node-server to write nothing. If a server was created before that module was loaded, its response is a
 * cached one, which would be written all the same until a property such as `type` was read.
 */
export function alreadySent(): Response {
  void RESPONSE_ALREADY_SENT.type;
  return RESPONSE_ALREADY_SENT;
}
