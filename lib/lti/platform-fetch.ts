import { publicFetch } from "../auth/public-fetch.ts";
import type { Config } from "../config.ts";

/** Asks a platform something; redirects are not followed. */
export type PlatformFetch = (
  address: string,
  asked: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<Response>;

/** On a developer's machine a platform may be there too, and without https. */
export const localFetch: PlatformFetch = (address, asked) => fetch(address, { ...asked, redirect: "manual" });

/** How a deployment asks platforms: over https and the public internet alone, wherever an administrator points it. */
export const platformFetch = ({ ENVIRONMENT }: Pick<Config, "ENVIRONMENT">): PlatformFetch =>
  ENVIRONMENT === "development" ? localFetch : publicFetch;
