import type { Config } from "../config.ts";

/**
 * A page of the frontend with a token, after the #, so that it reaches no server and none of their logs. Without a
 * frontend of its own it is a screen of the web application.
 */
export const linkTo =
  ({ FRONTEND_URL, PUBLIC_URL, PORT }: Pick<Config, "FRONTEND_URL" | "PUBLIC_URL" | "PORT">) =>
  (page: string, token: string): string =>
    FRONTEND_URL
      ? `${FRONTEND_URL}${page}#token=${token}`
      : `${PUBLIC_URL ?? `http://localhost:${PORT}`}/app#${page}?token=${token}`;
