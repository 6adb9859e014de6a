import type { Context } from "hono";
import type { Config } from "../config.ts";

type Event = { resource?: string; requestContext?: { stage?: string; http?: object } };

/**
 * The path prefix, such as `/lms`; usually empty. From PUBLIC_URL, a custom domain's base path on API
 * Gateway, or an HTTP API's stage. Paths that start like the API's own have none: a proxy may already have
 * removed a public `/api`.
 */
export function basePath(
  pathname: string,
  env: Context["env"],
  { API_V1_PREFIX, PUBLIC_URL }: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">,
): string {
  if (pathname.startsWith(`${API_V1_PREFIX}/`)) return "";
  const event: Event | undefined = env?.event;
  const possible = [
    PUBLIC_URL && new URL(PUBLIC_URL).pathname,
    stageOf(event),
    beforeResource(pathname, event),
  ];
  return (
    possible
      .map((base) => base?.replace(/\/$/, ""))
      .find((base) => base && `${pathname}/`.startsWith(`${base}/`)) ?? ""
  );
}

/** REST APIs and function URLs do not include the stage in the path. */
const stageOf = ({ requestContext: { stage, http } = {} }: Event = {}): string | undefined =>
  http && stage && stage !== "$default" ? `/${stage}` : undefined;

/** Custom domains include their base path in the path, not the resource. */
function beforeResource(pathname: string, { resource }: Event = {}): string | undefined {
  const literal = resource?.replace(/\/?\{.*$/s, "");
  return literal ? pathname.slice(0, Math.max(0, pathname.indexOf(literal))) : undefined;
}
