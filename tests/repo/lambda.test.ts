import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import type { EndpointGroup } from "../../lib/http/endpoint.ts";
import { openApiPath } from "../../lib/http/paths.ts";
import { jobs } from "../../lib/platform/jobs/jobs.ts";
import { awsAlarms } from "../../scripts/build/alerts/rules.ts";
import { sizeFault } from "../../scripts/build/package-budgets.ts";
import {
  folderOf,
  gatewayPathOfEvent,
  type PackagedService,
  type Resource,
  serverless,
} from "../../scripts/build/package-service.ts";
import { packageSizes } from "../../scripts/build/package-sizes.ts";
import { parameterSettings } from "../../scripts/build/settings/placements.ts";
import { readZip } from "../../scripts/build/zip.ts";
import { secretGroupOf } from "../../scripts/ops/deployment/secret-groups.ts";
import { emptyDatabase } from "../support/database.ts";
import { packagedFor, packagedService } from "../support/packaged-service.ts";
import { createPatientServer } from "../support/patient-server.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { startAwsStandIn } from "./aws-stand-in.ts";

const root = path.resolve(import.meta.dirname, "../..");
const foldersWith = (file: string): string[] =>
  globSync(`functions/*/*/${file}`, { cwd: root }).map((found) => path.basename(path.dirname(found)));

/** A folder without a group is a scheduled function: it answers no requests. */
const folders = { functions: foldersWith("handler.ts").sort(), groups: foldersWith("app.ts") };

let folder: string;
let packaged: PackagedService;

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-package-"));
  packaged = await packagedService();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** CloudFormation's linter, a Python package: `pip install cfn-lint`. */
function cfnLint(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, "cfn-lint")).find((file) => existsSync(file));
}

/** A script that a function hands to browsers. */
const isServed = (file: string): boolean => /^(node_modules|app\/built)\/|\/(vendor|page)\//.test(file);

const ofType = (type: string): Resource[] =>
  Object.values(packaged.template.Resources).filter(({ Type }) => Type === type);

/** The functions' properties by name, as CloudFormation receives them. */
const functions = (): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    ofType("AWS::Lambda::Function").map(({ Properties }) => [
      String(Properties["FunctionName"]).replace("learning-platform-service-production-", ""),
      Properties,
    ]),
  );

const ofSchedule = [...new Set(Object.values(jobs).map((job) => job.function))];

/** Functions that the schedule calls, and functions that a client waits for. */
function functionsByCaller() {
  const all = Object.entries(functions());
  const isScheduled = ([name]: [string, unknown]) => ofSchedule.includes(name);
  return {
    scheduled: Object.fromEntries(all.filter(isScheduled)),
    asked: Object.fromEntries(all.filter((one) => !isScheduled(one))),
  };
}

/** The function to which API Gateway sends a path: the one with the most specific match. */
function functionOf(asked: string): string | undefined {
  const matching = Object.entries(packaged.service.functions).flatMap(([name, { events }]) =>
    events
      .map(gatewayPathOfEvent)
      .filter((pattern) => pattern !== undefined)
      .filter((pattern) => matches(pattern, asked))
      .map((pattern) => ({ name, pattern })),
  );
  return matching.sort((one, two) => two.pattern.length - one.pattern.length)[0]?.name;
}

function matches(pattern: string, asked: string): boolean {
  const prefix = pattern.replace(/\{proxy\+\}$/, "");
  return pattern.endsWith("{proxy+}") ? asked.startsWith(prefix) && asked !== prefix : pattern === asked;
}

const groupOf = async (name: string): Promise<EndpointGroup | undefined> =>
  Object.values<EndpointGroup>(await import(path.join(root, folderOf(packaged, name), "app.ts")))[0];

