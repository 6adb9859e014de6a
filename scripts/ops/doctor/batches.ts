import type { Config } from "../../../lib/config.ts";
import { batchLimits } from "../../../lib/platform/llm/batches.ts";
import { chooseProvider } from "../../../lib/platform/llm/choose-llm-provider.ts";
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
            "prompt trials and warming pay the full price of their calls, because there is no bucket for batches",
            "set CLOUD_BATCH_BUCKET and CLOUD_BATCH_ROLE_ARN, as described in docs/operations.md under “Batches”",
          ),
        ]
      : [];
  const where = isCloud ? `s3://${bucketOf(config)}` : "the LLM";
  try {
    await chooseProvider(config).batches?.check(AbortSignal.timeout(timeoutMs));
    return [ok(`${where} accepts batches of calls`)];
  } catch (error) {
    const { message } = error as Error;
    if (message.includes("CredentialsProviderError"))
      return [
        advice(
          `${where} was not checked for batches: this machine has no AWS keys (functions have a role)`,
          "check llm_batches_total after a trial or a warming",
        ),
      ];
    return [
      wrong(
        `${where} rejects batches of calls, so calls are made individually at the full price: ${message}`,
        isCloud
          ? "check CLOUD_BATCH_BUCKET, and the account's permissions (docs/operations.md, “Batches”)"
          : "check DIRECT_API_BASE_URL, or set LLM_BATCHES=false",
      ),
    ];
  }
}

const bucketOf = ({ CLOUD_BATCH_BUCKET: store }: Config): string =>
  store?.kind === "s3" ? store.bucket : "";
