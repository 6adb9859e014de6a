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

/**
 * JSON Web Tokens, bcrypt hashes, keys of AWS and of LLM providers, and passwords in addresses. Only a text with
 * the mark is matched, since every line of the log passes here.
 */
const secretShapes: readonly { mark: string; shape: RegExp }[] = [
  // Anchored at the word's start; otherwise matching would take quadratic time.
  { mark: "eyJ", shape: /(?<![\w-])(?=[\w-]*eyJ)[\w-]+\.[\w-]+\.[\w-]*/g },
  { mark: "$2", shape: /\$2[aby]\$\d\d\$[./\w]{53}/g },
  { mark: "AKIA", shape: /\bAKIA[A-Z0-9]{16}\b/g },
  { mark: "ASIA", shape: /\bASIA[A-Z0-9]{16}\b/g },
  { mark: "sk-", shape: /\bsk-[\w-]{16,}/g },
  { mark: "://", shape: /(?<=:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g },
];

/** Shorter values are demo words, which may occur anywhere. */
const SHORTEST_SECRET = 12;

/** Redacts secret settings' values and anything shaped like a secret. */
export function createSecretRedactor(settings: Partial<SecretSettings>): (text: string) => string {
  const known = valuesOf(settings).filter((value) => value.length >= SHORTEST_SECRET);
  return (text) => {
    let shown = text;
    for (const value of known) shown = shown.replaceAll(value, "[hidden]");
    for (const { mark, shape } of secretShapes)
      if (shown.includes(mark)) shown = shown.replaceAll(shape, "[hidden]");
    return shown;
  };
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