describe("the package", () => {
  it("has a function for each folder, and one zip for each function", async () => {
    expect(Object.keys(packaged.service.functions).sort()).toEqual(folders.functions);
    const handlers = globSync("functions/*/*/handler.ts", { cwd: root }).sort();
    const deployed = Object.values(packaged.service.functions).map(({ handler }) => handler);
    expect(deployed.sort()).toEqual(handlers.map((file) => file.replace(/\.ts$/, ".handler")));
    const zips = (await readdir(packaged.folder)).filter((file) => file.endsWith(".zip"));
    expect(zips.sort()).toEqual(folders.functions.map((name) => `${name}.zip`).sort());
  });

  it("has the groups of the list that the local server and the API document use", async () => {
    const ofFolders = await Promise.all(folders.groups.map(groupOf));
    expect(new Set(ofFolders)).toEqual(new Set(allEndpointGroups));
  });

  it("sends every operation to the function of its group", async () => {
    for (const folder of folders.groups) {
      const group = await groupOf(folder);
      for (const { contract } of group?.endpoints ?? []) {
        const asked = openApiPath("/api/v1", group as EndpointGroup, contract).replaceAll(/\{\w+\}/g, "1");
        expect(functionOf(asked.replace(/(.)\/$/, "$1")), asked).toBe(folder);
      }
    }
  });

  it("contains each function's minified modules, and their source maps next to the zips", async () => {
    for (const name of folders.functions) {
      const files = await readZip(path.join(packaged.folder, `${name}.zip`));
      const modules = files.filter((file) => /\.([cm]?[jt]s|map)$/.test(file.name) && !isServed(file.name));
      expect(modules.map((file) => file.name)).toContain(`${folderOf(packaged, name)}/handler.mjs`);
      const text = modules.map((file) => file.read().toString()).join("\n");
      expect(text.length / text.split("\n").length, `${name}: characters in a line`).toBeGreaterThan(200);
      for (const file of modules) {
        expect(file.name).toMatch(new RegExp(`^${folderOf(packaged, name)}/handler\\.([\\w-]+\\.)?mjs$`));
        await access(path.join(packaged.folder, "bundles", name, `${path.basename(file.name)}.map`));
      }
    }
  });

  /** The files of a function's package as esbuild wrote them. */
  async function outputsOf(name: string) {
    const metafile = path.join(packaged.folder, "bundles", name, "metafile.json");
    const { outputs }: Metafile = JSON.parse(await readFile(metafile, "utf8"));
    return outputs;
  }

  /** The inputs of a function's package: all, and those read at its start. */
  async function inputsOf(name: string) {
    const outputs = await outputsOf(name);
    const files = Object.keys(outputs);
    const reached = new Set(files.filter((file) => outputs[file]?.entryPoint?.endsWith("/handler.ts")));
    // Visits elements that are added during the loop.
    for (const file of reached)
      for (const { path: next, kind } of outputs[file]?.imports ?? [])
        if (kind === "import-statement" && outputs[next]) reached.add(next);
    const inputs = (some: Iterable<string>) =>
      [...some].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})).join("\n");
    return { packed: inputs(files), atStart: inputs(reached) };
  }

  it("is within the budget of each function's size", async () => {
    const sizes = await packageSizes(packaged);
    expect(sizes.map(({ name }) => name).sort()).toEqual(folders.functions);
    expect(sizes.flatMap((size) => sizeFault(size) ?? [])).toEqual([]);
  });

  it("starts a function without modules that are loaded on demand", async () => {
    const [assessments, users, certificates, chat, auth] = await Promise.all(
      ["assessments", "users", "certificates", "chat", "auth"].map(inputsOf),
    );
    expect(assessments?.packed).toContain("lib/assessment/qti/pool-exchange.ts");
    expect(assessments?.atStart).not.toContain("lib/assessment/");
    expect(users?.atStart).not.toMatch(/node_modules\/(ical-generator|bcryptjs)\//);
    expect(certificates?.atStart).not.toContain("node_modules/pdfkit/");
    expect(chat?.atStart).not.toMatch(/node_modules\/(openai|@anthropic-ai|@aws-sdk)\//);
    expect(auth?.packed).toContain("node_modules/@zxcvbn-ts/language-common/");
    expect(auth?.packed).not.toMatch(/@zxcvbn-ts\/language-common\/.*(diceware|adjacency)/);
    expect(auth?.atStart).not.toContain("node_modules/@zxcvbn-ts/");
  });

  it("starts a function without its operations, unless they are in one file", async () => {
    for (const name of folders.groups) {
      const { packed, atStart } = await inputsOf(name);
      const table = await readFile(path.join(root, folderOf(packaged, name), "app.ts"), "utf8");
      const own = [...table.matchAll(/from "\.\/([\w-]+\.ts)"/g)].map(
        ([, file]) => `${folderOf(packaged, name)}/${file}`,
      );
      for (const file of own) {
        expect(packed).toContain(file);
        expect(atStart.includes(file), file).toBe(own.length === 1);
      }
    }
  });

  it("has the readers of files in a separate file, for a thread, and with each function that reads files", async () => {
    const readers: Record<string, string[]> = {};
    for (const name of folders.functions) {
      const files = await readZip(path.join(packaged.folder, `${name}.zip`));
      const own = files.flatMap((file) => /handler\.([\w-]+-reader)\.mjs$/.exec(file.name)?.[1] ?? []);
      if (own.length > 0) readers[name] = own.sort();
    }
    expect(readers).toEqual({
      assessments: ["grades-reader", "items-reader", "questions-reader"],
      content: ["captions-reader"],
      "file-checks": ["cartridge-reader", "document-text-reader", "scorm-manifest-reader"],
      maintenance: ["metadata-reader"],
      saml: ["response-reader"],
      scorm: ["scorm-manifest-reader"],
      universities: ["metadata-reader", "rows-reader"],
    });
    const { packed, atStart } = await inputsOf("universities");
    expect(packed).toContain("lib/integrations/imports/one-roster.ts");
    expect(atStart).not.toContain("node_modules/csv-parse/");
  });

  it("asks by require for Node's own modules alone, which is all that it finds", async () => {
    for (const name of folders.functions) {
      const required = Object.values(await outputsOf(name)).flatMap(({ imports }) =>
        imports.filter(({ kind }) => kind === "require-call").map((one) => one.path),
      );
      // pg would use it instead if it were installed and NODE_PG_FORCE_NATIVE were set.
      const others = required.filter((asked) => !isBuiltin(asked) && asked !== "pg-native");
      expect(others, name).toEqual([]);
    }
  });

  it("shares modules between a handler and the files of its threads", async () => {
    const { packed } = await inputsOf("saml");
    const libraries = packed
      .split("\n")
      .filter((input) => input.endsWith("@node-saml/node-saml/lib/saml.js"));
    expect(libraries).toHaveLength(1);
  });

  it("reads AWS credentials from the environment alone, where Lambda puts them", async () => {
    for (const name of ["files", "universities"]) {
      const { packed } = await inputsOf(name);
      expect(packed).toContain("@aws-sdk/credential-provider-env/");
      expect(packed).not.toContain("@aws-sdk/nested-clients/");
    }
  });

  it("excludes unused declarations", async () => {
    const files = await readZip(path.join(packaged.folder, "progress.zip"));
    const texts = files.filter((file) => file.name.endsWith(".mjs")).map((file) => file.read().toString());
    expect(texts.join()).toContain('"user_content_progress",{');
    expect(texts.join()).not.toContain('"course_subjects",{');
  });

  it("has in each zip the licences of its bundle's packages, and no others", async () => {
    const noticeIn = async (name: string) => {
      const files = await readZip(path.join(packaged.folder, `${name}.zip`));
      const [notice, ...more] = files.filter((file) => file.name.endsWith(".licenses.txt"));
      expect([notice?.name, more]).toEqual([`${folderOf(packaged, name)}/handler.licenses.txt`, []]);
      return notice?.read().toString() ?? "";
    };
    const [chat, mail] = [await noticeIn("chat"), await noticeIn("mail")];
    for (const text of [chat, mail]) expect(text).toMatch(/drizzle-orm \S+ \(Apache-2\.0\)/);
    expect(chat).toMatch(/hono \S+ \(MIT\)[\s\S]*Permission is hereby granted/);
    expect([chat, mail].map((text) => text.includes("nodemailer"))).toEqual([false, true]);
  });
});

