import type { Config } from "../../config.ts";

/**
 * The origin of SCORM packages, perhaps with `*` as its first label. In development it has the port of the
 * request. Undefined if packages cannot be launched.
 */
export function scormPackagesUrl(
  { PACKAGES_URL, ENVIRONMENT, onLambda }: Pick<Config, "PACKAGES_URL" | "ENVIRONMENT" | "onLambda">,
  requestUrl: string,
): string | undefined {
  if (PACKAGES_URL || ENVIRONMENT !== "development" || onLambda) return PACKAGES_URL;
  const { port } = new URL(requestUrl);
  return `http://*.localhost${port && `:${port}`}`;
}
