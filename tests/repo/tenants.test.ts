import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { errorMessageTemplates } from "../../lib/error-codes.ts";
import { can } from "../../lib/identity/rbac/policy.ts";
import { gradebookCollectionNames } from "../../lib/integrations/one-roster/gradebook.ts";
import { gradebookPath, rosteringPath } from "../../lib/integrations/one-roster/protocol.ts";
import { rosteringCollectionNames } from "../../lib/integrations/one-roster/rostering.ts";
import { contentTypes } from "../../schema/db/courses/content-types.ts";
import { users } from "../../schema/db/identity/users.ts";
import { askedOnce } from "../support/asked-once.ts";
import type { Reply } from "../support/client.ts";
import { type DryRun, openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { oneRosterClient } from "../support/one-roster.ts";
import {
  addressOf,
  bodyOf,
  type IdField,
  idFieldsOf,
  type Operation,
  operations,
  type Values,
  withValue,
} from "../support/operations.ts";
import { addresseeOf, addressees } from "../support/own-people.ts";
import { buildOwnership } from "../support/ownership.ts";
import { allOr, oneOfEach, peopleNextToChanges } from "../support/representatives.ts";
import { keepAllSecret, keepPartSecret, secret } from "../support/tenant-secrets.ts";
import { limitedOutsiders, type TokenHolder } from "../support/token-kinds.ts";
import type { Holder, UniversityFixture } from "../support/university.ts";
import type { World } from "../support/world.ts";

/** Callers by each other kind of token, made after everything else is secret: their own data is not. */
let limited: TokenHolder[] = [];
const dryRun = openDryRun(async (world, university) => {
  await keepAllSecret(world, university);
  const elsewhere = outsideOf(university);
  limited = await limitedOutsiders(world, { ...university, elsewhere });
});

const outsidersOf = ({ university }: DryRun): (Holder | undefined)[] => [
  undefined,
  ...university.people.filter(
    ({ held }) => held?.university_id !== university.scope.university_id && held?.role !== "platform_admin",
  ),
];

/** In `npm test` one kind for each operation, in turn. */
const limitedFor = (operation: Operation): readonly TokenHolder[] =>
  allOr(limited, () => oneOfEach(limited, () => "kind of token", operations.indexOf(operation)));

/** In `npm test` the highest role, those next to a change of rights, and anonymous if no token is needed. */
function outsidersFor(at: DryRun, { contract: { access } }: Operation): readonly (Holder | undefined)[] {
  const all = outsidersOf(at);
  const people = all.filter((person) => person !== undefined);
  const rights = ({ held }: Holder) =>
    access.actions.map((action) => can(held ? [held] : [], action, at.university.scope)).join() || "admitted";
  return allOr(all, () => [
    ...(access.kind === "signed in" ? [] : [undefined]),
    ...new Set([...peopleNextToChanges(people, rights), ...people.slice(-1)]),
  ]);
}
const outsiders = (operation: Operation) => [...outsidersFor(dryRun, operation), ...limitedFor(operation)];

const askAt = (at: DryRun, operation: Operation, person: TokenHolder | undefined, values: Values = {}) =>
  at.ask(person?.headers ? undefined : person && { id: person.id, ...reachOf(person) }, {
    method: operation.method,
    path: addressOf(operation, { ...at.university.paths, ...values }),
    body: bodyOf(operation, { ...at.university.fields, ...values }),
    ...(person?.headers && { headers: person.headers }),
  });

const reachOf = ({ reach }: TokenHolder) => (reach ? { reach } : {});

const ask = (operation: Operation, person: Holder | undefined, values?: Values) =>
  askAt(dryRun, operation, person, values);

/** An unused id. */
const nothing = 2_000_000_000;

const withoutIds = ({ status, text }: Reply) => `${status} ${text.replaceAll(/'\d+'/g, "'…'")}`;
const isOutOfReach = ({ status, text }: Reply) =>
  status === 403 && text.includes(errorMessageTemplates.account_out_of_reach);
const told = (reply: Reply): string => JSON.stringify([reply.status, [...reply.headers], reply.text]);

describe("people of other universities", () => {
  const askOnce = askedOnce((operation, person: Holder | undefined) => ask(operation, person));

  it.each(operations)("learn nothing unpublished from $name", async (operation) => {
    for (const person of outsiders(operation))
      expect(told(await askOnce(operation, person)), person?.name ?? "nobody").not.toMatch(secret);
  });

  const missing: Values = {
    course_id: nothing,
    prerequisite_course_id: nothing,
    offering_id: nothing,
    course_offering_id: nothing,
    module_id: nothing,
    module_ids: [nothing],
    content_id: nothing,
    content_ids: [nothing],
    content_item_id: nothing,
    node_id: nothing,
    change_id: nothing,
    pin_id: nothing,
    thread_id: nothing,
    post_id: nothing,
    review_id: nothing,
    announcement_id: nothing,
    note_id: nothing,
    deck_id: nothing,
    flashcard_id: nothing,
    user_id: nothing,
    asset_id: nothing,
    question_pool_id: nothing,
    question_id: nothing,
    attempt_id: nothing,
    assignment_id: nothing,
    scorm_item_id: nothing,
    external_tool_id: nothing,
    submission_id: nothing,
  };
  // A new file has another id and URL each time; tests/api/files checks its scopes.
  const promises = (operation: Operation) => operation.contract.id === "createFile";
  const withIds = operations.filter((operation) => {
    const { parameters, body } = operation;
    return (
      !promises(operation) &&
      [...parameters.map(({ name }) => name), ...Object.keys(body?.properties ?? {})].some(
        (name) => missing[name] !== undefined,
      )
    );
  });

  it.each(withIds)("cannot find out by $name whether a row exists", async (operation) => {
    for (const person of outsiders(operation)) {
      const asked = withoutIds(await askOnce(operation, person));
      const unknown = await ask(operation, person, missing);
      // Limited tokens reach no deck, the caller's own or a missing one.
      if (limited.some((one) => one === person) && isOutOfReach(unknown)) continue;
      expect(asked, person?.name).toBe(withoutIds(unknown));
    }
  });

  it("see no change in any response after an addition there", async () => {
    const reads = operations.filter(({ method }) => method === "GET");
    const answers = async (asking: typeof askOnce) => {
      const all: string[] = [];
      for (const operation of reads)
        for (const person of outsiders(operation)) {
          const { status, text } = await asking(operation, person);
          all.push(`${operation.name} ${person?.name}: ${status} ${text}`);
        }
      return all;
    };
    const before = await answers(askOnce);
    await addMore(dryRun.world, dryRun.university);
    expect(await answers(ask)).toEqual(before);
  });
});

describe("a OneRoster client of another university", () => {
  const client = () => {
    const { authorization = "" } = limited.find(({ headers }) => headers)?.headers ?? {};
    return oneRosterClient(dryRun.world, authorization.replace("Bearer ", ""));
  };
  const lists = [
    ...rosteringCollectionNames.map((name) => `${rosteringPath}/${name}`),
    ...gradebookCollectionNames.map((name) => `${gradebookPath}/${name}`),
  ];
  const stated = (list: { status: number; body: unknown }) => JSON.stringify([list.status, list.body]);

  it.each(lists)("learns nothing from %s", async (path) => {
    for (const query of ["", "?filter=dateLastModified>='2000-01-01'"]) {
      const list = await client().get(path + query);
      expect(list.status).toBe(200);
      expect(stated(list)).not.toMatch(secret);
    }
  });

  it("sees no change in any list after an addition there", async () => {
    const answers = async () => {
      const all: string[] = [];
      for (const path of lists) all.push(`${path} ${stated(await client().get(`${path}?limit=5000`))}`);
      return all;
    };
    const before = await answers();
    await addMore(dryRun.world, dryRun.university);
    expect(await answers()).toEqual(before);
  });

  it.each([
    ["schools/university-", "classes"],
    ["schools/university-", "lineItems"],
    ["classes/class-", "students"],
    ["classes/class-", "results"],
    ["classes/class-", "scoreScales"],
    ["users/user-", "classes"],
    ["courses/course-", "classes"],
  ])("cannot find out by %s… and %s whether a row exists", async (parent, nested) => {
    const { paths, scope } = dryRun.university;
    const ids: Values = { ...paths, ...scope, class_id: paths["offering_id"] };
    const known = ids[`${/(\w+)-$/.exec(parent)?.[1]}_id`];
    expect(known).toBeDefined();
    const of = (id: unknown) =>
      client().get(
        `${/lineItems|results|Scales/.test(nested) ? gradebookPath : rosteringPath}/${parent}${id}/${nested}`,
      );
    expect(stated(await of(known))).toBe(stated(await of(nothing)));
  });

  it.each(gradebookCollectionNames)("finds no %s by filters that name rows there", async (name) => {
    const { paths, learner } = dryRun.university;
    const offering = paths["offering_id"];
    const item = paths["assignment_id"];
    for (const filter of [
      `sourcedId='category-${offering}-0'`,
      `sourcedId='scoreScale-${offering}'`,
      `sourcedId='lineItem-${offering}-${item}'`,
      `sourcedId='result-${offering}-${item}-${learner.id}'`,
      `lineItem.sourcedId='lineItem-${offering}-${item}'`,
      `student.sourcedId='user-${learner.id}'`,
    ]) {
      const { status, body } = await client().get(
        `${gradebookPath}/${name}?filter=${encodeURIComponent(filter)}`,
      );
      expect([200, 400], filter).toContain(status);
      if (status === 200) expect(body[name], filter).toEqual([]);
    }
  });
});

describe("people of other universities, if a course is published and its parts are not", () => {
  const partly = openDryRun(keepPartSecret);

  it.each(operations)("learn nothing of the latter from $name", async (operation) => {
    const tried = outsidersFor(partly, operation).filter(
      (one) => !/^(ta|department_admin)/.test(one?.name ?? ""),
    );
    // In `npm test` one in turn: the unpublished case covers all.
    for (const person of allOr(tried, () =>
      oneOfEach(tried, () => "outsider", operations.indexOf(operation)),
    ))
      expect(told(await askAt(partly, operation, person)), person?.name ?? "nobody").not.toMatch(secret);
  });
});

describe("in a request about the caller's university", () => {
  let own: Values;
  let theirs: Values;
  const crossed = openDryRun(async (world, university) => {
    theirs = await buildOwnership(world, university.scope.university_id);
    own = await buildOwnership(world, outsideOf(university));
    // Its administrator there also has the office, which people cannot grant to themselves.
    await world.deps.db.execute(sql`
      insert into university_offices (university_id, user_id, office_right)
      select university_id, user_id, office.right
      from user_university_roles cross join (values ('accommodation:write'), ('retention:write'),
        ('data-request:write')) as office ("right")
      where university_id = ${outsideOf(university)} and role = 'university_admin' and department_id is null
      on conflict do nothing`);
    await keepAllSecret(world, university);
  });
  const ofRoles = (names: RegExp) => outsidersOf(crossed).filter((person) => names.test(person?.name ?? ""));
  /** In `npm test` the role with the most rights, and a student if no right is needed. */
  const callers = ({ contract: { access } }: Operation) =>
    allOr(ofRoles(/^(student|instructor|university_admin)/), () =>
      ofRoles(access.actions.length === 0 ? /^(student|university_admin)/ : /^university_admin/),
    );

  /** A request with the caller's own ids except at that place. In a list, the id is among the caller's own. */
  function requestWith(operation: Operation, { name, ...field }: IdField, id: unknown) {
    const values = { ...crossed.university.fields, ...crossed.university.paths, ...own };
    const body = bodyOf(operation, values);
    const ownOnes = own[name];
    const given = Array.isArray(ownOnes) ? [...ownOnes, ...[id].flat()] : id;
    return {
      method: operation.method,
      path: addressOf(operation, field.in === "body" ? values : { ...values, [name]: id }),
      body: field.in === "body" ? withValue(body, field.path, given) : body,
    };
  }
  const askWith = (operation: Operation, person: Holder | undefined, field: IdField, id: unknown) =>
    crossed.ask(person, requestWith(operation, field, id));

  /** Everything that belongs to a university, and so the possible targets of each id. */
  const owned =
    /^(course|prerequisite_course|offering|course_offering|module|parent_module|requires_module|content|content_item|user|enrollment|thread|post|review|announcement|role|asset|module_template|question_pool|question|attempt|assignment|external_tool|submission|invitation|import|identity_provider|lti_platform|lti_tool|lti_deployment|lti_context|lti_person|offering_staff|university|department)_ids?$/;
  const idFields = operations.flatMap((operation) =>
    idFieldsOf(operation)
      .filter(({ name }) => owned.test(name))
      .map((field) => ({ name: `${operation.name} ${field.path.join(".")}`, operation, field })),
  );
  // The latter are readable by everyone, and a foreign enrollment returns 403.
  const isKnown = ({ name }: IdField) => /^(university|department|enrollment)_id$/.test(name);

  it.each(idFields)("a foreign id reveals nothing: $name", async ({ operation, field }) => {
    for (const person of callers(operation)) {
      const reply = await askWith(operation, person, field, theirs[field.name]);
      expect(told(reply), person?.name).not.toMatch(secret);
      if (isKnown(field)) continue;
      const unknown = await askWith(operation, person, field, nothing);
      expect(withoutIds(reply), person?.name).toBe(withoutIds(unknown));
    }
  });

  // Needs more than an id: a platform administrator; an enrollment, conversation, stored answer, file or
  // credentials of the caller; an item of the same course; an offering of the same department; a group
  // member; an existing extension.
  const takesMore =
    /^(DELETE \/universities\/\{university_id\} university_id|PUT \/.+\/dates |(PUT|DELETE) \/universities\/.+\/accommodations|DELETE \/offerings\/.+\/members|PUT \/community\/offerings|POST \/community\/.+\/private-threads|PATCH \/users\/|PUT \/universities\/.+\/(granted|email-domains)|(POST|DELETE) \/universities\/\{university_id\}\/domains|(PUT|DELETE) \/community\/posts\/\{post_id\} post_id|GET \/enrollments|POST \/progress|POST \/assets university_id|POST \/cartridges\/imports |POST \/assessments\/.+\/(attempts|submissions)|GET \/assessments\/.+\/(my-grades|quizzes\/\{content_item_id\}) |\w+ \/assessments\/attempts\/.+\/(responses|submit)|POST \/chat\/sessions\/.+\/handover|\w+ \/chat\/topics\/.+(nodes|changes\/|pins\/)|DELETE \/admin\/cloud|(POST|PUT) \/admin\/lti-tools|GET \/admin\/analytics|GET \/universities\/.+\/analytics )/;

  it("the caller's own id gets another response", async () => {
    const [admin] = ofRoles(/^university_admin/);
    const refused: string[] = [];
    // All fields of an operation give the same request, except lists.
    const requests = Map.groupBy(
      idFields.filter(({ name }) => !takesMore.test(name)),
      ({ operation, field }) => JSON.stringify(requestWith(operation, field, own[field.name])),
    );
    for (const [{ name, operation, field }] of [...requests.values()] as [(typeof idFields)[number]][]) {
      const { status, text } = await askWith(operation, admin, field, own[field.name]);
      if (/^40[34]$/.test(String(status)) || text.includes("does not exist"))
        refused.push(`${name}: ${status} ${text}`);
    }
    expect(refused).toEqual([]);
  });

  const inDataJson: [type: string, name: string, dataOf: (id: unknown) => object][] = [
    ["video", "asset_id", (asset_id) => ({ asset_id })],
    ["text", "asset_id", (asset_id) => ({ blocks: [{ type: "image", asset_id }] })],
    ["quiz", "question_pool_id", (question_pool_id) => ({ question_pool_id })],
  ];
  const takingData = operations.filter(({ body }) => body?.properties?.["data_json"]);

  it.each(takingData)("a foreign id in data_json reveals nothing: $name", async (operation) => {
    const types = await crossed.world.deps.db.select().from(contentTypes);
    const field: IdField = { in: "body", name: "data_json", path: ["data_json"] };
    for (const person of callers(operation))
      for (const [type, name, dataOf] of inDataJson) {
        own["content_type_id"] = types.find((one) => one.name === type)?.id;
        const ask = (id: unknown) =>
          askWith(
            operation,
            person,
            { ...field, path: [] },
            { ...bodyOf(operation, own), ...own, data_json: dataOf(id) },
          );
        const reply = await ask(theirs[name]);
        expect(told(reply), person?.name).not.toMatch(secret);
        expect(withoutIds(reply), person?.name).toBe(withoutIds(await ask(nothing)));
      }
  });

  const naming = operations.filter(({ body }) => body?.properties?.["email"] && body.properties["user_id"]);

  it.each(naming)(
    "a person named by e-mail address is not distinguishable from a missing one: $name",
    async (operation) => {
      const make = makersOf(crossed.world);
      for (const caller of callers(operation)) {
        const replies = new Set<string>();
        for (const behind of addressees) {
          const { email } = await addresseeOf(make, behind);
          const reply = await named(caller, operation, email);
          replies.add(
            withoutIds(reply)
              .replaceAll(email, "")
              .replaceAll(/"id":\d+/g, ""),
          );
          if (caller?.held?.role === "university_admin") expect([202, 404]).toContain(reply.status);
        }
        expect([...replies], caller?.name).toHaveLength(1);
      }
    },
  );

  /** Requests an operation about a person, named by address. */
  function named(caller: Holder | undefined, operation: Operation, email: string) {
    const values = { ...crossed.university.fields, ...crossed.university.paths, ...own };
    const { user_id: _, ...body } = bodyOf(operation, values) as Values;
    const path = addressOf(operation, values);
    return crossed.ask(caller, { method: operation.method, path, body: { ...body, email } });
  }

  it.each(naming)("a person named by e-mail address keeps their name: $name", async (operation) => {
    const { learner } = crossed.university;
    const [person] = await crossed.world.deps.db.select().from(users).where(eq(users.id, learner.id));
    const email = person?.email ?? "";
    for (const caller of callers(operation)) {
      const reply = await named(caller, operation, email);
      expect(told(reply).replaceAll(email, ""), caller?.name).not.toMatch(secret);
      // Benefits that the university cannot offer to others, such as an exemption, are for its members only.
      if (caller?.held?.role === "university_admin") expect([202, 404]).toContain(reply.status);
    }
  });
});

/** The outsiders' university. */
const outsideOf = ({ people, scope }: UniversityFixture): number =>
  people.find(({ held }) => held && held.university_id !== scope.university_id)?.held?.university_id ?? 0;

async function addMore(world: World, { scope }: UniversityFixture): Promise<void> {
  const make = makersOf(world);
  const admin = world.as(await make.holder("platform_admin", scope.university_id));
  const [student, instructor] = await Promise.all([
    make.holder("student", scope.university_id),
    make.holder("instructor", scope.university_id),
  ]);
  const draft = await make.course(scope.university_id, { is_published: false });
  const module = await make.module(draft.id);
  const item = await make.contentItem(module, scope.university_id);
  const offering = await make.offering(draft);
  await make.enrollment(student.id, offering.id);
  await admin.post("/assets/", { url: "https://secret.example.edu", asset_type: "pdf", ...scope });
  await admin.post("/module-templates/", { template_type: "UNIT", title: "secret", ...scope });
  await admin.post(`/courses/${draft.id}/offerings/${offering.id}/instructors`, { user_id: instructor.id });
  await admin.post("/progress/content", { content_item_id: item.id, course_offering_id: offering.id });
}
