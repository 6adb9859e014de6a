import type { Context } from "hono";

/** The response's own media type, or the generic one for clients that accept only that. */
export function negotiateContentType<const Own extends string, const General extends string>(
  http: Context,
  own: Own,
  general: General,
): Own | General {
  const accepted = http.req.header("accept")?.toLowerCase() ?? "";
  return accepted.includes(general) && !accepted.includes(own) ? general : own;
}
