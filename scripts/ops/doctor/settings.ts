import { type Config, ConfigError, loadConfig } from "../../../lib/config.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function checkSettings(environment: Environment): { config?: Config; findings: Finding[] } {
  try {
    const config = loadConfig(environment);
    return { config, findings: [ok("the settings are valid"), ...adviceOn(config)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      findings: error.problems.map((problem) => wrong(problem, ".env.example describes each setting")),
    };
  }
}

/** Settings that production should have. */
function adviceOn(config: Config): Finding[] {
  if (config.ENVIRONMENT !== "production") return [];
  const lacks: [boolean, string, string][] = [
    [config.PASSWORD_MIN_LENGTH < 12, "new passwords may be short", "set PASSWORD_MIN_LENGTH to 12"],
    [!config.PASSWORD_REJECT_COMMON, "new passwords may be common", "set PASSWORD_REJECT_COMMON to true"],
    [
      config.LOGIN_MAX_FAILURES === 0,
      "passwords can be guessed without limit",
      "set LOGIN_MAX_FAILURES to 10",
    ],
    [!config.SMTP_URL, "mail is never sent, not even for forgotten passwords", "set SMTP_URL and MAIL_FROM"],
    [
      mayBeOverheard(config.DATABASE_URL),
      "the connection to the database uses no TLS over the network",
      "add sslmode=verify-full to DATABASE_URL, and sslrootcert for your own certificate authority",
    ],
    [config.ENABLE_METRICS && !config.METRICS_TOKEN, "the metrics are public", "set METRICS_TOKEN"],
    [
      !config.PUBLIC_URL,
      "links and sign-ins at identity providers use the address of each request",
      "set PUBLIC_URL",
    ],
    [
      config.BACKEND_CORS_ORIGINS.includes("*"),
      "pages of any origin can call the API",
      "list the allowed origins in BACKEND_CORS_ORIGINS",
    ],
    [
      config.SECRET_KEY_PREVIOUS !== undefined,
      "tokens and stored secrets of the previous key are still accepted",
      "remove SECRET_KEY_PREVIOUS when docs/operations.md allows it",
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
