import { isIP } from "node:net";
import * as z from "zod";
import { roles } from "../schema/enums.ts";
import { productName } from "./platform/product.ts";
import { bedrockGeography } from "./platform/validation/bedrock-region.ts";
import { fileStoreSettingSchema } from "./platform/validation/file-store-setting.ts";
import { parseReasoningPairs } from "./platform/validation/reasoning-tags.ts";

/** Schemas are created only for given settings; creating all would take a tenth of a function's start. */
const setting = <S extends z.ZodType>(schema: () => S, absent: NoInfer<z.output<S>>) => ({ schema, absent });
const optional = <S extends z.ZodType>(schema: () => S) => ({ schema, absent: undefined });
const required = <S extends z.ZodType>(schema: () => S) => ({ schema });

const yesOrNo = () => z.stringbool({ error: "must be true or false" });
const on = setting(yesOrNo, true);
const off = setting(yesOrNo, false);

const text = (absent: string) => setting(() => z.string(), absent);
const optionalText = optional(() => z.string());

const wholeNumber = (minimum = 0, maximum = Number.MAX_SAFE_INTEGER) => {
  const notWhole = "must be a whole number";
  return z.coerce
    .number({ error: notWhole })
    .int(notWhole)
    .min(minimum, `must be at least ${minimum}`)
    .max(maximum, `must be at most ${maximum}`);
};
const whole = (absent: number, minimum?: number, maximum?: number) =>
  setting(() => wholeNumber(minimum, maximum), absent);

const probability = (absent: number) =>
  setting(
    () =>
      z.coerce.number({ error: "must be a number" }).min(0, "must be at least 0").max(1, "must be at most 1"),
    absent,
  );

const oneOf =
  <const T extends readonly [string, ...string[]]>(...values: T) =>
  () =>
    z.enum(values, { error: `must be one of ${values.join(", ")}` });

const httpUrl = () => z.url({ protocol: /^https?$/, error: "must be an http or https address" });
const reasoningTags = () =>
  z.string().transform((text, context) => {
    const pairs = parseReasoningPairs(text);
    if (pairs) return pairs;
    context.addIssue({
      code: "custom",
      message:
        "must be pairs of marks of at least 2 characters, such as <ponder> </ponder>, separated by commas",
    });
    return z.NEVER;
  });

const webAddress = () => httpUrl().transform((url) => url.replace(/(?<!\/)\/+$/, ""));
const optionalUrl = optional(httpUrl);

const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A duration in one unit, such as `-90s`, `36h`, `14d` or `2w`; in seconds. */
const span = () =>
  z
    .string()
    .regex(/^[+-]?\d{1,9}[smhdw]$/, "must be a number with a unit (s, m, h, d or w), such as 14d or -36h")
    .transform((text) => Number(text.slice(0, -1)) * secondsIn[text.slice(-1) as keyof typeof secondsIn])
    .refine((seconds) => Math.abs(seconds) <= 100 * 365 * secondsIn.d, "must be at most 100 years");

/** An origin; `*` as its first label stands for a host for each package. */
const packagesAddress = () =>
  z
    .string()
    .toLowerCase()
    .regex(
      /^https?:\/\/(\*\.)?[a-z0-9.-]+(:\d{1,5})?$/,
      "must be an origin such as https://packages.example.org or https://*.packages.example.org",
    );

/** A JSON array, or values separated by commas. */
const list = () =>
  z.string().transform((text, context): string[] => {
    if (!text.trimStart().startsWith("[")) return splitByComma(text);
    const parsed = z.array(z.string()).safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    context.addIssue("must be a JSON array of strings, or values separated by commas");
    return z.NEVER;
  });

/** As browsers send them: lower case, without a trailing slash. */
const origins = () =>
  list()
    .refine(
      (origins) => origins.every((origin) => origin === "*" || isOrigin(origin)),
      "must be origins such as https://learn.example.edu, without a path or a wildcard, or *",
    )
    .transform((origins) => origins.map((origin) => (origin === "*" ? origin : new URL(origin).origin)));

/** Addresses and networks of IPv4 and IPv6, such as 10.0.0.0/8: the start and the number of bits. */
const networks = () =>
  list().transform((given, context) =>
    given.flatMap((text) => {
      const [address = "", bits, ...more] = text.split("/");
      const longest = address.includes("%") ? -1 : ({ 4: 32, 6: 128 }[isIP(address)] ?? -1);
      const prefix = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
      if (more.length === 0 && prefix >= 0 && prefix <= longest) return [{ address, prefix }];
      context.addIssue("must be addresses and networks, such as 192.0.2.10, 10.0.0.0/8 or 2001:db8::/32");
      return [];
    }),
  );

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, href } = new URL(text);
  return /^https?:/.test(href) && href === `${origin}/` && !origin.includes("*");
}

