import { settingNames } from "../../../lib/config.ts";

/** Settings of a server process, which a function on Lambda does not read. */
export const serverSettings = [
  "HOST",
  "PORT",
  "WORKERS",
  "BODY_STALL_SECONDS",
  "SHUTDOWN_DELAY_SECONDS",
  "SHUTDOWN_TIMEOUT_SECONDS",
  "LOG_FILE_ENABLED",
  "LOG_DIR",
  "LOG_FILE_MAX_BYTES",
  "LOG_FILE_BACKUP_COUNT",
  "MAIL_FOLDER",
];

/** Settings that neither a deployment to AWS nor a container has. */
export const settingsElsewhere = ["DEMONSTRATION_ACCOUNTS", "NEON_LOCAL_PROXY", "AWS_LAMBDA_FUNCTION_NAME"];

/** Settings in a deployment's secret, which CloudFormation resolves. */
export const secretSettings = [
  "METRICS_TOKEN",
  "DATABASE_URL",
  "DIRECT_DATABASE_URL",
  "REPORT_DATABASE_URL",
  "SECRET_KEY",
  "SECRET_KEY_PREVIOUS",
  "OIDC_PROVIDERS",
  "SMTP_URL",
  "DIRECT_API_KEY",
  "CLOUD_SECRET_ACCESS_KEY",
  "CLOUD_SESSION_TOKEN",
  "OPENAI_API_KEY",
  "OBS_SECRET_KEY",
];

/** Settings that the image fixes: its address and port, and no files of logs or mails. */
const settingsOfImage = serverSettings.filter((name) => /^(HOST|PORT|LOG_|MAIL_)/.test(name));

const without = (...left: (readonly string[])[]) =>
  settingNames.filter((name) => !left.some((names) => names.includes(name)));

/** Parameters of a deployment to AWS. */
export const parameterSettings = without(serverSettings, settingsElsewhere, secretSettings);

/** Settings that a container takes from its environment. */
export const containerSettings = without(settingsElsewhere, settingsOfImage);
