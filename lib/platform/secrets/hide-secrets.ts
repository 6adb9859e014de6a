import type { Config } from "../../config.ts";

export type SecretSettings = Pick<
  Config,
  | "SECRET_KEY"
  | "SECRET_KEY_PREVIOUS"
  | "METRICS_TOKEN"
  | "DATABASE_URL"
  | "DIRECT_DATABASE_URL"
  | "REPORT_DATABASE_URL"
  | "DIRECT_API_KEY"
  | "OPENAI_API_KEY"
  | "CLOUD_SECRET_ACCESS_KEY"
  | "CLOUD_SESSION_TOKEN"
  | "OBS_SECRET_KEY"
  | "OIDC_PROVIDERS"
  | "SMTP_URL"
>;

/** JSON Web Tokens, bcrypt hashes, keys of AWS and of LLM providers, and passwords in addresses. */
const secretShapes = [
  // Anchored at the word's start; otherwise matching would take quadratic time.
  /(?<![\w-])(?=[\w-]*eyJ)[\w-]+\.[\w-]+\.[\w-]*/,
  /\$2[aby]\$\d\d\$[./\w]{53}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bsk-[\w-]{16,}/,
  /(?<=:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/,
];

/** Shorter values are demo words, which may occur anywhere. */
const SHORTEST_SECRET = 12;

/** Redacts secret settings' values and anything shaped like a secret. */
export function createSecretRedactor(settings: Partial<SecretSettings>): (text: string) => string {
  const known = valuesOf(settings)
    .filter((value) => value.length >= SHORTEST_SECRET)
    .map(escapeForPattern);
  const secrets = new RegExp([...known, ...secretShapes.map(({ source }) => source)].join("|"), "g");
  return (text) => text.replaceAll(secrets, "[hidden]");
}

function valuesOf(settings: Partial<SecretSettings>): string[] {
  const { DATABASE_URL, DIRECT_DATABASE_URL, REPORT_DATABASE_URL, SMTP_URL, OIDC_PROVIDERS, ...values } =
    settings;
  const passwords = [DATABASE_URL, DIRECT_DATABASE_URL, REPORT_DATABASE_URL, SMTP_URL].map(
    (url) => url && decodeURIComponent(new URL(url).password),
  );
  const ofProviders = OIDC_PROVIDERS?.map(({ client_secret }) => client_secret) ?? [];
  const single = [
    values.SECRET_KEY,
    values.SECRET_KEY_PREVIOUS,
    values.METRICS_TOKEN,
    values.DIRECT_API_KEY,
    values.OPENAI_API_KEY,
    values.CLOUD_SECRET_ACCESS_KEY,
    values.CLOUD_SESSION_TOKEN,
    values.OBS_SECRET_KEY,
    ...passwords,
  ];
  return [...single, ...ofProviders].filter((value) => value !== undefined);
}

const escapeForPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