/** Labels of prompts are lower case; other spellings would protect nothing. */
const labels = () =>
  list()
    .transform((labels) => labels.map((label) => label.toLowerCase()))
    .refine(
      (labels) => labels.every((label) => /^[a-z0-9_.-]{1,36}$/.test(label)),
      "must be labels of 1 to 36 letters, digits, _, - and .",
    )
    .refine(
      (labels) => !labels.includes("latest"),
      "must not contain latest, which always names the newest version",
    );

const databaseUrl = () =>
  z
    .string({ error: "is required: a PostgreSQL address, postgresql://user:password@host/database" })
    .transform((url) => url.replace(/^(postgresql\+asyncpg|postgres):/, "postgresql:"))
    .refine((url) => url.startsWith("postgresql:") && URL.canParse(url), "must be a postgresql:// address");

const databaseOf = (url = ""): string | undefined => (URL.canParse(url) ? new URL(url).pathname : undefined);

const identityProviders = () =>
  z
    .string()
    .transform(parseJson)
    .pipe(
      z.array(
        z.object({
          name: z.string().regex(/^[a-z0-9-]{1,64}$/, "lowercase letters, digits and hyphens, 64 at most"),
          label: z.string().min(1),
          issuer: httpUrl(),
          client_id: z.string().min(1),
          client_secret: z.string().min(1),
        }),
      ),
    )
    .refine(
      (providers) => new Set(providers.map(({ name }) => name)).size === providers.length,
      "must have a different name for each provider",
    );

const demonstrationAccounts = () =>
  z
    .string()
    .transform(parseJson)
    .pipe(
      z.array(
        z.object({
          email: z.string().min(1),
          password: z.string().min(1),
          full_name: z.string().min(1),
          role: z.enum(roles),
        }),
        { error: 'must be a JSON array of {"email", "password", "full_name", "role"}' },
      ),
    );

/** Per million tokens. */
const price = () => z.number({ error: "must be a number" }).min(0, "must be at least 0");

const currency = () =>
  z
    .string()
    .refine(
      (code) => Intl.supportedValuesOf("currency").includes(code),
      "must be a currency's code, such as USD",
    );

const prices = () =>
  z
    .string()
    .transform(parseJson)
    .pipe(
      z.record(
        z.string(),
        z.strictObject(
          {
            input: price(),
            output: price(),
            cache_read: price().optional(),
            cache_write: price().optional(),
            batch: z.number({ error: "must be a number" }).min(0).max(1, "must be at most 1").optional(),
          },
          { error: "must have input and output, and may have cache_read, cache_write and batch" },
        ),
        {
          error:
            'must be a JSON object of models, each with {"input", "output", "cache_read", "cache_write", "batch"}',
        },
      ),
    );

