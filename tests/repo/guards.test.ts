import { inArray } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { can, type PolicyAction, policy } from "../../lib/identity/rbac/policy.ts";
import { createTokenService } from "../../lib/platform/secrets/tokens.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import type { Reply } from "../support/client.ts";
import { type DryRun, openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { addressOf, bodyOf, type Operation, operations } from "../support/operations.ts";
import { allOr, oneOfEach, peopleNextToChanges } from "../support/representatives.ts";
import { makeSamlProvider } from "../support/saml-provider.ts";
import type { Holder, UniversityFixture } from "../support/university.ts";
import type { World } from "../support/world.ts";

/** A response's verdict on the caller's rights. Rejections for other reasons count as admitted. */
type Verdict = "admitted" | "not signed in" | "inactive" | "forbidden" | "unseen" | "failed";

function verdictOf({ status, body }: Reply): Verdict {
  if (status >= 500) return "failed";
  if (status === 401 && body.detail === "Could not validate credentials") return "not signed in";
  if (status === 403 && body.detail === "Inactive user") return "inactive";
  if (status === 403 && /^Not (enough permissions|your .+)$/.test(body.detail)) return "forbidden";
  if (status === 404 || (status === 400 && body.detail?.endsWith("does not exist"))) return "unseen";
  return "admitted";
}

/** The URL name of the university's SAML provider. */
const federated = "federated";

async function addSamlProvider(world: World, { people, scope }: UniversityFixture): Promise<void> {
  const admin = people.find(({ held }) => held?.role === "platform_admin");
  const { metadata } = await makeSamlProvider(world.deps.now);
  const added = await world.as(admin).post(`/universities/${scope.university_id}/identity-providers`, {
    ...{ kind: "saml", name: federated, label: "Federated account", metadata: metadata() },
  });
  expect(added.status, added.text).toBe(201);
}

/** A valid request of an operation at the university. Public operations name no person. */
function requestOf(operation: Operation, { university }: DryRun) {
  const isOfAnyone = operation.contract.access.open === "published data";
  const { user_id, ...others } = operation.path.startsWith("/auth/saml/")
    ? { ...university.paths, provider: `${university.paths["university_id"]}.${federated}` }
    : university.paths;
  return {
    method: operation.method,
    path: addressOf(operation, isOfAnyone ? others : { ...others, user_id }),
    body: bodyOf(operation, university.fields),
  };
}

const names = (operation: Operation, thing: RegExp): boolean =>
  thing.test(operation.path) ||
  Object.keys(operation.body?.properties ?? {}).some((field) => thing.test(field));

/** The action required to see the operation's object. Undefined if everyone sees it. */
function seenWith(operation: Operation, isPublished: boolean): PolicyAction | undefined {
  // Files of an item.
  if (/^GET \/files\//.test(operation.name)) return isPublished ? undefined : "asset:read";
  // The tool belongs to the university, which names its courses.
  if (/^\/universities\/\S+\/lti-tools/.test(operation.path)) return undefined;
  // A profile picture belongs to no course.
  if (operation.contract.id === "createFile") return undefined;
  if (/\{trial_id\}/.test(operation.path) || operation.contract.id === "createPromptTrial")
    return "content:write";
  if (/^GET \S+\{rollout_id\}/.test(operation.name)) return "prompt:protected-label";
  if (/asset_id/.test(operation.path)) return "asset:read";
  if (/module_template_id/.test(operation.path)) return "module-template:read";
  if (/^\/users\/\{/.test(operation.path)) return "user:read";
  if (/\{(thread|post|announcement)_id\}/.test(operation.path)) return "discussion:read";
  if (/^\/chat\/topics|\/warm$/.test(operation.path)) return "course:read-unpublished";
  // Graders of a quiz find its questions without reading the pool.
  if (operation.contract.id === "throwOutQuestion")
    return isPublished ? undefined : "course:read-unpublished";
  if (/question(_pool)?_id/.test(operation.path)) return "question:read";
  if (/attempt_id/.test(operation.path)) return "attempt:read";
  if (/certificate_id/.test(operation.path)) return "certificate:read";
  if (/submission_id/.test(operation.path)) return "submission:read";
  const isOfCourse = names(
    operation,
    /^(content|module)_ids$|\b(course|offering|review|module|content(_item)?|assignment)_id/,
  );
  return isOfCourse && !isPublished ? "course:read-unpublished" : undefined;
}

/** Operations that need an office granted by a university, which no role includes. */
const isOfOffice = ({ path }: Operation): boolean =>
  /^\/universities\/.*\/(accommodations|retention|data-requests)/.test(path);

/** The verdict of policy and contract for a caller with that role in the university's department. */
function expectedFor(
  operation: Operation,
  { held }: Holder,
  { university }: DryRun,
  isPublished = true,
): Verdict {
  const { open, actions } = operation.contract.access;
  const maySee = (action: PolicyAction) => can(held ? [held] : [], action, university.scope);
  const [action, ...others] = actions;
  if (action && policy[action].where === "anywhere" && !maySee(action)) return "forbidden";

  const sight = seenWith(operation, isPublished);
  const isOthersOwn = /\{(enrollment|message|session)_id\}/.test(operation.path);
  // Returns 404 to everyone but the owner, including platform administrators.
  const isOwners = /\{(note|deck|flashcard|offer)_id\}|\/from-answer$|^(POST|DELETE) \/files\/\{file_id\}/;
  if (isOwners.test(operation.name)) return "unseen";
  // Imports use the caller's own files: another person's file is not found.
  if (operation.contract.id === "startCartridgeImport" && action && maySee(action)) return "unseen";
  if (!isOthersOwn && open !== "everything" && sight && !maySee(sight)) return "unseen";
  // Another learner's progress is for readers of tutor answers.
  if (operation.contract.id === "getTutorProgress")
    return maySee("tutor-answer:read") ? "admitted" : "forbidden";
  // Requires the right to move the version's label.
  if (/^POST \S+\/rollouts/.test(operation.name))
    return maySee("prompt:protected-label") ? "admitted" : "forbidden";
  // A department's role is hidden from administrators of other departments only.
  if (/\{role_id\}/.test(operation.path) && maySee("role:read") && !maySee("role:grant")) return "unseen";
  if (/\{invitation_id\}/.test(operation.path) && maySee("invitation:read") && !maySee("role:grant"))
    return "unseen";
  // Readers of another person's attempt may not take it.
  if (/\{attempt_id\}/.test(operation.path)) return action ? "admitted" : "forbidden";
  // Depends on an office from the university, not on a role.
  if (isOfOffice(operation)) return "forbidden";
  if (open === "everything" || open === "published data") return "admitted";
  const isWritersAlone = /^(PUT|DELETE) \S+\{post_id\}$/.test(operation.name);
  if (open === "own data" && !isOthersOwn && !isWritersAlone) return "admitted";
  // Of the further actions, those for scoped objects; others depend on the input.
  const isScoped = names(operation, /\b(asset|module_template|university)_id/);
  const isOfInput = (other: PolicyAction) =>
    policy[other].where === "anywhere" || other === "role:grant-for-university";
  const needed = isScoped ? others.filter((other) => !isOfInput(other)) : [];
  return action && [action, ...needed].every(maySee) ? "admitted" : "forbidden";
}

/** In `npm test` the university's people next to a change of the expected verdict. */
const callersOf = (operation: Operation, dryRun: DryRun, isPublished?: boolean) => {
  const { people } = dryRun.university;
  const expected = (person: Holder) => expectedFor(operation, person, dryRun, isPublished);
  return allOr(people, () => peopleNextToChanges(people, expected));
};

/** Sends requests as each caller. Describes unexpected verdicts and rejections that wrote data. */
async function surprises<Caller extends { name: string }>(
  callers: readonly Caller[],
  ask: (caller: Caller) => ReturnType<DryRun["ask"]>,
  expected: (caller: Caller) => Verdict,
): Promise<string[]> {
  const found: string[] = [];
  for (const caller of callers) {
    const reply = await ask(caller);
    const verdict = verdictOf(reply);
    if (verdict !== "admitted" && reply.wrote)
      found.push(`${caller.name}: ${verdict}, but something was written`);
    if (verdict !== expected(caller))
      found.push(`${caller.name}: ${verdict} instead of ${expected(caller)} (${reply.status} ${reply.text})`);
  }
  return found;
}

type Bearer = { name: string; token?: string; verdicts: { "signed in": Verdict; refreshing: Verdict } };

/** All substitutes for a valid token, with their verdicts. */
async function bearersOf({ world, university: { learner, inactive } }: DryRun): Promise<Bearer[]> {
  const { config, now, tokens } = world.deps;
  const forged = createTokenService({ ...config, SECRET_KEY: "another secret, long enough for HS256" }, now);
  const early = createTokenService(config, () => new Date(0));
  const [own, gone, ofInactive, ofForger, expired] = await Promise.all([
    tokens.issue(learner),
    tokens.issue({ id: 2_147_483_647 }),
    tokens.issue(inactive),
    forged.issue(learner),
    early.issue(learner),
  ]);
  const worthless = { "signed in": "not signed in", refreshing: "not signed in" } as const;
  return [
    { name: "no token", verdicts: worthless },
    { name: "not a token", token: "abc", verdicts: worthless },
    { name: "bad signature", token: ofForger.access_token, verdicts: worthless },
    { name: "bad signature on a refresh token", token: ofForger.refresh_token, verdicts: worthless },
    { name: "expired token", token: expired.access_token, verdicts: worthless },
    { name: "expired refresh token", token: expired.refresh_token, verdicts: worthless },
    { name: "unknown user", token: gone.access_token, verdicts: worthless },
    { name: "access token", token: own.access_token, verdicts: { ...worthless, "signed in": "admitted" } },
    { name: "refresh token", token: own.refresh_token, verdicts: { ...worthless, refreshing: "admitted" } },
    {
      name: "inactive user",
      token: ofInactive.access_token,
      verdicts: { ...worthless, "signed in": "inactive" },
    },
    {
      name: "refresh token of an inactive user",
      token: ofInactive.refresh_token,
      verdicts: { ...worthless, refreshing: "inactive" },
    },
  ];
}

describe("every operation", () => {
  const dryRun = openDryRun(addSamlProvider);
  const as = (person: { id: number } | undefined, operation: Operation) =>
    dryRun.ask(person, requestOf(operation, dryRun));
  let bearers: Bearer[];

  beforeAll(async () => {
    bearers = await bearersOf(dryRun);
  });

  it.each(operations)("$name requires the right token", async (operation) => {
    const { kind, open } = operation.contract.access;
    const isForAll = kind === "anyone" || kind === "maybe signed in";
    const isAnyones = isForAll || (open === "own data" && !isOfOffice(operation));
    const tried = bearers.filter(({ name }) => isAnyones || name !== "access token");
    const expected = ({ verdicts }: Bearer) => (isForAll ? "admitted" : verdicts[kind]);
    const found = await surprises(
      allOr(tried, () => oneOfEach(tried, expected, operations.indexOf(operation))),
      ({ token }) =>
        dryRun.ask(undefined, {
          ...requestOf(operation, dryRun),
          headers: token ? { authorization: `Bearer ${token}` } : {},
        }),
      expected,
    );
    expect(found).toEqual([]);
  });

  it.each(operations)("$name is open to the roles that the policy names", async (operation) => {
    if (operation.contract.access.kind === "refreshing") return;
    const found = await surprises(
      callersOf(operation, dryRun),
      (person) => as(person, operation),
      (person) => expectedFor(operation, person, dryRun),
    );
    expect(found).toEqual([]);
  });

  const guarded = operations.filter(({ contract: { access } }) => access.kind === "signed in");

  it.each(guarded)("$name looks at the token before the input", async (operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, "abc");
    const body = operation.body && "{";
    const reply = await dryRun.ask(undefined, { method: operation.method, path, body });
    expect(verdictOf(reply)).toBe("not signed in");
  });
});

describe("every operation of staff, in courses that they take", () => {
  let learners: Holder[] = [];
  const dryRun = openDryRun(async (world, { people, paths, fields, scope }) => {
    // Callers who would have all rights if not enrolled.
    learners = people.filter(
      ({ held }) => held && /^(ta|instructor)$/.test(held.role) && can([held], "grade:read", scope),
    );
    const offerings = [paths["offering_id"], fields["course_offering_id"]].map(Number);
    const make = makersOf(world);
    for (const { id } of learners) for (const offering of offerings) await make.enrollment(id, offering);
  });
  const ofOthers = operations.filter(({ contract: { access } }) => {
    const [action] = access.actions;
    return access.open === "nothing" && action && "apartFrom" in policy[action];
  });

  it.each(ofOthers)("$name is closed to staff up to instructor", async (operation) => {
    expect(learners.length).toBe(4);
    // In `npm test` an instructor, of the university or the department.
    const instructors = learners.filter(({ held }) => held?.role === "instructor");
    const few = () => oneOfEach(instructors, () => "instructor", operations.indexOf(operation));
    for (const learner of allOr(learners, few)) {
      const reply = await dryRun.ask(learner, requestOf(operation, dryRun));
      expect(["forbidden", "unseen"], `${learner.name}: ${reply.text}`).toContain(verdictOf(reply));
      expect(reply.wrote).toBe(false);
    }
  });
});

describe("every operation on an unpublished course", () => {
  const dryRun = openDryRun(({ deps }, university) => {
    const ids = university.courses.map(({ id }) => id);
    return deps.db.update(courses).set({ is_published: false }).where(inArray(courses.id, ids));
  });
  const ofCourse = operations.filter((operation) => seenWith(operation, false) === "course:read-unpublished");

  it.each(ofCourse)("$name exists only for callers who may see it", async (operation) => {
    const expected = (person: Holder) => expectedFor(operation, person, dryRun, false);
    const callers = callersOf(operation, dryRun, false);
    const found = await surprises(
      // In `npm test` one per verdict: the published case covers the others.
      allOr(callers, () => oneOfEach(callers, expected, operations.indexOf(operation))),
      (person) => dryRun.ask(person, requestOf(operation, dryRun)),
      expected,
    );
    expect(found).toEqual([]);
  });
});
