import { randomUUID } from "node:crypto";
import type {
  BedrockClient,
  BedrockClientConfig,
  GetModelInvocationJobCommandOutput,
  ModelInvocationJobStatus,
} from "@aws-sdk/client-bedrock";
import type { ConverseCommandOutput, ConverseStreamCommandInput } from "@aws-sdk/client-bedrock-runtime";
import { HttpError } from "../../errors.ts";
import { type BucketSetting, createS3Caller } from "../file-store/s3/connection.ts";
import { toBatchResult } from "./batches.ts";
import {
  type BatchRequest,
  type BatchResult,
  type BatchState,
  type LlmBatches,
  LlmError,
  type LlmEvent,
  type LlmRequest,
} from "./provider.ts";
import type { ReasoningMarkOptions } from "./reasoning-filter.ts";
import { createEndEvent } from "./stop-reasons.ts";
import type { LlmFailure } from "./stream-answer.ts";
import { bedrockUsage } from "./token-counts.ts";

export type BedrockBatchBucketAndRole = { bucket: BucketSetting; roleArn: string };

export type BedrockBatchOptions = {
  region: string;
  endpoint?: string | undefined;
  /** The platform's keys; default its credential chain. */
  keys: NonNullable<BedrockClientConfig["credentials"]> | undefined;
  store: BedrockBatchBucketAndRole;
  inputOf(request: LlmRequest): ConverseStreamCommandInput;
  reasoning: ReasoningMarkOptions;
  explain(error: unknown): LlmFailure;
};

/**
 * Bedrock's batch inference jobs, with the platform's keys. A batch's marker is the job's name and request
 * token: sending is idempotent and the job can be found.
 */
export function bedrockBatches(options: BedrockBatchOptions): LlmBatches {
  const { region, endpoint, keys, store, explain } = options;
  const bucket = createS3Caller(store.bucket, 60, keys);
  let connected: ReturnType<typeof connect> | undefined;
  const connect = async () => {
    const aws = await import("@aws-sdk/client-bedrock");
    const client = new aws.BedrockClient({
      region,
      maxAttempts: 2,
      ...(endpoint && { endpoint }),
      ...(keys && { credentials: keys, authSchemePreference: ["sigv4"] }),
    });
    return { aws, client };
  };
  const asked = async <T>(
    ask: (aws: typeof import("@aws-sdk/client-bedrock"), client: BedrockClient) => Promise<T>,
  ) => {
    try {
      connected ??= connect();
      const { aws, client } = await connected;
      return await ask(aws, client);
    } catch (error) {
      throw failureOf(error, explain);
    }
  };

  return {
    send: ({ marker }, requests, signal) =>
      asked(async (aws, client) => {
        const [model, other] = new Set(requests.map(({ request }) => request.model));
        if (!model || other) throw new LlmError("rejected", "cloud_managed: a job has one model");
        await bucket(({ aws: s3, client: to }, abortSignal) =>
          to.send(
            new s3.PutObjectCommand({
              Bucket: store.bucket.bucket,
              Key: inputKey(marker),
              Body: recordsOf(requests, options),
              ContentType: "application/jsonl",
            }),
            { abortSignal },
          ),
        );
        const job = new aws.CreateModelInvocationJobCommand({
          jobName: `trial-${marker}`,
          clientRequestToken: marker,
          modelId: model,
          roleArn: store.roleArn,
          modelInvocationType: "Converse",
          timeoutDurationInHours: 24,
          inputDataConfig: {
            s3InputDataConfig: { s3Uri: uri(store, inputKey(marker)), s3InputFormat: "JSONL" },
          },
          outputDataConfig: { s3OutputDataConfig: { s3Uri: uri(store, outputPrefix(marker)) } },
        });
        const { jobArn } = await client.send(job, { abortSignal: signal });
        return jobArn ?? "";
      }),
    find: ({ marker }, _known, signal) =>
      asked(async (aws, client) => {
        const { invocationJobSummaries: [job] = [] } = await client.send(
          new aws.ListModelInvocationJobsCommand({ nameContains: marker, maxResults: 1 }),
          { abortSignal: signal },
        );
        return job?.jobArn ? { id: job.jobArn } : "none";
      }),
    look: (jobIdentifier, signal) =>
      asked(async (aws, client) =>
        stateOf(
          await client
            .send(new aws.GetModelInvocationJobCommand({ jobIdentifier }), { abortSignal: signal })
            .catch(undefinedIfMissing),
        ),
      ),
    async *results(id, marker) {
      const taken = [inputKey(marker), outputKey(marker, id)];
      const lines = await bucket(async ({ aws: s3, client }, abortSignal) => {
        const { Body } = await client.send(
          new s3.GetObjectCommand({ Bucket: store.bucket.bucket, Key: outputKey(marker, id) }),
          { abortSignal },
        );
        return Body?.transformToString();
      }).catch((error) => Promise.reject(failureOf(error, explain)));
      for (const line of lines?.split("\n") ?? []) {
        const result = line.trim() && (await resultOf(line, options.reasoning));
        if (result) yield result;
      }
      // The files contain teaching material and are no longer needed.
      for (const Key of taken)
        await bucket(({ aws: s3, client }, abortSignal) =>
          client.send(new s3.DeleteObjectCommand({ Bucket: store.bucket.bucket, Key }), { abortSignal }),
        ).catch(() => undefined);
    },
    cancel: (jobIdentifier, signal) =>
      asked(async (aws, client) => {
        const job = await client.send(new aws.GetModelInvocationJobCommand({ jobIdentifier }), {
          abortSignal: signal,
        });
        if (stateOf(job) === "working")
          await client.send(new aws.StopModelInvocationJobCommand({ jobIdentifier }), {
            abortSignal: signal,
          });
      }),
    check: (signal) =>
      asked(async (aws, client) => {
        await client.send(new aws.ListModelInvocationJobsCommand({ maxResults: 1 }), { abortSignal: signal });
        const place = { Bucket: store.bucket.bucket, Key: `batches/${randomUUID()}/check` };
        const kept = await bucket(async ({ aws: s3, client: to }, abortSignal) => {
          await to.send(new s3.PutObjectCommand({ ...place, Body: "check" }), { abortSignal });
          const { Body } = await to.send(new s3.GetObjectCommand(place), { abortSignal });
          const text = await Body?.transformToString();
          await to.send(new s3.DeleteObjectCommand(place), { abortSignal });
          return text;
        });
        if (kept !== "check")
          throw new LlmError("rejected", "cloud_managed: the batch bucket does not exist");
      }),
  };
}