describe("on AWS", () => {
  it("functions run on Node 24 and arm64, in the requested region and stage", () => {
    expect(Object.keys(functions()).sort()).toEqual(folders.functions);
    for (const properties of Object.values(functions()))
      expect(properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
    expect(JSON.stringify(packaged.template)).toContain("eu-central-1");
    expect(JSON.stringify(packaged.template)).not.toContain("eu-west-2");
  });

  it("each function has the memory and the time that its work takes", () => {
    const { scheduled, asked } = functionsByCaller();
    const { auth, saml, chat, cartridges, ...others } = asked;
    expect(auth).toMatchObject({ MemorySize: 1769, Timeout: 29 });
    expect(saml).toMatchObject({ MemorySize: 1769, Timeout: 29 });
    expect(chat).toMatchObject({ MemorySize: 512, Timeout: 300 });
    expect(cartridges).toMatchObject({ MemorySize: 1024, Timeout: 300 });
    const {
      "cache-cleanup": cleanup,
      "file-checks": checks,
      "lti-services": services,
      maintenance,
      trials,
      warming,
      ...minutely
    } = scheduled;
    expect(warming).toMatchObject({ MemorySize: 512, Timeout: 900 });
    // A call of the LLM takes two minutes at most, as in chat.
    expect(trials).toMatchObject({ MemorySize: 512, Timeout: 300 });
    // LMSs may respond slowly.
    expect(services).toMatchObject({ MemorySize: 512, Timeout: 300 });
    // Reading the largest file takes longer than a minute's other work.
    expect(checks).toMatchObject({ MemorySize: 512, Timeout: 300 });
    expect(cleanup).toMatchObject({ MemorySize: 512, Timeout: 900 });
    expect(maintenance).toMatchObject({ MemorySize: 512, Timeout: 900 });
    for (const one of Object.values(minutely)) expect(one).toMatchObject({ MemorySize: 512, Timeout: 120 });
    for (const other of Object.values(others)) expect(other).toMatchObject({ MemorySize: 1024, Timeout: 29 });
  });

  it("in production new passwords have 12 characters, and no number of failures locks an account by default", () => {
    for (const { Environment } of [functions()["auth"], functions()["users"]].map((one) => one ?? {}))
      expect(Environment).toMatchObject({
        Variables: { PASSWORD_MIN_LENGTH: "12", PASSWORD_REJECT_COMMON: "true", LOGIN_MAX_FAILURES: "" },
      });
  });

  it("the number of instances and of requests has the limits that were given", () => {
    const { scheduled, asked } = functionsByCaller();
    const { chat, ...others } = asked;
    expect(chat?.["ReservedConcurrentExecutions"]).toBe(50);
    for (const one of Object.values(scheduled))
      expect(one).not.toHaveProperty("ReservedConcurrentExecutions");
    for (const other of Object.values(others)) expect(other["ReservedConcurrentExecutions"]).toBe(10);
    const throttle = {
      ResourcePath: "/*",
      HttpMethod: "*",
      ThrottlingRateLimit: "20",
      ThrottlingBurstLimit: "40",
    };
    const stage = { StageName: "production", MethodSettings: [throttle] };
    expect(ofType("AWS::ApiGateway::Stage").map(({ Properties }) => Properties)).toMatchObject([stage]);
  });

  it("answers of chat are streamed for up to five minutes, those of users, certificates, cartridges and packages are streamed, and all others are sent as a whole", () => {
    const integrations = ofType("AWS::ApiGateway::Method").map(
      ({ Properties }) => Properties["Integration"] as Record<string, unknown>,
    );
    const ofChat = integrations.filter(({ Uri }) => JSON.stringify(Uri).includes("ChatLambdaFunction"));
    expect(ofChat).toHaveLength(packaged.service.functions["chat"]?.events.length ?? -1);
    for (const integration of ofChat) {
      expect(integration).toMatchObject({ ResponseTransferMode: "STREAM", TimeoutInMillis: 300_000 });
      expect(JSON.stringify(integration["Uri"])).toContain("/response-streaming-invocations");
    }
    const streamed = integrations.filter((integration) => integration["ResponseTransferMode"] === "STREAM");
    const functionsOf = (some: typeof streamed) =>
      new Set(some.map(({ Uri }) => /(\w+)LambdaFunction/.exec(JSON.stringify(Uri))?.[1]));
    expect(functionsOf(streamed)).toEqual(new Set(["Cartridges", "Certificates", "Chat", "Scorm", "Users"]));
  });

  it("the API has one regional endpoint, and its own answers have the service's shape of error", () => {
    const [api, ...more] = ofType("AWS::ApiGateway::RestApi");
    expect(api?.Properties["EndpointConfiguration"]).toEqual({ Types: ["REGIONAL"] });
    expect(more).toEqual([]);
    const responses = ofType("AWS::ApiGateway::GatewayResponse").map(({ Properties }) => Properties);
    expect(responses).toHaveLength(4);
    for (const { ResponseTemplates, ResponseParameters } of responses) {
      expect(Object.values(ResponseTemplates as object)[0]).toMatch(/^\{"detail":/);
      // Without these headers, a browser shows a page of another origin nothing.
      expect(ResponseParameters).toMatchObject({
        "gatewayresponse.header.Access-Control-Allow-Origin": "method.request.header.Origin",
        "gatewayresponse.header.Access-Control-Expose-Headers":
          "'Retry-After, X-Error-Code, x-amzn-RequestId'",
        "gatewayresponse.header.X-Content-Type-Options": "'nosniff'",
        "gatewayresponse.header.Content-Security-Policy": "'default-src; base-uri; frame-ancestors'",
        "gatewayresponse.header.Strict-Transport-Security": expect.stringMatching(/^'max-age=\d{8}'$/),
      });
    }
    const codes = responses.map(
      ({ ResponseParameters: parameters }) =>
        (parameters as Record<string, string>)["gatewayresponse.header.X-Error-Code"],
    );
    expect(codes.sort()).toEqual([
      "'not_found'",
      "'refused_by_gateway'",
      "'service_failed'",
      "'too_many_requests'",
    ]);
    const throttled = responses.find(({ ResponseType }) => ResponseType === "THROTTLED");
    expect(throttled?.["ResponseParameters"]).toMatchObject({ "gatewayresponse.header.Retry-After": "'1'" });
    expect(api?.Properties["MinimumCompressionSize"]).toBe(1024);
    expect(ofType("AWS::ApiGateway::Deployment")[0]?.DependsOn).toContain("UnknownPath");
  });

  it("the answer tree is pruned once a day, new events are counted twice an hour, and all frequent jobs run each minute", () => {
    const rules = ofType("AWS::Events::Rule").map(({ Properties }) => Properties);
    expect(rules.map((rule) => rule["ScheduleExpression"])).toEqual([
      "cron(30 3 * * ? *)",
      "cron(30 3 * * ? *)",
      "cron(0/30 * * * ? *)",
      ...Array(7).fill("rate(1 minute)"),
    ]);
    const minutely = JSON.stringify(rules.splice(3).map((rule) => rule["Targets"]));
    expect(minutely).toContain("QuizDashdeadlinesLambdaFunction");
    expect(minutely).toContain("MailLambdaFunction");
    expect(minutely).toContain("ImportsLambdaFunction");
    expect(minutely).toContain("FileDashchecksLambdaFunction");
    expect(minutely).toContain("WarmingLambdaFunction");
    expect(minutely).toContain("TrialsLambdaFunction");
    const [cleanup, maintenance, upkeep] = rules.map(
      ({ State, Targets }) => `${State} ${JSON.stringify(Targets)}`,
    );
    expect(cleanup).toMatch(/^ENABLED .*CacheDashcleanupLambdaFunction/);
    expect(maintenance).toMatch(/^ENABLED .*MaintenanceLambdaFunction/);
    expect(upkeep).toMatch(/^ENABLED .*MaintenanceLambdaFunction/);
    expect(upkeep).toContain('\\"job\\":\\"upkeep');
  });

  it("logs of every function are stored for three months", () => {
    const kept = ofType("AWS::Logs::LogGroup").map(({ Properties }) => Properties["RetentionInDays"]);
    expect(kept).toEqual([...folders.functions, "the gateway"].map(() => 90));
  });

  it("alarms report functions that fail, are too many or take long, the gateway, and the schedule", () => {
    const alarms = ofType("AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
    const measured = (metric: string) =>
      alarms.flatMap(({ Metrics = [] }) =>
        (Metrics as { MetricStat?: { Metric: { MetricName: string; Dimensions: { Value: object }[] } } }[])
          .filter(({ MetricStat }) => MetricStat?.Metric.MetricName === metric)
          .map(({ MetricStat }) => JSON.stringify(MetricStat?.Metric.Dimensions)),
      );
    // Streaming functions take as long as the stream.
    const long = ["chat", "cartridges", ...ofSchedule].length;
    for (const metric of ["Errors", "Throttles"])
      expect(new Set(measured(metric)).size, metric).toBe(folders.functions.length);
    expect(new Set(measured("Duration")).size).toBe(folders.functions.length - long);
    const frequent = new Set(measured("Invocations")).size;
    expect(frequent).toBe(ofSchedule.length - 1);
    const reckoned = `${folders.functions.length} functions × 2 + ${folders.functions.length - long} + ${frequent} + 4 − 10`;
    expect(readFileSync(path.join(root, "docs/operations.md"), "utf8")).toContain(reckoned);
    expect(alarms.map(({ MetricName }) => MetricName).filter(Boolean)).toEqual([
      "5XXError",
      "Count",
      "ConcurrentExecutions",
      "ApproximateNumberOfMessagesVisible",
    ]);
    const [silent, ...others] = alarms.filter(
      ({ ComparisonOperator }) => ComparisonOperator === "LessThanThreshold",
    );
    expect(others).toEqual([]);
    expect(silent).toMatchObject({ Threshold: 1, AlarmDescription: expect.stringContaining("for an hour") });
    // A function without a call has no data, which counts as none.
    expect(JSON.stringify(silent?.["Metrics"]).match(/FILL\(m\d, 0\)/g)).toHaveLength(frequent);
    const thresholds = alarms.filter(({ MetricName }) => /^C/.test(String(MetricName)));
    // Four fifths of the requests that the throttle allows in a minute, and of the account's concurrent
    // functions.
    expect(thresholds.map(({ Threshold }) => Threshold)).toEqual([0.8 * 20 * 60, 800]);
    const named = Object.entries(packaged.template.Resources).flatMap(([id, { Type }]) =>
      Type === "AWS::CloudWatch::Alarm" ? id.replace(/^Alarm|\d+$/g, "") : [],
    );
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(awsAlarms).toSorted());
    for (const { AlarmActions, Metrics } of alarms) {
      expect(AlarmActions).toEqual(["arn:aws:sns:eu-central-1:123456789012:on-call"]);
      // The expression is one more: CloudWatch rejects an alarm on more than ten metrics.
      expect((Metrics as unknown[] | undefined)?.length ?? 0).toBeLessThanOrEqual(11);
    }
  });

  it("failed scheduled events are stored for two weeks, and events of each minute are not retried", () => {
    expect(ofType("AWS::SQS::Queue")[0]?.Properties["MessageRetentionPeriod"]).toBe(14 * 86_400);
    const configured = ofType("AWS::Lambda::EventInvokeConfig").map(({ Properties }) => [
      (Properties["FunctionName"] as { Ref: string }).Ref,
      Properties["MaximumRetryAttempts"],
      JSON.stringify(Properties["DestinationConfig"]).includes("FailedSchedules"),
    ]);
    expect(configured).toEqual([
      ["CacheDashcleanupLambdaFunction", 2, true],
      ["MailLambdaFunction", 0, true],
      ["QuizDashdeadlinesLambdaFunction", 0, true],
      ["WarmingLambdaFunction", 0, true],
      ["ImportsLambdaFunction", 0, true],
      ["FileDashchecksLambdaFunction", 0, true],
      ["TrialsLambdaFunction", 0, true],
    ]);
  });

  it("a sign-in wakes the function that sends mail, and an import, a cartridge, a file, a warming, a trial and a rollout wake the functions that process them", () => {
    const woken = ofType("AWS::Logs::SubscriptionFilter").map(({ Properties }) => [
      Properties["LogGroupName"],
      Properties["DestinationArn"],
    ]);
    expect(woken).toEqual([
      [{ Ref: "AuthLogGroup" }, { "Fn::GetAtt": ["MailLambdaFunction", "Arn"] }],
      [{ Ref: "SamlLogGroup" }, { "Fn::GetAtt": ["MailLambdaFunction", "Arn"] }],
      [{ Ref: "UniversitiesLogGroup" }, { "Fn::GetAtt": ["ImportsLambdaFunction", "Arn"] }],
      [{ Ref: "CartridgesLogGroup" }, { "Fn::GetAtt": ["FileDashchecksLambdaFunction", "Arn"] }],
      [{ Ref: "FilesLogGroup" }, { "Fn::GetAtt": ["FileDashchecksLambdaFunction", "Arn"] }],
      [{ Ref: "ContentLogGroup" }, { "Fn::GetAtt": ["WarmingLambdaFunction", "Arn"] }],
      [{ Ref: "PromptsLogGroup" }, { "Fn::GetAtt": ["TrialsLambdaFunction", "Arn"] }],
      [{ Ref: "PromptsLogGroup" }, { "Fn::GetAtt": ["WarmingLambdaFunction", "Arn"] }],
    ]);
  });

  it("the gateway logs each request by its route, and no path, which may hold a token", () => {
    const [stage] = ofType("AWS::ApiGateway::Stage");
    const { Format = "" } = (stage?.Properties["AccessLogSetting"] ?? {}) as { Format?: string };
    expect(JSON.parse(Format)).toMatchObject({
      route: "$context.resourcePath",
      status_code: "$context.status",
    });
    expect(Format).not.toMatch(/\$context\.path|querystring/i);
    expect(stage?.DependsOn).toBe("GatewayMayLog");
  });

  it("requests are followed by X-Ray, and the API has the name that was given, with its path", () => {
    for (const properties of Object.values(functions()))
      expect(properties["TracingConfig"]).toEqual({ Mode: "Active" });
    expect(ofType("AWS::ApiGateway::Stage")[0]?.Properties["TracingEnabled"]).toBe(true);
    expect(ofType("AWS::ApiGateway::DomainName")[0]?.Properties).toMatchObject({
      DomainName: "learn.example.edu",
      SecurityPolicy: "TLS_1_2",
    });
    expect(ofType("AWS::ApiGateway::BasePathMapping")[0]?.Properties["BasePath"]).toBe("lms");
    expect(functions()["auth"]?.["Environment"]).toMatchObject({
      Variables: { PUBLIC_URL: "https://learn.example.edu/lms" },
    });
  });

  const linter = cfnLint();
  it.skipIf(!linter)(
    `the template has nothing to warn of${linter ? "" : ": skipped, cfn-lint is not installed"}`,
    () => {
      const template = path.join(packaged.folder, "cloudformation-template-update-stack.json");
      execFileSync(String(linter), ["--regions", "eu-central-1", "--", template], { stdio: "pipe" });
    },
  );

  it("the stack outputs its URLs", () => {
    const addressOf = (name: string) => JSON.stringify(packaged.template.Outputs[name]?.Value);
    expect(addressOf("ApiUrl")).toMatch(/\/production\/api\/v1"/);
    expect(addressOf("DocumentationUrl")).toMatch(/\/production\/docs"/);
    expect(addressOf("HealthUrl")).toMatch(/\/production\/readyz"/);
  });
});

describe("`serverless deploy`", () => {
  beforeAll(async () => {
    const profile = (name: string, id: string) =>
      `[${name}]\naws_access_key_id = ${id}\naws_secret_access_key = secret-of-the-test\n`;
    await mkdir(path.join(folder, ".aws"));
    await writeFile(
      path.join(folder, ".aws/credentials"),
      profile("default", "key-of-another-account") + profile("learning", "key-of-the-profile"),
    );
  });

  /** The framework's own command for a package, as the profile `learning`. */
  async function deploy(from: string, settings: object, onChange?: () => Promise<void>) {
    const aws = await startAwsStandIn(settings, onChange);
    const env = {
      ...{ PATH: process.env["PATH"], HOME: folder, AWS_ENDPOINT_URL: aws.url },
      SLS_AWS_MONITORING_FREQUENCY: "1",
    };
    const run = { cwd: path.join(path.dirname(packaged.folder), "project"), env, timeout: 300_000 };
    const words = [
      serverless,
      "deploy",
      "--package",
      from,
      ...packagedFor,
      "--force",
      "--aws-profile",
      "learning",
    ];
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, words, run, (error, stdout, stderr) =>
        resolve(
          `${error ? (error.killed ? "ended after 300 seconds" : "failed") : "succeeded"}: ${stdout}${stderr}`,
        ),
      ),
    );
    await aws.close();
    return { output, calls: aws.calls, keys: aws.keys, secrets: aws.secrets };
  }

  const SECRET_KEY = "0123456789abcdef0123456789abcdef";
  const enough = { SECRET_KEY, LLM_PROVIDER: "cloud_managed" };
  const tablesOf = "select tablename from pg_tables where schemaname in ('public', 'drizzle')";

  it("checks the deployer and the settings, reports all faults, and has changed nothing", async () => {
    const database = await emptyDatabase();
    const settings = { ...enough, DATABASE_URL: database.url, SECRET_KEY: "short" };
    const { output, calls } = await deploy(packaged.folder, settings);
    expect(output).toMatch(/^failed: .*Nothing was changed.*SECRET_KEY: must have 32/s);
    expect(new Set(calls)).toEqual(new Set(["GetCallerIdentity", "GetSecretValue"]));
    expect(await database.run(tablesOf)).toEqual([]);
    await database.drop();
  });

  it("migrates between the upload of a valid template and the new code; then checks the responses, and fails with their errors", async () => {
    const database = await emptyDatabase();
    const deployed = await startAiling();
    let tables: unknown[] = [];
    const { output, calls, keys, secrets } = await deploy(
      await packageFor(deployed.url),
      { ...enough, DATABASE_URL: database.url, METRICS_TOKEN: "of the metrics" },
      async () => {
        tables = await database.run(tablesOf);
      },
    );
    await deployed.close();
    await database.drop();
    expect(output).toContain("Deploying as arn:aws:iam::123456789012:user/ada");
    expect(output).toMatch(/[1-9]\d* migrations, [1-9]\d* functions, views and triggers applied/);
    const steps = ["PUT", "ValidateTemplate", "CreateChangeSet", "ExecuteChangeSet"];
    expect([...new Set(calls)].filter((call) => steps.includes(call))).toEqual(steps);
    expect(tables).not.toEqual([]);

    expect(output).toContain("ok  its documentation is available");
    expect(output).toContain(
      "no  it runs, and its database is up to date: /readyz returned 503: no database",
    );
    expect(output).toMatch(/^failed: .*does not work correctly\. See `serverless rollback`/s);
    expect(deployed.asked).toEqual(expect.arrayContaining(["GET /readyz", "POST /api/v1/auth/login"]));
    // Each group of functions has a secret, with what it uses.
    const groups = [...new Set(folders.functions.map(secretGroupOf))];
    const names = ["settings", ...groups.map((group) => `settings/${group}`)];
    expect([...secrets.keys()].toSorted()).toEqual(
      names.map((name) => `learning-platform/production/${name}`).toSorted(),
    );
    for (const group of groups)
      expect(secrets.get(`learning-platform/production/settings/${group}`)?.includes("METRICS_TOKEN")).toBe(
        group === "metrics",
      );
    // Only the profile of `--aws-profile` signs requests.
    expect(keys).toEqual(new Set(["key-of-the-profile"]));
  });

  /** The package of a deployment with another URL. */
  async function packageFor(url: string): Promise<string> {
    const copy = path.join(folder, "package-of-another-address");
    await cp(packaged.folder, copy, { recursive: true });
    const state = path.join(copy, "serverless-state.json");
    const text = await readFile(state, "utf8");
    await writeFile(state, text.replaceAll("https://learn.example.edu/lms", url));
    return copy;
  }

  /** A deployment that answers everything correctly except its readiness. */
  async function startAiling() {
    const asked: string[] = [];
    const refused = { "x-request-id": "1", "content-type": "application/json" };
    const answers: Record<string, [status: number, body: string, headers?: Record<string, string>]> = {
      "GET /readyz": [503, "no database"],
      "GET /docs": [200, "<!doctype html>", { "content-type": "text/html" }],
      "GET /openapi.json": [200, '{"paths": {"/": {}}}'],
      "OPTIONS /api/v1/users/me": [204, ""],
    };
    const server = createPatientServer((request, response) => {
      const call = `${request.method} ${request.url}`;
      asked.push(call);
      const [status, body, headers] = answers[call] ?? [401, '{"detail": "Not authenticated"}', refused];
      response.writeHead(status, headers).end(body);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const close = () => new Promise((resolve) => server.close(resolve));
    return { url: `http://127.0.0.1:${port}`, asked, close };
  }
});

describe("permissions on AWS", () => {
  type Statement = { Action: string | string[]; Resource: unknown };

  const roleOf = (name: string): string => {
    const role = functions()[name]?.["Role"] as { "Fn::GetAtt": [string, "Arn"] } | undefined;
    return role?.["Fn::GetAtt"][0] ?? "";
  };

  function statementsOf(role: string): Statement[] {
    const policies = packaged.template.Resources[role]?.Properties["Policies"] as {
      PolicyDocument: { Statement: Statement[] };
    }[];
    return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  }

  const actionsOf = (role: string): string[] => statementsOf(role).flatMap(({ Action }) => Action);

  it("let chat, admin, warming and trials call models, the latter two also in batches, scheduled functions record failures, file functions store files, import functions read them, and all others only write logs", () => {
    const [clouds, queues, batches] = [["bedrock", "secretsmanager"], ["sqs"], ["iam", "s3"]];
    const further: Record<string, string[]> = {
      ...{ chat: clouds, admin: clouds },
      ...Object.fromEntries(ofSchedule.map((name) => [name, queues])),
      warming: [...clouds, ...queues, ...batches],
      trials: [...clouds, ...queues, ...batches],
      ...{
        files: ["s3"],
        "file-checks": ["s3", ...queues],
        assessments: ["s3"],
        content: ["s3"],
        universities: ["s3"],
        cartridges: ["s3"],
        scorm: ["s3"],
      },
    };
    const allowed = (name: string) =>
      new Set(
        actionsOf(roleOf(name))
          .map((action) => action.split(":")[0])
          .filter((service) => service !== "xray"),
      );
    for (const name of folders.functions)
      expect(allowed(name), name).toEqual(new Set(["logs", ...(further[name] ?? [])]));
  });

  it("let each function that reads uploads read the file store, and its handler has one", () => {
    const reading = globSync("functions/*/*/*.ts", { cwd: root }).filter((file) =>
      readFileSync(path.join(root, file), "utf8").includes("createImportFileFinder"),
    );
    const names = [...new Set(reading.map((file) => path.basename(path.dirname(file))))].toSorted();
    expect(names).toEqual(["assessments", "content", "universities"]);
    for (const file of reading) {
      const handler = readFileSync(path.join(root, path.dirname(file), "handler.ts"), "utf8");
      expect(handler, file).toContain("fileStoreDeps");
      expect(actionsOf(roleOf(path.basename(path.dirname(file)))), file).toContain("s3:GetObject");
    }
    expect(actionsOf(roleOf("assessments"))).toContain("s3:PutObject");
  });

  it("are each function's own, and let it write to its own log group only", () => {
    const roles = folders.functions.map(roleOf);
    expect(new Set(roles).size).toBe(folders.functions.length);
    for (const name of folders.functions) {
      const ofLogs = statementsOf(roleOf(name)).filter(({ Action }) => String(Action).includes("logs:"));
      expect(ofLogs.map(({ Action }) => Action)).toEqual([["logs:CreateLogStream", "logs:PutLogEvents"]]);
      const [{ Resource } = { Resource: undefined }] = ofLogs;
      const [group = ""] = (Resource as { "Fn::GetAtt": string[] })["Fn::GetAtt"];
      expect(packaged.template.Resources[group]?.Properties["LogGroupName"]).toBe(
        `/aws/lambda/${functions()[name]?.["FunctionName"]}`,
      );
    }
    // Roles that no function has are for jobs of other services.
    const unused = Object.entries(packaged.template.Resources).filter(
      ([id, { Type, Properties }]) =>
        Type === "AWS::IAM::Role" &&
        !roles.includes(id) &&
        JSON.stringify(Properties["AssumeRolePolicyDocument"]).includes("lambda.amazonaws.com"),
    );
    expect(unused.map(([id]) => id)).toEqual([]);
  });

  it("let chat, warming and trials read the secrets of the cloud credentials, the platform's and the universities', admin write them, and no other function", () => {
    const onSecrets = (name: string) =>
      statementsOf(roleOf(name)).filter(({ Action }) => [Action].flat()[0]?.startsWith("secretsmanager:"));
    const readers = folders.functions.filter((name) => onSecrets(name).length > 0);
    expect(readers).toEqual(["admin", "chat", "trials", "warming"]);
    for (const name of ["chat", "warming", "trials"])
      expect(onSecrets(name).flatMap(({ Action }) => Action)).toEqual(["secretsmanager:GetSecretValue"]);
    for (const { Resource } of readers.flatMap(onSecrets)) {
      const named = (Resource as { "Fn::Sub": [string, object] }[]).map((one) => one["Fn::Sub"]);
      const parts = { Region: "eu-central-1", Name: "learning-platform/production/cloud-credentials" };
      expect(named.map(([arn]) => arn)).toEqual([
        expect.stringMatching(/^arn:[^*]+:secretsmanager:[^*]+:secret:\$\{Name\}-\?{6}$/),
        expect.stringMatching(/^arn:[^*]+:secretsmanager:[^*]+:secret:\$\{Name\}\/\*-\?{6}$/),
      ]);
      for (const [, given] of named) expect(given).toEqual(parts);
    }
  });

  it("name no action and no resource by an asterisk alone", () => {
    for (const role of new Set(folders.functions.map(roleOf)))
      for (const { Action, Resource } of statementsOf(role)) {
        for (const action of [Action].flat()) expect(action).toMatch(/^\w+:\w+$/);
        // X-Ray's actions take no resources, and neither does the action that lists jobs.
        if (![Action].flat().every((action) => /^(xray:|bedrock:ListModelInvocationJobs$)/.test(action)))
          for (const resource of [Resource].flat()) expect(resource).not.toBe("*");
      }
  });
});

describe("batches of calls on AWS", () => {
  it("are made and found by warming and trials, which hand Bedrock its role and no other service", () => {
    for (const role of ["WarmingFunctionRole", "TrialsFunctionRole"]) {
      const policies = JSON.stringify(packaged.template.Resources[role]?.Properties["Policies"]);
      for (const action of ["Create", "Get", "Stop"])
        expect(policies).toContain(`bedrock:${action}ModelInvocationJob"`);
      expect(policies).toContain('"bedrock:ListModelInvocationJobs"');
      expect(policies).toContain(
        '"Action":"iam:PassRole","Resource":{"Fn::GetAtt":["BatchRole","Arn"]},' +
          '"Condition":{"StringEquals":{"iam:PassedToService":"bedrock.amazonaws.com"}}',
      );
      expect(policies).toContain('["s3:GetObject","s3:PutObject","s3:DeleteObject"]');
    }
  });

  it("are read, answered and called by Bedrock for this account alone", () => {
    expect(packaged.template.Resources["BatchRole"]?.Properties["AssumeRolePolicyDocument"]).toMatchObject({
      Statement: [
        {
          Principal: { Service: "bedrock.amazonaws.com" },
          Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
        },
      ],
    });
    const policies = JSON.stringify(packaged.template.Resources["BatchRole"]?.Properties["Policies"]);
    expect(policies).toContain('"bedrock:InvokeModel"');
    expect(policies).toContain('["s3:GetObject","s3:PutObject"]');
  });

  it("wait in a separate bucket, for three days at most", () => {
    expect(packaged.template.Resources["BatchBucket"]?.Properties["LifecycleConfiguration"]).toMatchObject({
      Rules: [{ Status: "Enabled", ExpirationInDays: 3 }],
    });
    for (const { Environment } of Object.values(functions()))
      expect((Environment as { Variables: object }).Variables).toMatchObject({
        CLOUD_BATCH_BUCKET: {
          "Fn::Sub": expect.stringMatching(/^s3:\/\/\$\{BatchBucket\}\?region=\$\{AWS::Region\}$/),
        },
        CLOUD_BATCH_ROLE_ARN: { "Fn::Sub": expect.stringMatching(/:role\/\$\{BatchRole\}$/) },
      });
  });
});

describe("the bucket of files", () => {
  const bucket = (name = "FilesBucket") => packaged.template.Resources[name];

  it.each(["FilesBucket", "BatchBucket"])(
    "is private and encrypted, outlives the stack, and is spoken to in private alone: %s",
    (name) => {
      expect(bucket(name)).toMatchObject({
        DeletionPolicy: "Retain",
        Properties: {
          PublicAccessBlockConfiguration: {
            ...{ BlockPublicAcls: true, BlockPublicPolicy: true },
            ...{ IgnorePublicAcls: true, RestrictPublicBuckets: true },
          },
          OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } },
            ],
          },
        },
      });
      expect(packaged.template.Resources[`${name}Policy`]?.Properties["PolicyDocument"]).toMatchObject({
        Statement: [{ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }],
      });
    },
  );

  it("accepts files from pages, and deletes incomplete uploads", () => {
    expect(bucket()?.Properties["CorsConfiguration"]).toMatchObject({
      CorsRules: [{ AllowedMethods: ["GET", "HEAD", "PUT"] }],
    });
    expect(bucket()?.Properties["LifecycleConfiguration"]).toMatchObject({
      Rules: [
        {
          Prefix: "uploads/",
          ExpirationInDays: 2,
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
        },
        { Prefix: "objects/", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } },
      ],
    });
    expect(bucket()).not.toHaveProperty("Properties.LifecycleConfiguration.Rules.1.ExpirationInDays");
  });

  it("stores the files of every function", () => {
    for (const { Environment } of Object.values(functions()))
      expect((Environment as { Variables: object }).Variables).toMatchObject({
        FILE_STORE: {
          "Fn::Sub": expect.stringMatching(/^s3:\/\/\$\{FilesBucket\}\?region=\$\{AWS::Region\}$/),
        },
      });
  });
});

