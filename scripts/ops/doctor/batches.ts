import type { Config } from "../../../lib/config.ts";
import { batchLimits } from "../../../lib/platform/llm/batches.ts";
import { chooseProvider } from "../../../lib/platform/llm/choose.ts";
import { timeoutMs } from "./connection.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

/**
 * Checks batches. For Bedrock: listing jobs, and writing, reading and deleting files in the bucket. Bedrock's
 * right to assume the role shows only at the first batch.
 */
export async function checkBatches(config: Config): Promise<Finding[]> {
  const isCloud = config.LLM_PROVIDER === "cloud_managed";
  if (!batchLimits(config))
    return isCloud && config.LLM_BATCHES !== false
      ? [
          advice(
            "trials of prompts and warming pay the whole price of their calls: there is no bucket for batches",
            "set CLOUD_BATCH_BUCKET and CLOUD_BATCH_ROLE_ARN, as docs/operations.md says under “Batches”",
          ),
        ]
      : [];
  const where = isCloud ? `s3://${bucketOf(config)}` : "the LLM";
  try {
    await chooseProvider(config).batches?.check(AbortSignal.timeout(timeoutMs));
    return [ok(`${where} takes batches of calls`)];
  } catch (error) {
    const { message } = error as Error;
    if (message.includes("CredentialsProviderError"))
      return [
        advice(
          `${where} cannot be asked whether it takes batches: this machine has no keys, which functions have by their role`,
          "look at llm_batches_total once a trial or a warming has run",
        ),
      ];
    return [
      wrong(
        `${where} takes no batches of calls, which are made at once at the whole price: ${message}`,
        isCloud
          ? "look at CLOUD_BATCH_BUCKET, and at what docs/operations.md says under “Batches” that the account may do"
          : "look at DIRECT_API_BASE_URL, or set LLM_BATCHES=false",
      ),
    ];
  }
}

const bucketOf = ({ CLOUD_BATCH_BUCKET: store }: Config): string =>
  store?.kind === "s3" ? store.bucket : "";