/** In the order of `.env.example`, which explains them. */
const settings = {
  APP_NAME: text(productName),
  APP_VERSION: text("1.0.0"),
  DEBUG: off,
  ENVIRONMENT: setting(oneOf("production", "development", "staging"), "production"),
  STAGE: optional(() => z.string().regex(/^[\w-]{1,64}$/, "must be letters, digits, - and _, 64 at most")),
  CLOCK_OFFSET: optional(span),
  API_V1_PREFIX: setting(
    () => z.string().regex(/^(\/[\w.-]+)+$/, "must be a path such as /api/v1"),
    "/api/v1",
  ),
  PUBLIC_URL: optional(webAddress),
  FRONTEND_URL: optional(webAddress),
  APP_ASSETS_URL: optional(webAddress),
  PACKAGES_URL: optional(packagesAddress),
  HOST: text("0.0.0.0"),
  PORT: whole(3000, 1, 65_535),
  TRUSTED_PROXIES: setting(networks, []),
  WORKERS: whole(0, 0, 1000),
  BODY_STALL_SECONDS: whole(30, 1, 300),
  SHUTDOWN_DELAY_SECONDS: whole(5),
  SHUTDOWN_TIMEOUT_SECONDS: whole(150),

  LOG_LEVEL: setting(oneOf("DEBUG", "INFO", "WARNING", "ERROR"), "INFO"),
  LOG_FORMAT: setting(oneOf("json", "text"), "json"),
  ENABLE_ACCESS_LOG: on,
  SLOW_QUERY_THRESHOLD_MS: whole(1000),
  LOG_FILE_ENABLED: on,
  LOG_DIR: text("logs"),
  LOG_FILE_MAX_BYTES: whole(10_485_760, 1024),
  LOG_FILE_BACKUP_COUNT: whole(25),

  ENABLE_METRICS: on,
  METRICS_TOKEN: optionalText,

  DATABASE_URL: required(databaseUrl),
  DIRECT_DATABASE_URL: optional(databaseUrl),
  REPORT_DATABASE_URL: optional(databaseUrl),
  DATABASE_ECHO: off,
  DATABASE_POOL_SIZE: whole(2, 1, 1000),
  DATABASE_PREPARED_STATEMENTS: on,
  DATABASE_LOCK_TIMEOUT_MS: whole(2000, 1, 30_000),

  SECRET_KEY: required(() => z.string({ error: "is required: 32 or more random characters" })),
  SECRET_KEY_PREVIOUS: optionalText,
  ALGORITHM: setting(oneOf("HS256", "HS384", "HS512"), "HS256"),
  ACCESS_TOKEN_EXPIRE_MINUTES: whole(30, 1),
  REFRESH_TOKEN_EXPIRE_DAYS: whole(7, 1),
  BCRYPT_COST: whole(12, 4, 20),
  COOKIE_DOMAIN: optionalText,
  BACKEND_CORS_ORIGINS: setting(origins, []),
  OIDC_PROVIDERS: setting(identityProviders, []),
  DEMONSTRATION_ACCOUNTS: setting(demonstrationAccounts, []),
  PASSWORD_SIGN_IN: on,
  PASSWORD_MIN_LENGTH: whole(1, 1, 72),
  PASSWORD_REJECT_COMMON: off,
  LOGIN_MAX_FAILURES: whole(0),
  LOGIN_FAILURE_WINDOW_MINUTES: whole(15, 1, 10_080),

  SMTP_URL: optional(() =>
    z.url({ protocol: /^smtps?$/, error: "must be smtp://user:password@host:port, or smtps://…" }),
  ),
  MAIL_FROM: text(`${productName} <no-reply@localhost>`),
  MAIL_FOLDER: text(".data/mail"),
  NOTIFICATION_MAX_AGE_DAYS: whole(90, 1),
  INVITATIONS_PER_HOUR: whole(100),
  UNIVERSITY_INVITATIONS_PER_HOUR: whole(1000),
  ACCOUNT_MAILS_PER_HOUR: whole(1000),

  AUDIT_MAX_AGE_DAYS: whole(0),

  FILE_STORE: optional(fileStoreSettingSchema),
  FILE_SCANNER: optional(() =>
    z
      .url({ protocol: /^clamd$/, error: "must be clamd://host:port" })
      .refine(hasPort, "must be clamd://host:port"),
  ),
  FILE_ASSET_MAX_MB: whole(2000, 1, 1_000_000),
  FILE_SUBMISSION_MAX_MB: whole(100, 1, 1_000_000),
  FILE_FEEDBACK_MAX_MB: whole(100, 1, 1_000_000),
  FILE_POST_MAX_MB: whole(20, 1, 1_000_000),
  FILE_AVATAR_MAX_MB: whole(5, 1, 1000),
  FILE_LOGO_MAX_MB: whole(1, 1, 1000),
  FILE_IMPORT_MAX_MB: whole(200, 1, 1_000_000),
  FILE_QUOTA_GB: whole(50, 1, 1_000_000),
  FILE_DAILY_GB: whole(5, 1, 1_000_000),
  FILE_DAILY_COUNT: whole(500, 1, 1_000_000),

  LLM_PROVIDER: required(oneOf("direct_api", "cloud_managed", "openai_compatible")),
  LLM_MAX_TOKENS: whole(4096, 1),
  LLM_FIRST_EVENT_TIMEOUT_SECONDS: whole(20, 1),
  LLM_EVENT_TIMEOUT_SECONDS: whole(30, 1),
  LLM_MODELS: optional(list),
  LLM_THINKING: setting(oneOf("off", "adaptive", "model"), "off"),
  LLM_THINKING_UNOPENED: off,
  LLM_REASONING_TAGS: setting(reasoningTags, []),
  LLM_QUESTION_TOOL: off,
  LLM_EFFORT: optional(oneOf("none", "low", "medium", "high", "xhigh", "max")),
  LLM_TEMPERATURE: optional(() =>
    z.coerce.number({ error: "must be a number" }).min(0, "must be at least 0").max(2, "must be at most 2"),
  ),
  LLM_PROMPT_CACHING: on,
  LLM_PRICES: setting(prices, {}),
  LLM_PRICES_CURRENCY: setting(currency, "USD"),
  LLM_BATCHES: optional(yesOrNo),
  DIRECT_API_KEY: optionalText,
  DIRECT_API_MODEL: optionalText,
  DIRECT_API_BASE_URL: optionalUrl,
  CLOUD_MODEL_ID: optionalText,
  CLOUD_REGION: text("eu-west-2"),
  CLOUD_ACCESS_KEY_ID: optionalText,
  CLOUD_SECRET_ACCESS_KEY: optionalText,
  CLOUD_SESSION_TOKEN: optionalText,
  CLOUD_ENDPOINT_URL: optionalUrl,
  CLOUD_BATCH_BUCKET: optional(() =>
    fileStoreSettingSchema().refine((one) => one.kind === "s3", "must be s3://bucket?region=eu-west-2"),
  ),
  CLOUD_BATCH_ROLE_ARN: optional(() =>
    z.string().regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/, "must be the ARN of an IAM role"),
  ),
  OPENAI_BASE_URL: optionalUrl,
  OPENAI_API_KEY: optionalText,
  OPENAI_MODEL: optionalText,
  OPENAI_LIMIT_FIELD: setting(oneOf("max_tokens", "max_completion_tokens"), "max_tokens"),
  EMBEDDINGS_MODEL: optional(() =>
    z
      .string()
      .regex(
        /^([a-z]{2,6}\.)?(amazon\.titan-embed-text-v2:0|cohere\.embed-v4:0)$/,
        "must be amazon.titan-embed-text-v2:0, cohere.embed-v4:0 or an inference profile of one, such as eu.cohere.embed-v4:0",
      ),
  ),
  EMBEDDINGS_TIMEOUT_MS: whole(400, 1, 60_000),
  CREDENTIAL_STORE: optional(oneOf("secrets_manager", "database")),

  TUTOR_MATERIAL_CHARACTERS: whole(100_000, 100),
  TUTOR_TURNS_PER_DAY: whole(200),
  TUTOR_TURNS_AT_ONCE: whole(4),
  TUTOR_TOKENS_PER_MONTH: optional(wholeNumber),
  TUTOR_TRIAL_TOKENS_PER_MONTH: whole(10_000_000),
  JUDGE_MODEL: optionalText,
  TUTOR_PROMPT_NAME: setting(() => z.string().trim(), "tutor"),
  PROTECTED_PROMPT_LABELS: setting(labels, ["production"]),
  KNOWLEDGE_TRACING_INITIAL: probability(0.4),
  KNOWLEDGE_TRACING_LEARN: probability(0.1),
  KNOWLEDGE_TRACING_GUESS: probability(0.25),
  KNOWLEDGE_TRACING_SLIP: probability(0.1),
  CACHE_MAX_AGE_DAYS: whole(400, 1),
  CACHE_MAX_NODES: whole(1_000_000, 1),

  OBS_PUBLIC_KEY: optionalText,
  OBS_SECRET_KEY: optionalText,
  OBS_HOST: optionalUrl,

  NEON_LOCAL_PROXY: optional(() => z.string().regex(/^[\w.-]+:\d+$/, "must be host:port")),
  AWS_LAMBDA_FUNCTION_NAME: optionalText,
};

