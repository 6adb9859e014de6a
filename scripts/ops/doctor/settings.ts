import { type Config, ConfigError, loadConfig } from "../../../lib/config.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function checkSettings(environment: Environment): { config?: Config; findings: Finding[] } {
  try {
    const config = loadConfig(environment);
    return { config, findings: [ok("the settings hold"), ...adviceOn(config)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      findings: error.problems.map((problem) => wrong(problem, ".env.example says what each setting is")),
    };
  }
}

/** Settings that production should have. */
function adviceOn(config: Config): Finding[] {
  if (config.ENVIRONMENT !== "production") return [];
  const lacks: [boolean, string, string][] = [
    [config.PASSWORD_MIN_LENGTH < 12, "new passwords may be short", "set PASSWORD_MIN_LENGTH to 12"],
    [config.LOGIN_MAX_FAILURES === 0, "passwords may be guessed without end", "set LOGIN_MAX_FAILURES to 10"],
    [
      !config.SMTP_URL,
      "mail waits for ever, that for a forgotten password too",
      "set SMTP_URL and MAIL_FROM",
    ],
    [
      mayBeOverheard(config.DATABASE_URL),
      "the database is spoken to without TLS, over the network",
      "add sslmode=verify-full to DATABASE_URL, and sslrootcert where its authority is your own",
    ],
    [config.ENABLE_METRICS && !config.METRICS_TOKEN, "anyone may read the metrics", "set METRICS_TOKEN"],
    [
      !config.PUBLIC_URL,
      "links and sign-in at identity providers go by the request's own address",
      "set PUBLIC_URL",
    ],
    [
      config.BACKEND_CORS_ORIGINS.includes("*"),
      "pages of any origin may call the API",
      "name them in BACKEND_CORS_ORIGINS",
    ],
    [
      config.SECRET_KEY_PREVIOUS !== undefined,
      "tokens and stored secrets of the key before this one are still taken",
      "remove SECRET_KEY_PREVIOUS once docs/operations.md says so",
    ],
  ];
  return lacks.filter(([isLacking]) => isLacking).map(([, what, todo]) => advice(what, todo));
}

/** Neon always uses TLS. */
function mayBeOverheard(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const isHere = /^(?:|localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  const mode = searchParams.get("sslmode") ?? "disable";
  return !isHere && !hostname.endsWith(".neon.tech") && (mode === "disable" || mode === "no-verify");
}
