import type { Context } from "hono";
import type { Config } from "../config.ts";

/** What an event of AWS says of where its request was sent. */
type Event = { resource?: string; requestContext?: { stage?: string; http?: object } };

/**
 * What stands before the service's own paths, such as `/lms`; mostly nothing. It is the path of PUBLIC_URL, the base
 * path of a custom domain on API Gateway, or the stage of an HTTP API, which has it in its paths. What begins as the
 * API's own paths do is one of them: a proxy may have taken a public `/api` away already.
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

/** A REST API and a function's own URL keep their stage out of the path that they pass on. */
const stageOf = ({ requestContext: { stage, http } = {} }: Event = {}): string | undefined =>
  http && stage && stage !== "$default" ? `/${stage}` : undefined;

/** A custom domain's requests come with its base path, to a resource that is named without. */
function beforeResource(pathname: string, { resource }: Event = {}): string | undefined {
  const literal = resource?.replace(/\/?\{.*$/s, "");
  return literal ? pathname.slice(0, Math.max(0, pathname.indexOf(literal))) : undefined;
}
