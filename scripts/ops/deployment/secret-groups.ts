/** Secret settings that only some functions receive. Every function receives all others of the stage's secret. */
export const secretGroups: Readonly<
  Record<string, { functions: readonly string[]; settings: readonly string[] }>
> = {
  llm: {
    functions: ["admin", "chat", "trials", "warming"],
    settings: [
      "DIRECT_API_KEY",
      "OPENAI_API_KEY",
      "CLOUD_SECRET_ACCESS_KEY",
      "CLOUD_SESSION_TOKEN",
      "OBS_SECRET_KEY",
    ],
  },
  "sign-in": { functions: ["auth"], settings: ["OIDC_PROVIDERS"] },
  mail: { functions: ["mail"], settings: ["SMTP_URL"] },
  metrics: { functions: ["metrics"], settings: ["METRICS_TOKEN"] },
};

const otherFunctions = "others";

/** The database owner's address, for migrations. */
const ofDeployments = ["DIRECT_DATABASE_URL"];

export const secretGroupOf = (functionName: string): string =>
  Object.entries(secretGroups).find(([, { functions }]) => functions.includes(functionName))?.[0] ??
  otherFunctions;

/** The settings of each group as JSON, from those of the stage. */
export function settingsByGroup(text: string): Record<string, string> {
  const settings: Record<string, unknown> = JSON.parse(text);
  const restricted = [...ofDeployments, ...Object.values(secretGroups).flatMap(({ settings: some }) => some)];
  return Object.fromEntries(
    [...Object.keys(secretGroups), otherFunctions].map((group) => {
      const own = secretGroups[group]?.settings ?? [];
      const isReceived = ([name]: [string, unknown]) => !restricted.includes(name) || own.includes(name);
      return [group, JSON.stringify(Object.fromEntries(Object.entries(settings).filter(isReceived)))];
    }),
  );
}
