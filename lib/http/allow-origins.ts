import type { Context } from "hono";
import { cors } from "hono/cors";
import type { Config } from "../config.ts";
import type { ReplyHeaders } from "./header-map.ts";

const exposed = "X-Request-ID,Server-Timing,Link,ETag,Retry-After,X-Error-Code,X-Error-Field";

type OtherOrigins = {
  answerPreflight(c: Context): Promise<Response>;
  allow(c: Context, headers: ReplyHeaders): void;
};

/** `*` allows all origins, but without credentials. `methods` are in uppercase. */
export function corsPolicy(
  { BACKEND_CORS_ORIGINS: listed, ENVIRONMENT }: Pick<Config, "BACKEND_CORS_ORIGINS" | "ENVIRONMENT">,
  methods: readonly string[],
): OtherOrigins {
  const allowsAll = listed.includes("*");
  const isAllowed = (origin: string) =>
    listed.includes(origin) || (ENVIRONMENT === "development" && isDevelopedHere(origin));
  const allowed = (origin: string) => (allowsAll ? "*" : isAllowed(origin) ? origin : null);
  const preflight = cors({
    origin: allowsAll ? "*" : allowed,
    allowMethods: [...methods],
    allowHeaders: ["Authorization", "Content-Type", "Accept", "If-Match", "If-None-Match", "X-Request-ID"],
    exposeHeaders: [exposed],
    maxAge: 600,
  });
  return {
    async answerPreflight(c) {
      const answer = (await preflight(c, async () => {})) ?? c.res;
      if (!allowsAll && answer.headers.has("Access-Control-Allow-Origin"))
        answer.headers.set("Access-Control-Allow-Credentials", "true");
      return answer;
    },
    allow(c, headers) {
      const origin = allowed(c.req.header("origin") ?? "");
      if (origin) {
        headers.set("Access-Control-Allow-Origin", origin);
        headers.set("Access-Control-Expose-Headers", exposed);
      }
      if (allowsAll) return;
      if (origin) headers.set("Access-Control-Allow-Credentials", "true");
      headers.append("Vary", "Origin");
    },
  };
}

/** In development also any port of the local machine, for frontend servers. */
const isDevelopedHere = (origin: string): boolean =>
  /^https?:\/\/((?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
