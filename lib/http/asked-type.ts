import type { Context } from "hono";

/**
 * The media type that an answer goes out as: its own, or the general one for whoever accepts that and does not name its own,
 * as programs do that know bytes and texts alone.
 */
export function askedType<const Own extends string, const General extends string>(
  http: Context,
  own: Own,
  general: General,
): Own | General {
  const accepted = http.req.header("accept")?.toLowerCase() ?? "";
  return accepted.includes(general) && !accepted.includes(own) ? general : own;
}