/**
 * Rules between settings. They use the raw values, so their problems are reported together with other ones.
 */
function rulesBetween(given: Record<string, string | undefined>): string[] {
  const problems: string[] = [];
  const secret = given["SECRET_KEY"];
  if (secret && secret.length < 32 && given["ENVIRONMENT"] !== "development")
    problems.push("SECRET_KEY: must have 32 or more characters unless ENVIRONMENT is development");
  const previous = given["SECRET_KEY_PREVIOUS"];
  if (previous && previous.length < 32 && given["ENVIRONMENT"] !== "development")
    problems.push("SECRET_KEY_PREVIOUS: must have 32 or more characters unless ENVIRONMENT is development");
  if (previous && previous === secret) problems.push("SECRET_KEY_PREVIOUS: must differ from SECRET_KEY");
  if (given["CLOCK_OFFSET"] && !/^(development|staging)$/.test(given["ENVIRONMENT"] ?? ""))
    problems.push("CLOCK_OFFSET: must not be set unless ENVIRONMENT is development or staging");
  if (given["CLOCK_OFFSET"] && (given["NEON_LOCAL_PROXY"] || isAtNeon(given["DATABASE_URL"])))
    problems.push("CLOCK_OFFSET: is not supported with a Neon database, which has no connection settings");
  const [guess, slip] = [
    given["KNOWLEDGE_TRACING_GUESS"] || "0.25",
    given["KNOWLEDGE_TRACING_SLIP"] || "0.1",
  ];
  if (Number(guess) + Number(slip) >= 1)
    problems.push("KNOWLEDGE_TRACING_GUESS: must be less than 1 together with KNOWLEDGE_TRACING_SLIP");
  const direct = given["DIRECT_DATABASE_URL"];
  if (direct && databaseOf(direct) !== databaseOf(given["DATABASE_URL"]))
    problems.push("DIRECT_DATABASE_URL: must name the same database as DATABASE_URL");
  const replica = given["REPORT_DATABASE_URL"];
  if (replica && databaseOf(replica) !== databaseOf(given["DATABASE_URL"]))
    problems.push("REPORT_DATABASE_URL: must name the same database as DATABASE_URL, on its replica");
  // A function receives the secrets that it uses; `npm run deploy` checks all of them.
  const hasAllSecrets = !given["AWS_LAMBDA_FUNCTION_NAME"];
  if (hasAllSecrets && given["LLM_PROVIDER"] === "direct_api" && !given["DIRECT_API_KEY"])
    problems.push("DIRECT_API_KEY: is required when LLM_PROVIDER is direct_api");
  if (given["LLM_PROVIDER"] === "cloud_managed" && !given["CLOUD_MODEL_ID"] && !hasDefaultModel(given))
    problems.push("CLOUD_MODEL_ID: is required, because no inference profile keeps data near CLOUD_REGION");
  for (const name of ["OPENAI_BASE_URL", "OPENAI_MODEL"])
    if (given["LLM_PROVIDER"] === "openai_compatible" && !given[name])
      problems.push(`${name}: is required when LLM_PROVIDER is openai_compatible`);
  if (given["LLM_EFFORT"] === "none" && given["LLM_PROVIDER"] !== "openai_compatible")
    problems.push("LLM_EFFORT: may be none only when LLM_PROVIDER is openai_compatible");
  if (hasAllSecrets && Boolean(given["CLOUD_ACCESS_KEY_ID"]) !== Boolean(given["CLOUD_SECRET_ACCESS_KEY"]))
    problems.push("CLOUD_ACCESS_KEY_ID: requires CLOUD_SECRET_ACCESS_KEY, and the reverse");
  if (Boolean(given["CLOUD_BATCH_BUCKET"]) !== Boolean(given["CLOUD_BATCH_ROLE_ARN"]))
    problems.push("CLOUD_BATCH_BUCKET: requires CLOUD_BATCH_ROLE_ARN, and the reverse");
  if (given["ENVIRONMENT"] !== "development" && hasInsecureIssuer(given["OIDC_PROVIDERS"]))
    problems.push("OIDC_PROVIDERS: an issuer must be an https address unless ENVIRONMENT is development");
  if (given["DEMONSTRATION_ACCOUNTS"] && given["ENVIRONMENT"] !== "development")
    problems.push(
      "DEMONSTRATION_ACCOUNTS: must not be set unless ENVIRONMENT is development, because their passwords are public",
    );
  if (given["AWS_LAMBDA_FUNCTION_NAME"] && given["FILE_STORE"]?.trim().startsWith("folder:"))
    problems.push("FILE_STORE: must be s3://… on Lambda, where folders are temporary");
  if (isHostOf(given["PACKAGES_URL"], [given["PUBLIC_URL"], given["FRONTEND_URL"]]))
    problems.push("PACKAGES_URL: must have another host than PUBLIC_URL and FRONTEND_URL");
  if (given["SMTP_URL"] && !given["MAIL_FROM"])
    problems.push("MAIL_FROM: is required with SMTP_URL, such as Learning <no-reply@learn.example.edu>");
  return problems;
}

