import { loadConfig } from "../../../lib/config.ts";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { createTokenService } from "../../../lib/platform/secrets/tokens.ts";
import { startPracticeTutor } from "../../../scripts/dev/practice-tutor.ts";
import { startStandInServer } from "../../../scripts/dev/stand-in-server.ts";
import { seed } from "../../../scripts/seed.ts";
import { startDelayingProxy } from "../delaying-proxy.ts";
import { type BenchEnvironment, benchServiceSettings } from "../environment.ts";
import {
  type ClassroomIds,
  classroomPrompts,
  makeClassroom,
  measuredSignInAccount,
  replaceStoredAnswersWith40Chunks,
} from "./classroom.ts";
import type { RepeatedRequest } from "./load.ts";
import { type BenchmarkedOperation, buildBenchmarkedOperations } from "./operations.ts";

export type ServerUrlAndPid = { url: string; pid: number };

/** A client's request of an operation, with their own token. */
export type OperationRequestFactory = (operation: BenchmarkedOperation) => (one: number) => RepeatedRequest;

type Settings = Record<string, string>;

/** A class on a database whose first question is answered, and its requests. */
export type ClassroomLoadTest = {
  operations: BenchmarkedOperation[];
  classroom: ClassroomIds;
  sentBy: OperationRequestFactory;
  postmaster: number;
  /** Settings of every server on this database. */
  settings: Settings;
  /** Start the service and the bare server. Their processes end with the bench's environment. */
  startOurs(settings?: Settings): Promise<ServerUrlAndPid>;
  startBaseline(settings?: Settings): Promise<ServerUrlAndPid>;
  /** Settings of a server with that round trip to its database. */
  away(milliseconds: number): Promise<Settings>;
  close(): Promise<void>;
};

const administrator = 1;

/** Creates the class and has the tutor answer once. */
export async function prepareClassroomLoadTest(stage: BenchEnvironment): Promise<ClassroomLoadTest> {
  const tutor = await startPracticeTutor();
  const traces = await startStandInServer(async (_request, _body, response) => void response.end("{}"));
  const ends = [() => tutor.close(), () => traces.close()];
  const settings = {
    ...benchServiceSettings(stage.databaseUrl, tutor.url),
    ...{ OBS_HOST: traces.url, OBS_PUBLIC_KEY: "public key", OBS_SECRET_KEY: "secret key" },
    BCRYPT_COST: "12",
  };
  const database = await connectDatabase({ url: stage.databaseUrl });
  await seed(database.db, { now: new Date(), bcryptCost: 4 });
  await database.close();
  const classroom = await makeClassroom(
    stage.databaseUrl,
    await hashPassword(measuredSignInAccount.password, 12),
  );
  const sentBy = createRequestFactoryFromTokens(await signTokens(settings, classroom));
  const operations = buildBenchmarkedOperations(classroom);
  const startOurs = (own?: Settings) =>
    stage.start<ServerUrlAndPid>("platform-server.ts", { ...settings, ...own });
  await createPromptsAndStoreFirstAnswer((await startOurs()).url, sentBy, operations);
  await replaceStoredAnswersWith40Chunks(stage.databaseUrl, classroom);
  return {
    operations,
    classroom,
    sentBy,
    postmaster: stage.postmaster,
    settings,
    startOurs,
    startBaseline: (own) => stage.start<ServerUrlAndPid>("baseline/server.ts", { ...settings, ...own }),
    async away(milliseconds) {
      if (milliseconds === 0) return {};
      const url = new URL(stage.databaseUrl);
      const { port, close } = await startDelayingProxy(Number(url.port), milliseconds);
      ends.push(close);
      return { DATABASE_URL: Object.assign(url, { port: String(port) }).href };
    },
    async close() {
      for (const end of ends) await end();
    },
  };
}

/** Access tokens, the learners' in the order of the class. */
type ClassroomTokens = { admin: string; learners: readonly string[] };

/** Signs the tokens with the servers' key. */
async function signTokens(settings: Settings, { learners }: ClassroomIds): Promise<ClassroomTokens> {
  const tokens = createTokenService(loadConfig(settings), () => new Date());
  const tokenOf = async (id: number) => (await tokens.issue({ id })).access_token;
  return {
    admin: await tokenOf(administrator),
    learners: await Promise.all(learners.map(({ id }) => tokenOf(id))),
  };
}

export const createRequestFactoryFromTokens =
  ({ admin, learners }: ClassroomTokens): OperationRequestFactory =>
  (operation) =>
  (one) => {
    const { method, path, body } = operation.request(one);
    const token = operation.asAdmin ? admin : learners[one % learners.length];
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
    return { method, path: `/api/v1${path}`, headers, ...(body && { body: JSON.stringify(body) }) };
  };

/** Creates the prompts and the tutor's first answer, which is stored for the class. */
export async function createPromptsAndStoreFirstAnswer(
  base: string,
  sentBy: OperationRequestFactory,
  operations: readonly BenchmarkedOperation[],
): Promise<void> {
  const asAdmin = operations.find((one) => one.asAdmin);
  const answered = operations.find(({ name }) => name.startsWith("stored answer"));
  if (!asAdmin || !answered) throw new Error("the prepared operations do not exist");
  for (const prompt of classroomPrompts) {
    const request = () => ({ method: "POST" as const, path: "/prompts/", body: prompt });
    await fetchResponseText(base, sentBy({ ...asAdmin, request })(0));
  }
  await fetchResponseText(base, sentBy(answered)(0));
}

/** The response's text; throws on errors. */
export async function fetchResponseText(base: string, { path, ...init }: RepeatedRequest): Promise<string> {
  const response = await fetch(base + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
}
