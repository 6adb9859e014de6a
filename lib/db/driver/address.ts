import type { Config } from "../../config.ts";

/** Where what takes a connection of its own finds the database. */
export const addressForSessions = (config: Pick<Config, "DATABASE_URL" | "DIRECT_DATABASE_URL">): string =>
  config.DIRECT_DATABASE_URL ?? config.DATABASE_URL;

/** The same database past Neon's pooler. */
export function directUrl(url: string): string {
  const direct = new URL(postgresUrl(url));
  if (direct.hostname.endsWith(".neon.tech")) direct.hostname = direct.hostname.replace("-pooler.", ".");
  return direct.href;
}

/**
 * The address as the drivers read it: scheme `postgresql`, asyncpg's `ssl=` as `sslmode=`. `require` checks the
 * certificate too, as `pg` does today: spelled out, it keeps that meaning. `no-verify` is for a self-signed one.
 */
export function postgresUrl(text: string): string {
  const url = new URL(text.replace(/^(postgresql\+asyncpg|postgres):/, "postgresql:"));
  const mode = url.searchParams.get("sslmode") ?? url.searchParams.get("ssl");
  if (mode === null || url.searchParams.has("uselibpqcompat")) return url.href;
  url.searchParams.delete("ssl");
  url.searchParams.set("sslmode", ["require", "verify-ca", "true"].includes(mode) ? "verify-full" : mode);
  return url.href;
}

/** The WebSocket that leads to a database of Neon, or to what stands in for its proxy. */
export function tunnelOf(url: string, neonProxy: string | undefined): string | undefined {
  const { hostname } = new URL(url);
  if (neonProxy) return `ws://${neonProxy}/v2`;
  return hostname.endsWith(".neon.tech") ? `wss://${hostname}/v2` : undefined;
}
