import type { Config } from "../../config.ts";

/** Servers do not receive a token in the fragment. Default: a screen of the web application. */
export const createFrontendLinkBuilder =
  ({ FRONTEND_URL, PUBLIC_URL, PORT }: Pick<Config, "FRONTEND_URL" | "PUBLIC_URL" | "PORT">) =>
  (page: string, token: string): string =>
    FRONTEND_URL
      ? `${FRONTEND_URL}${page}#token=${token}`
      : `${PUBLIC_URL ?? `http://localhost:${PORT}`}/app#${page}?token=${token}`;
