import type { Config } from "../../../lib/config.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import {
  chooseEmbeddingsProvider,
  configuredCloudKeys,
} from "../../../lib/platform/llm/choose-llm-provider.ts";
import { hasVectorExtension } from "../../../lib/tutor/passages/embed-message.ts";
import { timeoutMs } from "./connection.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

/** Checks semantic search if configured: the database has pgvector, and the model responds. */
export async function checkEmbeddings(db: Db, config: Config): Promise<Finding> {
  const embeddings = chooseEmbeddingsProvider(config, configuredCloudKeys(config));
  if (!embeddings) return ok("the tutor's sources are found by words only: EMBEDDINGS_MODEL is not set");
  if (!(await hasVectorExtension(db)))
    return wrong(
      "EMBEDDINGS_MODEL is set, but the database has no pgvector: the tutor's sources are found by words only",
      'as a privileged user, run "create extension vector" in this database, in a schema on the search path of the service; if the server does not have it, install pgvector',
    );
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    await embeddings.embed(["Hello"], { university_id: 0, use: "query", signal });
    return ok(`the database has pgvector, and ${embeddings.model} returns embeddings`);
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith("CredentialsProviderError"))
      return advice(
        `${embeddings.model} was not checked: this machine has no AWS keys (functions have a role)`,
        "the metric tutor_embeddings_total has the results of the service's own calls",
      );
    return wrong(
      `${embeddings.model} returns no embeddings: ${message}`,
      "check EMBEDDINGS_MODEL, CLOUD_REGION, and the account's access to the model there",
    );
  }
}
