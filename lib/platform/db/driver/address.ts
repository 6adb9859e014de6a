import type { Config } from "../../../config.ts";

/** For connections that keep a session. */
export const sessionDatabaseUrl = (config: Pick<Config, "DATABASE_URL" | "DIRECT_DATABASE_URL">): string =>
  config.DIRECT_DATABASE_URL ?? config.DATABASE_URL;

export function unpooledDatabaseUrl(url: string): string {
  const direct = new URL(normalizePostgresUrl(url));
  if (direct.hostname.endsWith(".neon.tech")) direct.hostname = direct.hostname.replace("-pooler.", ".");
  return direct.href;
}

/**
 * Scheme `postgresql`, asyncpg's `ssl=` as `sslmode=`. `require` checks the certificate, as in `pg` today;
 * `no-verify` accepts self-signed ones.
 */
export function normalizePostgresUrl(text: string): string {
  const url = new URL(text.replace(/^(postgresql\+asyncpg|postgres):/, "postgresql:"));
  const mode = url.searchParams.get("sslmode") ?? url.searchParams.get("ssl");
  if (mode === null || url.searchParams.has("uselibpqcompat")) return url.href;
  url.searchParams.delete("ssl");
  url.searchParams.set("sslmode", ["require", "verify-ca", "true"].includes(mode) ? "verify-full" : mode);
  return url.href;
}

/** The WebSocket's address for Neon or a local stand-in; undefined for TCP. */
export function databaseWebSocketUrl(url: string, neonProxy: string | undefined): string | undefined {
  const { hostname } = new URL(url);
  if (neonProxy) return `ws://${neonProxy}/v2`;
  return hostname.endsWith(".neon.tech") ? `wss://${hostname}/v2` : undefined;
}
