type Environment = Readonly<Record<string, string | undefined>>;

/** True if no LLM is configured, so the practice tutor is used. */
export const needsPracticeTutor = (environment: Environment): boolean =>
  !environment["LLM_PROVIDER"]?.trim() && !environment["DIRECT_API_KEY"]?.trim();

/** Defaults for a run without all settings; the environment overrides them. */
export function completeSettings(
  environment: Environment,
  databaseUrl: string,
  tutorUrl: string,
): Environment {
  const tutor = {
    DIRECT_API_KEY: "practice",
    DIRECT_API_MODEL: "practice-tutor",
    DIRECT_API_BASE_URL: tutorUrl,
    // The practice tutor is free; the prices only show how costs appear.
    LLM_PRICES:
      environment["LLM_PRICES"]?.trim() || JSON.stringify({ "practice-tutor": { input: 3, output: 15 } }),
  };
  const defaults = {
    ENVIRONMENT: "development",
    LOG_FORMAT: "text",
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: "10",
    LLM_PROVIDER: "direct_api",
  };
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  return { ...defaults, ...Object.fromEntries(given), ...(needsPracticeTutor(environment) && tutor) };
}
