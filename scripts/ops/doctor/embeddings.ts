import type { Config } from "../../../lib/config.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { chooseEmbeddings, environmentKeys } from "../../../lib/platform/llm/choose.ts";
import { hasVectors } from "../../../lib/tutor/passages/meaning.ts";
import { timeoutMs } from "./connection.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

/** Checks semantic search if configured: the database has pgvector, and the model responds. */
export async function checkEmbeddings(db: Db, config: Config): Promise<Finding> {
  const embeddings = chooseEmbeddings(config, environmentKeys(config));
  if (!embeddings) return ok("the tutor's sources are found by words alone: EMBEDDINGS_MODEL is not set");
  if (!(await hasVectors(db)))
    return wrong(
      "EMBEDDINGS_MODEL is set, and the database has no pgvector: the tutor's sources are found by words alone",
      'as one who may: "create extension vector" in this database, in a schema that the service finds; where the server does not know it, install pgvector',
    );
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    await embeddings.embed(["Hello"], { university_id: 0, use: "query", signal });
    return ok(`the database has pgvector, and ${embeddings.model} says what passages mean`);
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith("CredentialsProviderError"))
      return advice(
        `${embeddings.model} cannot be asked what passages mean: this machine has no keys, which functions have by their role`,
        "tutor_embeddings_total of the metrics says what came of what the service itself asked",
      );
    return wrong(
      `${embeddings.model} does not say what passages mean: ${message}`,
      "look at EMBEDDINGS_MODEL, at CLOUD_REGION, and at whether the account has access to the model there",
    );
  }
}
