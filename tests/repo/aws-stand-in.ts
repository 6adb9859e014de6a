import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createPatientServer } from "../support/patient-server.ts";

export type AwsStandIn = {
  url: string;
  /** Operations in order: `GetCallerIdentity`, `PUT`. */
  calls: string[];
  /** Ids of the keys that signed requests. */
  keys: Set<string>;
  /** Texts of the secrets by name. */
  secrets: Map<string, string>;
  close(): Promise<void>;
};

const account = "123456789012";

const stack = `arn:aws:cloudformation:eu-central-1:${account}:stack/s/1`;

const event = (id: number, status: string) => `<member><EventId>${id}</EventId><StackId>${stack}</StackId>
  <StackName>s</StackName><LogicalResourceId>s</LogicalResourceId><ResourceStatus>${status}</ResourceStatus>
  <ResourceType>AWS::CloudFormation::Stack</ResourceType></member>`;

/** AWS responses during a stack update. Everything else is denied. */
const answers: Record<string, string> = {
  GetCallerIdentity: `<Arn>arn:aws:iam::${account}:user/ada</Arn><UserId>A</UserId><Account>${account}</Account>`,
  DescribeStacks: `<Stacks><member><StackName>s</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>
    <StackStatus>UPDATE_COMPLETE</StackStatus></member></Stacks>`,
  DescribeStackResource: `<StackResourceDetail><LogicalResourceId>ServerlessDeploymentBucket</LogicalResourceId>
    <PhysicalResourceId>packages</PhysicalResourceId><ResourceType>AWS::S3::Bucket</ResourceType>
    <LastUpdatedTimestamp>2026-01-01T00:00:00Z</LastUpdatedTimestamp>
    <ResourceStatus>CREATE_COMPLETE</ResourceStatus></StackResourceDetail>`,
  ValidateTemplate: "",
  DeleteChangeSet: "",
  CreateChangeSet: `<Id>change</Id><StackId>${stack}</StackId>`,
  DescribeChangeSet: `<Status>CREATE_COMPLETE</Status><StackId>${stack}</StackId>`,
  ExecuteChangeSet: "",
  DescribeStackEvents: `<StackEvents>${event(2, "UPDATE_COMPLETE")}${event(1, "UPDATE_IN_PROGRESS")}</StackEvents>`,
  ListStackResources: "<StackResourceSummaries></StackResourceSummaries>",
};

const denied = (call: string) =>
  `<ErrorResponse><Error><Code>AccessDenied</Code><Message>not ${call}</Message></Error></ErrorResponse>`;

/** An AWS account with these settings in its secret. Calls `onChange` before its stack changes. */
export async function startAwsStandIn(settings: object, onChange = async () => {}): Promise<AwsStandIn> {
  const calls: string[] = [];
  const keys = new Set<string>();
  const secrets = new Map([["learning-platform/production/settings", JSON.stringify(settings)]]);
  const server = createPatientServer(async (request, response) => {
    const body = await text(request);
    const call = nameOf(request, body);
    calls.push(call);
    keys.add(/Credential=([^/]+)/.exec(request.headers.authorization ?? "")?.[1] ?? "none");
    if (call === "CreateChangeSet") await onChange();
    const answer = answers[call];
    if (/Secret/.test(call)) {
      const { SecretId, Name = SecretId, SecretString = secrets.get(Name) } = JSON.parse(body);
      if (SecretString === undefined)
        response.writeHead(400).end(JSON.stringify({ __type: "ResourceNotFoundException" }));
      else {
        secrets.set(Name, SecretString);
        response.end(JSON.stringify({ SecretString, VersionId: "version-7" }));
      }
    }
    // The rest is S3's and the query APIs'.
    else if (call === "GET") response.end("<ListBucketResult></ListBucketResult>");
    else if (["HEAD", "PUT"].includes(call)) response.setHeader("etag", '"1"').end();
    else if (answer !== undefined)
      response.end(`<${call}Response><${call}Result>${answer}</${call}Result></${call}Response>`);
    else response.writeHead(403).end(denied(call));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    keys,
    secrets,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The operation: in a header (Secrets Manager), in the body (STS, CloudFormation) or the method (S3). */
function nameOf({ headers, method = "" }: IncomingMessage, body: string): string {
  const target = /\.(\w+)$/.exec(String(headers["x-amz-target"] ?? ""))?.[1];
  return target ?? new URLSearchParams(body.length < 10_000 ? body : "").get("Action") ?? method;
}
