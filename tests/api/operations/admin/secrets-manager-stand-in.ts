import { startStandInServer } from "../../../../scripts/dev/stand-in-server.ts";

type Input = {
  SecretId?: string;
  Name?: string;
  SecretString?: string;
  ForceDeleteWithoutRecovery?: boolean;
};

export type SecretsManagerStandIn = {
  url: string;
  /** Values of each secret, the current one last. */
  secrets: Map<string, string[]>;
  /** The requested operations, oldest first: `GetSecretValue`. */
  operations: string[];
  /** Names of secrets scheduled for deletion. */
  doomed: Set<string>;
  /** Fails every operation with this exception until called without one. */
  failWith(exception?: string): void;
  close(): Promise<void>;
};

/** An in-memory server for AWS Secrets Manager's protocol (JSON 1.1). */
export async function startSecretsManagerStandIn(): Promise<SecretsManagerStandIn> {
  const secrets = new Map<string, string[]>();
  const doomed = new Set<string>();
  const operations: string[] = [];
  let failure: string | undefined;

  const server = await startStandInServer(async (request, body, response) => {
    const operation = /^secretsmanager\.(\w+)$/.exec(String(request.headers["x-amz-target"]))?.[1] ?? "";
    operations.push(operation);
    const isSigned = request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ");
    const answer = isSigned
      ? (failure ?? perform(operation, body as Input, secrets, doomed))
      : "UnrecognizedClientException";
    const refused = typeof answer === "string";
    response.writeHead(refused ? 400 : 200, {
      "content-type": "application/x-amz-json-1.1",
      ...(refused && { "x-amzn-errortype": answer }),
    });
    response.end(JSON.stringify(refused ? { __type: answer, message: quoted(body) } : answer));
  });

  return {
    url: server.url,
    secrets,
    doomed,
    operations,
    failWith: (exception) => {
      failure = exception;
    },
    close: server.close,
  };
}

/** Returns the response, or the exception's name. */
function perform(
  operation: string,
  input: Input,
  secrets: Map<string, string[]>,
  doomed: Set<string>,
): object | string {
  const name = input.SecretId ?? input.Name ?? "";
  const values = secrets.get(name);
  const described = {
    ARN: `arn:aws:secretsmanager:eu-west-2:000000000000:secret:${name}-AbCdEf`,
    Name: name,
  };
  if (operation === "RestoreSecret") {
    doomed.delete(name);
    return described;
  }
  if (doomed.has(name)) return "InvalidRequestException";
  if (operation === "CreateSecret") {
    if (values) return "ResourceExistsException";
    secrets.set(name, [input.SecretString ?? ""]);
    return described;
  }
  if (operation === "DeleteSecret") {
    if (!input.ForceDeleteWithoutRecovery && !values) return "ResourceNotFoundException";
    secrets.delete(name);
    return described;
  }
  if (!values) return "ResourceNotFoundException";
  if (operation === "GetSecretValue")
    return { ...described, SecretString: values.at(-1), VersionStages: ["AWSCURRENT"] };
  if (operation === "PutSecretValue") {
    values.push(input.SecretString ?? "");
    return described;
  }
  return "InvalidAction";
}

/** The service's messages can quote requests and must not be passed on. */
const quoted = (body: unknown): string => `failed to satisfy constraint: ${JSON.stringify(body)}`;