describe("the environment on AWS", () => {
  const ofDeployment = ["SECRET_SETTINGS", "SECRET_VERSION", "NODE_OPTIONS"];

  it("has every setting that means something there, the secret ones by the secret's reference", () => {
    for (const [name, { Environment }] of Object.entries(functions())) {
      const { Variables } = Environment as { Variables: Record<string, string> };
      expect(Object.keys(Variables).sort()).toEqual([...parameterSettings, ...ofDeployment].sort());
      expect(Variables).toMatchObject({
        ENVIRONMENT: "production",
        CLOUD_REGION: "eu-central-1",
        SECRET_SETTINGS: `{{resolve:secretsmanager:learning-platform/production/settings/${secretGroupOf(name)}}}`,
      });
    }
    // CloudFormation resolves at most 60 references of a template.
    const references = JSON.stringify(packaged.template).match(/\{\{resolve:/g);
    expect(references).toHaveLength(folders.functions.length);
    expect(references?.length).toBeLessThanOrEqual(60);
  });

  it("leaves room next to the heap in the memory of each function", () => {
    for (const [name, { Environment, MemorySize }] of Object.entries(functions())) {
      const { Variables } = Environment as { Variables: Record<string, string> };
      const [, heap] = /^--max-old-space-size=(\d+)$/.exec(Variables["NODE_OPTIONS"] ?? "") ?? [];
      expect(Number(heap), name).toBeGreaterThanOrEqual(320);
      expect(Number(heap), name).toBeLessThanOrEqual((Number(MemorySize) * 5) / 8);
    }
  });

  it("takes no setting from the shell that packages", async () => {
    const source = await readFile(path.join(root, "serverless.yml"), "utf8");
    expect(source).not.toContain("${env:");
  });
});