const inputKey = (marker: string): string => `batches/${marker}/requests.jsonl`;
const outputPrefix = (marker: string): string => `batches/${marker}/answers/`;
const outputKey = (marker: string, arn: string): string =>
  `${outputPrefix(marker)}${arn.split("/").at(-1)}/requests.jsonl.out`;
const uri = ({ bucket }: BedrockBatchBucketAndRole, key: string): string => `s3://${bucket.bucket}/${key}`;

function recordsOf(requests: readonly BatchRequest[], { inputOf }: BedrockBatchOptions): string {
  const lines = requests.map(({ call, request }) => {
    const { modelId: _, ...modelInput } = inputOf(request);
    return JSON.stringify({ recordId: String(call).padStart(11, "0"), modelInput });
  });
  return `${lines.join("\n")}\n`;
}

function failureOf(error: unknown, explain: BedrockBatchOptions["explain"]): LlmError {
  if (error instanceof LlmError) return error;
  if (error instanceof HttpError)
    return new LlmError("unavailable", "cloud_managed: the batch bucket cannot be reached");
  const { kind = "unavailable", reason, retryAfter } = explain(error);
  return new LlmError(kind, `cloud_managed: ${reason}`, retryAfter);
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as Error).name !== "ResourceNotFoundException") throw error;
}

const ended: readonly ModelInvocationJobStatus[] = [
  "Completed",
  "PartiallyCompleted",
  "Stopped",
  "Expired",
  "Failed",
];

const stateOf = (job: GetModelInvocationJobCommandOutput | undefined): BatchState => {
  if (!job) return "lost";
  return job.status && ended.includes(job.status) ? "ended" : "working";
};

type OutputLine = {
  recordId?: string;
  modelOutput?: Partial<Pick<ConverseCommandOutput, "output" | "stopReason" | "usage">>;
  error?: { errorCode?: number; errorMessage?: string };
};

async function resultOf(line: string, reasoning: ReasoningMarkOptions): Promise<BatchResult | undefined> {
  const { recordId, modelOutput, error } = lineOf(line);
  const call = Number(recordId);
  if (!Number.isSafeInteger(call) || call <= 0) return undefined;
  if (modelOutput?.output?.message)
    return toBatchResult(call, eventsOf(modelOutput), { provider: "cloud_managed", reasoning });
  const code = error?.errorCode ?? 500;
  const isRejected = code >= 400 && code < 500 && code !== 408 && code !== 429;
  return {
    call,
    failure: { kind: isRejected ? "rejected" : "unavailable", reason: `cloud_managed: ${code} in a job` },
  };
}

/** A truncated line is ignored. */
function lineOf(line: string): OutputLine {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

async function* eventsOf({
  output,
  stopReason,
  usage,
}: NonNullable<OutputLine["modelOutput"]>): AsyncGenerator<LlmEvent, void> {
  for (const block of output?.message?.content ?? []) {
    if (block.text) yield { type: "text", text: block.text };
    const { name = "", input } = block.toolUse ?? {};
    if (block.toolUse) yield { type: "call", name, input: JSON.stringify(input ?? {}) };
  }
  yield createEndEvent(stopReason, bedrockUsage(usage ?? {}));
}