/** Scripts of a package would read what the application stores in the browser. */
const isHostOf = (packages: string | undefined, own: readonly (string | undefined)[]): boolean =>
  packages !== undefined &&
  own.some(
    (url) =>
      url !== undefined &&
      URL.canParse(url) &&
      URL.canParse(packages) &&
      new URL(url).host === new URL(packages).host,
  );

const hasPort = (url: string): boolean => new URL(url).port !== "";

const hasDefaultModel = ({ CLOUD_REGION }: Record<string, string | undefined>): boolean =>
  !CLOUD_REGION || bedrockGeography(CLOUD_REGION) !== undefined;
const isAtNeon = (url = ""): boolean => URL.canParse(url) && new URL(url).hostname.endsWith(".neon.tech");

const hasInsecureIssuer = (providers: string | undefined): boolean =>
  /"issuer"\s*:\s*"http:/i.test(providers ?? "");

/** The JSON object in `SECRET_SETTINGS`; values may also be numbers or lists. */
const SecretSettings = z.record(
  z.string(),
  z.unknown().transform((value) => (typeof value === "string" ? value : JSON.stringify(value))),
);

type Settings = typeof settings;

type ValueOf<S> = S extends { schema: () => infer Z extends z.ZodType; absent?: infer Absent }
  ? z.output<Z> | ("absent" extends keyof S ? Absent : never)
  : never;

