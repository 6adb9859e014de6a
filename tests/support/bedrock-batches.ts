import type { IncomingMessage, ServerResponse } from "node:http";
import type { BatchReply, SendingFault } from "./anthropic-batches.ts";

type Job = {
  arn: string;
  name: string;
  token: string;
  modelId: string;
  input: string;
  output: string;
  status: string;
};

type JobInput = {
  jobName: string;
  clientRequestToken: string;
  modelId: string;
  inputDataConfig: { s3InputDataConfig: { s3Uri: string } };
  outputDataConfig: { s3OutputDataConfig: { s3Uri: string } };
};

type Objects = Map<string, { bytes: Buffer; etag: string; type: string; at: Date }>;

/** Bedrock's model invocation jobs on a bucket's objects, in memory. A job ends when first polled. */
export function bedrockJobs() {
  const jobs: Job[] = [];
  const faults: SendingFault[] = [];
  let objects: Objects = new Map();
  let reply: (number: number) => BatchReply = () => ({ text: "As a job." });
  let isHeld = false;

  function create(body: JobInput, response: ServerResponse): void {
    const fault = faults.shift();
    if (fault === "not arrived") return void response.destroy();
    if (typeof fault === "number") return void refuse(response, fault, "ValidationException");
    const { jobName: name, clientRequestToken: token, modelId, inputDataConfig, outputDataConfig } = body;
    const found = jobs.find((one) => one.token === token);
    const job: Job = found ?? {
      arn: `arn:aws:bedrock:eu-west-2:123456789012:model-invocation-job/job${jobs.length + 1}`,
      ...{ name, token, modelId, status: "Submitted" },
      input: keyOf(inputDataConfig.s3InputDataConfig.s3Uri),
      output: keyOf(outputDataConfig.s3OutputDataConfig.s3Uri),
    };
    if (!found) jobs.push(job);
    if (fault === "answer lost") return void response.destroy();
    send(response, { jobArn: job.arn });
  }

  const requestsOf = ({ input }: Job): { recordId: string; modelInput: { messages: object[] } }[] =>
    (objects.get(input)?.bytes.toString("utf8") ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  /** Writes a job's results into the bucket. */
  function end(job: Job, status = "Completed"): void {
    const lines = requestsOf(job).map(({ recordId }, index) => lineOf(recordId, reply(index + 1)));
    const bytes = Buffer.from(
      lines
        .filter((line) => line !== undefined)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const key = `${job.output}${job.arn.split("/").at(-1)}/requests.jsonl.out`;
    objects.set(key, { bytes, etag: '"etag"', type: "application/jsonl", at: new Date() });
    job.status = status;
  }

  function answer(request: IncomingMessage, body: unknown, response: ServerResponse): boolean {
    const url = new URL(request.url ?? "", "http://stand-in");
    const asked = /^\/model-invocation-jobs?(?:\/(?<id>[^/]+)(?<stop>\/stop)?)?$/.exec(url.pathname);
    if (!asked) return false;
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 "))
      refuse(response, 403, "UnrecognizedClientException");
    else if (url.pathname.endsWith("-jobs")) {
      const named = jobs.filter(({ name }) => name.includes(url.searchParams.get("nameContains") ?? ""));
      send(response, { invocationJobSummaries: named.map(shown) });
    } else if (request.method === "POST" && !asked.groups?.["stop"]) create(body as JobInput, response);
    else {
      const job = jobs.find(({ arn }) => arn === decodeURIComponent(asked.groups?.["id"] ?? ""));
      if (!job) refuse(response, 404, "ResourceNotFoundException");
      else if (asked.groups?.["stop"]) {
        job.status = "Stopping";
        send(response, {});
      } else {
        if (!isHeld && job.status === "Submitted") end(job);
        if (!isHeld && job.status === "Stopping") end(job, "Stopped");
        send(response, shown(job));
      }
    }
    return true;
  }

  return {
    answer,
    all: jobs,
    requestsOf,
    attach(bucket: Objects) {
      objects = bucket;
    },
    reply(next: typeof reply) {
      reply = next;
    },
    hold(next: boolean) {
      isHeld = next;
    },
    fault(...next: SendingFault[]) {
      faults.push(...next);
    },
    reset() {
      reply = () => ({ text: "As a job." });
      isHeld = false;
      faults.length = 0;
      jobs.length = 0;
    },
  };
}

const keyOf = (uri: string): string => uri.replace(/^s3:\/\/[^/]+\//, "");

const shown = ({ arn, name, modelId, status, input, output }: Job) => ({
  ...{ jobArn: arn, jobName: name, modelId, status, submitTime: "2026-03-10T12:00:00Z", roleArn: "role" },
  inputDataConfig: { s3InputDataConfig: { s3Uri: `s3://files/${input}` } },
  outputDataConfig: { s3OutputDataConfig: { s3Uri: `s3://files/${output}` } },
});

/** Cancelled and expired requests have no line. */
function lineOf(recordId: string, reply: BatchReply): object | undefined {
  if (typeof reply === "string") return undefined;
  if ("errored" in reply)
    return { recordId, error: { errorCode: Number(reply.errored), errorMessage: "scripted" } };
  const { text, input_tokens = 100, output_tokens = 20, stop_reason = "end_turn" } = reply;
  return {
    recordId,
    modelOutput: {
      output: { message: { role: "assistant", content: [{ text }] } },
      stopReason: stop_reason,
      usage: {
        inputTokens: input_tokens,
        outputTokens: output_tokens,
        totalTokens: input_tokens + output_tokens,
      },
    },
  };
}

const send = (response: ServerResponse, body: object) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

const refuse = (response: ServerResponse, status: number, type: string) =>
  void response
    .writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type })
    .end(JSON.stringify({ message: "scripted by the test" }));
