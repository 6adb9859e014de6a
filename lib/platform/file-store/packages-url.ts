import type { Config } from "../../config.ts";

/** The origin of SCORM packages, perhaps with `*` as its first label. Undefined if packages cannot be launched. */
export const packagesUrl = ({
  PACKAGES_URL,
  ENVIRONMENT,
  PORT,
  onLambda,
}: Pick<Config, "PACKAGES_URL" | "ENVIRONMENT" | "PORT" | "onLambda">): string | undefined =>
  PACKAGES_URL ?? (ENVIRONMENT === "development" && !onLambda ? `http://*.localhost:${PORT}` : undefined);
