import type { Config } from "../../config.ts";
import { publicFetch } from "../../identity/auth/public-fetch.ts";

/** Does not follow redirects. */
export type PlatformFetch = (
  address: string,
  asked: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<Response>;

/** In development a platform may be local and without https. */
export const developmentPlatformFetch: PlatformFetch = (address, asked) =>
  fetch(address, { ...asked, redirect: "manual" });

/** Deployments reach only https on the public internet, even if another address is configured. */
export const choosePlatformFetch = ({ ENVIRONMENT }: Pick<Config, "ENVIRONMENT">): PlatformFetch =>
  ENVIRONMENT === "development" ? developmentPlatformFetch : publicFetch;