/** Optional settings have no value if absent. */
type OptionalName = {
  [Name in keyof Settings]: undefined extends ValueOf<Settings[Name]> ? Name : never;
}[keyof Settings];

type Values = {
  [Name in Exclude<keyof Settings, OptionalName>]: ValueOf<Settings[Name]>;
} & { [Name in OptionalName]?: ValueOf<Settings[Name]> };

export type Config = Readonly<Values> & { readonly onLambda: boolean };

/** The message lists all problems, one per line, without values. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Configuration is invalid:\n${problems.map((line) => `  ${line}`).join("\n")}`);
    this.problems = problems;
  }
}

/**
 * Reads, checks and freezes all settings. Environment variables override `SECRET_SETTINGS`. Empty values
 * count as absent. Throws `ConfigError` with all problems.
 */
export function loadConfig(environment: Record<string, string | undefined> = process.env): Config {
  const secret = SecretSettings.safeParse(parseJson(environment["SECRET_SETTINGS"] || "{}"));
  const stated = { ...withoutEmpty(secret.data ?? {}), ...withoutEmpty(environment) };
  const given = { ...(isTrue(stated["DEBUG"]) && asDebugged), ...stated };
  const { values, faults } = readSettings(given);
  const problems = [
    ...(secret.success ? [] : ["SECRET_SETTINGS: must be a JSON object of settings"]),
    ...faults,
    ...rulesBetween(given),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...(values as Values), onLambda: Boolean(values["AWS_LAMBDA_FUNCTION_NAME"]) });
}

function readSettings(given: Record<string, string | undefined>) {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, one] of Object.entries(settings)) {
    if (given[name] === undefined && "absent" in one) {
      if (one.absent !== undefined) values[name] = one.absent;
      continue;
    }
    // Runs once per process, so compiling a parser does not pay.
    const { data, error } = one.schema().safeParse(given[name], { jitless: true });
    values[name] = data;
    faults.push(...(error?.issues ?? []).map((issue) => describeProblem(name, issue)));
  }
  return { values, faults };
}

/** For tools that need no other setting. Throws `ConfigError`. */
export function readDatabaseLockTimeoutMs(environment: Record<string, string | undefined>): number {
  const name = "DATABASE_LOCK_TIMEOUT_MS";
  const { schema, absent } = settings[name];
  const given = environment[name]?.trim();
  if (!given) return absent;
  const { data, error } = schema().safeParse(given);
  if (error) throw new ConfigError(error.issues.map((issue) => describeProblem(name, issue)));
  return data;
}

/** Log every statement with its duration. */
const asDebugged = { LOG_LEVEL: "DEBUG", DATABASE_ECHO: "true" };

const isTrue = (value: string | undefined): boolean =>
  value !== undefined && yesOrNo().safeParse(value).data === true;

/** `host:port` of the Lambda runtime API, set by the platform. */
export const lambdaRuntimeApiAddress = (): string | undefined => process.env["AWS_LAMBDA_RUNTIME_API"];

/** To check that `.env.example` is complete. */
export const settingNames = Object.keys(settings);

/** A Next.js frontend's build settings, which the service accepts and ignores. */
export const ignoredFrontendSettingNames = ["NEXT_PUBLIC_ROOT_DOMAIN", "NEXT_PUBLIC_LEARN_DOMAIN"];

const withoutEmpty = (settings: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value?.trim()));

function describeProblem(name: string, issue: z.core.$ZodIssue): string {
  return `${[name, ...issue.path].join(".")}: ${issue.message}`;
}

function splitByComma(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
