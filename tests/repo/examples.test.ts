import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoAdministrator, demoInstructor, demoStudent } from "../../scripts/dev/seed/accounts.ts";
import { seed } from "../../scripts/seed.ts";
import { askOn, type DryRun } from "../support/dry-run.ts";
import { type Operation, operations, pathOf } from "../support/operations.ts";
import { openUndone, type UndoneDatabase } from "../support/undone.ts";
import { openWorld } from "../support/world.ts";

/** The examples of the body of an operation. */
const examplesOf = ({ body: { example, examples = [] } = {} }: Operation): unknown[] =>
  example === undefined ? examples : [example];

/** What the demonstration cannot accept from an example, since it takes what only a moment or a further system gives. */
const takesMore: Readonly<Record<string, readonly string[]>> = {
  "a password or a token of one's own": [
    "login",
    "confirmPasswordReset",
    "verifyEmail",
    "acceptInvitationAnew",
    "acceptMyInvitation",
    "exchangeSignInCode",
    "changeMyPassword",
    "changeMyEmail",
    "eraseMyAccount",
  ],
  "an LMS, an identity provider, a directory or a grader": [
    "mapDirectoryGroup",
    "updateUniversityProvider",
    "grantProviderDomains",
    "changeOwnSamlKey",
    "updateLtiPlatform",
    "admitLtiDeployment",
    "linkLtiPerson",
    "bindLtiContext",
    "exchangeLtiCode",
    "readLtiTicket",
    "readLtiRoster",
    "makeLtiLinks",
    "autoGradeSubmission",
    "sendGradesToLms",
    "updateOfferingStaff",
  ],
  "an office that nobody holds yet": [
    "grantAccommodation",
    "setRetention",
    "placeRetentionHold",
    "makeDataRequest",
    "decideDataRequest",
  ],
  "something that was made before": [
    "setMyAvatar",
    "setUniversityLogo",
    "startCartridgeImport",
    "completeFile",
    "updateModuleTemplate",
    "updateAsset",
    "updateGroup",
    "putGroupMember",
    "setGroupDates",
    "updateFeatureRequest",
    "grantCourseExemption",
    "createPromptTrial",
    "voteOnPromptTrialCase",
    "createPromptRollout",
    "agreeOnGrade",
    "createFlashcardFromAnswer",
    "createFlashcardFromQuestion",
    "updateContentType",
    "issueCertificate",
  ],
  "another person or thing than the first ones": [
    "grantQuizOverride",
    "saveQuizResponses",
    "submitQuizAttempt",
    "createSubmission",
    "grantSubmissionOverride",
    "setGradingScheme",
    "setCourseGrade",
    "setItemGrade",
    "updateChatSession",
    "sendChatMessage",
    "rateChatAnswer",
    "handOverChatSession",
    "updateChatTopicTreeNode",
    "setChatTopicTreeKey",
    "beginPrivateThread",
    "writeCourseReview",
    "createCourse",
    "createModule",
    "updateModule",
    "createContent",
  ],
};

const world = openWorld();
let undone: UndoneDatabase;
let ask: DryRun["ask"];
let people: { id: number }[];

beforeAll(async () => {
  await seed(world.deps.db, { now: world.deps.now(), bcryptCost: 4 });
  const emails = [demoAdministrator, demoInstructor, demoStudent].map(({ email }) => email);
  const found = await world.deps.db.execute<{ id: number }>(sql`
    select u.id from users u left join user_university_roles r on r.user_id = u.id and r.role = 'platform_admin'
    where r.id is not null or u.email in ${emails}
    order by r.id is null, u.id`);
  people = found.rows;
  undone = await openUndone(world.deps.config.DATABASE_URL);
  ask = askOn({ world, personReads: [] }, undone);
});
afterAll(() => undone.close());

/** The things that have the first ids. */
const valuesAt = (id: number) =>
  new Proxy<Record<string, unknown>>(
    { prompt_name: "tutor", version: 1 },
    { get: (known, name: string) => known[name] ?? id },
  );

const placesOf = (operation: Operation) => [...new Set([1, 2].map((id) => pathOf(operation, valuesAt(id))))];

/** What is answered where nobody of the demonstration may send it to anything there; undefined where someone may. */
async function refusalOf(operation: Operation, body: unknown): Promise<string | undefined> {
  const { method, contract } = operation;
  const senders = contract.access.kind === "anyone" ? [undefined] : people;
  let answered = "";
  for (const path of placesOf(operation))
    for (const person of senders) {
      const { status, text } = await ask(person, { method, path, body });
      if (status < 300) return undefined;
      answered = `${status} ${text}`;
      if (status === 422) return answered;
    }
  return answered;
}

describe("the examples of the API document", () => {
  const waiting = new Set(Object.values(takesMore).flat());
  const all = operations.flatMap((operation) =>
    examplesOf(operation).map((body) => ({ operation, body, id: operation.contract.id })),
  );

  it("are accepted by the demonstration as they stand", async () => {
    const refused: string[] = [];
    for (const { operation, body, id } of all.filter((one) => !waiting.has(one.id))) {
      const answer = await refusalOf(operation, body);
      if (answer !== undefined) refused.push(`${id}: ${answer}`);
    }
    expect(refused).toEqual([]);
  }, 300_000);

  it("are of the right form where they take more than the demonstration has", async () => {
    expect([...waiting].filter((id) => !all.some((one) => one.id === id))).toEqual([]);
    const [administrator] = people;
    for (const { operation, body, id } of all.filter((one) => waiting.has(one.id))) {
      const path = pathOf(operation, valuesAt(1));
      const { status, text } = await ask(administrator, { method: operation.method, path, body });
      expect(status, `${id}: ${text}`).not.toBe(422);
      expect(status, `${id}: ${text}`).toBeLessThan(500);
    }
  }, 300_000);
});
