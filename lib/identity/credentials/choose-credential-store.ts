import type { Config } from "../../config.ts";
import type { Db } from "../../platform/db/client.ts";
import type { CredentialStore } from "../../platform/llm/credential-store.ts";
import type { Logger } from "../../platform/logging/log.ts";
import { databaseStore } from "./database-store.ts";
import { secretsManagerStore } from "./secrets-manager-store.ts";

type StoreSettings = Pick<
  Config,
  | "CREDENTIAL_STORE"
  | "onLambda"
  | "CLOUD_REGION"
  | "STAGE"
  | "ENVIRONMENT"
  | "SECRET_KEY"
  | "SECRET_KEY_PREVIOUS"
>;

/** As configured, else AWS Secrets Manager on Lambda and the database elsewhere. */
export function chooseStore(settings: StoreSettings, db: Db, log: Pick<Logger, "warn">): CredentialStore {
  const kind = settings.CREDENTIAL_STORE ?? (settings.onLambda ? "secrets_manager" : "database");
  if (kind === "database") return databaseStore(db, settings);
  return secretsManagerStore({
    region: settings.CLOUD_REGION,
    secretId: `learning-platform/${settings.STAGE ?? settings.ENVIRONMENT}/cloud-credentials`,
    log,
  });
}
