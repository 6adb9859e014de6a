import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { listPools } from "../../../lib/assessment/pools.ts";
import { findActor } from "../../../lib/identity/auth/actor.ts";
import { likePatternForWordsSql } from "../../../lib/platform/db/query/search-and-sort.ts";
import { certificates } from "../../../schema/db/assessment/certificates.ts";
import { labSubmissions } from "../../../schema/db/assessment/lab-submissions.ts";
import { questionPools } from "../../../schema/db/assessment/questions.ts";
import { quizAttempts } from "../../../schema/db/assessment/quiz-attempts.ts";
import { assets } from "../../../schema/db/courses/assets.ts";
import { coursePrerequisites } from "../../../schema/db/courses/courses.ts";
import { domains } from "../../../schema/db/courses/domains.ts";
import { courseExemptions } from "../../../schema/db/courses/exemptions.ts";
import { invitations } from "../../../schema/db/courses/invitations.ts";
import { moduleTemplates } from "../../../schema/db/courses/module-templates.ts";
import { courseOfferingInstructors } from "../../../schema/db/courses/offerings.ts";
import { subjects } from "../../../schema/db/courses/subjects.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import type { Client, Person, Reply } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { operations } from "../../support/operations.ts";
import { openWorld } from "../../support/world.ts";

/** A university with two of everything, created in the reverse order of their names. */
const world = openWorld();
const make = makersOf(world);
let admin: Client;
const ids = { university: 0, department: 0, course: 0, required: 0, offering: 0, quiz: 0, pool: 0, zoe: 0 };
const two = <T>(one: (n: 0 | 1) => T): [T, T] => [one(0), one(1)];

beforeAll(async () => {
  const { db } = world.deps;
  const now = new Date().toISOString();
  const university = await make.university({ name: "Zürich Institute", short_code: "A-ZI" });
  await make.university({ name: "Ålesund Academy", short_code: "B-AA", is_active: false });
  const of = { university_id: university.id };
  const lab = await make.department(university.id, { name: "Zöology", code: "A-Z" });
  await make.department(university.id, { name: "Ärt", code: "B-A" });
  admin = world.as(await make.holder("platform_admin", (await make.university({ name: "Elsewhere" })).id));
  const course = await make.course(university.id);
  const offering = await make.offering(course);
  const required = [
    await make.course(university.id, { title: "Zeta Öptics", code: "A-Z" }),
    await make.course(university.id, { title: "Algebra", code: "B-A" }),
  ] as const;
  const people = [
    await make.person({ full_name: "Zoë Adler", email: "a.z@example.edu" }),
    await make.person({ full_name: "Ädam Zorn", email: "b.a@example.edu" }),
  ] as const;
  const module = await make.module(course.id);
  const quiz = await make.contentItem(module, university.id, { type: "quiz" });
  const work = await make.contentItem(module, university.id, { type: "assignment" });
  const question = { kind: "TRUE_FALSE", answer_json: { value: true } } as const;
  const { pool } = await make.questionPool(course, [
    { ...question, question_text: "Ist es ein Kübel?", points: 3, updated_at: "2026-02-01T00:00:00Z" },
    { ...question, question_text: "Waves?", is_active: false, updated_at: "2026-01-01T00:00:00Z" },
  ]);
  const ofRun = { course_offering_id: offering.id };
  await db.insert(userUniversityRoles).values([
    { ...of, user_id: people[0].id, role: "TA", department_id: lab.id },
    { ...of, user_id: people[1].id, role: "STUDENT" },
  ]);
  await db.insert(courseOfferingInstructors).values(two((n) => ({ ...ofRun, user_id: people[n].id })));
  for (const { id } of people) await make.enrollment(id, offering.id);
  await db.insert(coursePrerequisites).values(
    two((n) => ({
      course_id: course.id,
      prerequisite_course_id: required[n].id,
      prerequisite_type: n === 0 ? ("STRICT" as const) : ("RECOMMENDED" as const),
    })),
  );
  await db.insert(courseExemptions).values(
    two((n) => ({
      course_id: course.id,
      prerequisite_course_id: required[n].id,
      user_id: people[n].id,
    })),
  );
  await db.insert(certificates).values(
    two((n) => ({
      ...ofRun,
      user_id: people[n].id,
      certificate_code: make.unique("code"),
      printed_name: people[n].full_name,
      course_title: "Signals",
      university_name: "Zürich",
      issued_at: now,
    })),
  );
  await db
    .insert(quizAttempts)
    .values(two((n) => ({ ...ofRun, user_id: people[n].id, content_item_id: quiz.id })));
  await db
    .insert(labSubmissions)
    .values(two((n) => ({ ...ofRun, user_id: people[n].id, content_item_id: work.id })));
  await db.insert(invitations).values(
    two((n) => ({
      ...of,
      email: n === 0 ? "z.last@example.edu" : "a.first@example.edu",
      role: n === 0 ? ("TA" as const) : ("STUDENT" as const),
      created_at: now,
      expires_at: now,
    })),
  );
  await db.insert(questionPools).values([
    { ...of, title: "Zebra Übung" },
    { ...of, title: "Ànts" },
  ]);
  await db.insert(moduleTemplates).values([
    { ...of, template_type: "UNIT", title: "Zögern" },
    { ...of, template_type: "LESSON", title: "Ähre" },
  ]);
  await db.insert(assets).values([
    { ...of, url: "https://cdn.example.edu/zebra.png", asset_type: "image" },
    { ...of, url: "https://cdn.example.edu/ant.pdf", asset_type: "pdf" },
  ]);
  await db.insert(domains).values([
    { code: "A-Z", name: "Zürich things" },
    { code: "B-A", name: "Äther things" },
  ]);
  await db.insert(subjects).values([
    { code: "A-Z", name: "Zürich thing" },
    { code: "B-A", name: "Äther thing" },
  ]);
  Object.assign(ids, { university: university.id, department: lab.id, course: course.id, quiz: quiz.id });
  Object.assign(ids, { offering: offering.id, pool: pool.id, required: required[1].id, zoe: people[0].id });
});

/** A list, the compared field of its entries, and the expected entries by query. */
type Case = [name: string, path: () => string, field: string, asked: () => Record<string, string[]>];

const ofOffering = (rest: string) => () => `/assessments/offerings/${ids.offering}/${rest}`;

const cases: Case[] = [
  [
    "universities",
    () => "/universities",
    "short_code",
    () => ({
      "q=zurich inst": ["A-ZI"],
      "q=b-aa": ["B-AA"],
      "q=-&is_active=false": ["B-AA"],
      "country_id=2147483647": [],
      "q=a&sort=name": ["B-AA", "A-ZI"],
      "q=a&sort=-short_code": ["B-AA", "A-ZI"],
    }),
  ],
  [
    "departments",
    () => `/universities/${ids.university}/departments`,
    "code",
    () => ({ "q=zoology": ["A-Z"], "sort=name": ["B-A", "A-Z"], "sort=-code": ["B-A", "A-Z"] }),
  ],
  [
    "roles",
    () => `/universities/${ids.university}/roles`,
    "email",
    () => ({
      "q=ZOE": ["a.z@example.edu"],
      "q=b.a@example": ["b.a@example.edu"],
      "role=student": ["b.a@example.edu"],
      [`user_id=${ids.zoe}`]: ["a.z@example.edu"],
      [`department_id=${ids.department}`]: ["a.z@example.edu"],
      "sort=full_name": ["b.a@example.edu", "a.z@example.edu"],
    }),
  ],
  [
    "invitations",
    () => `/universities/${ids.university}/invitations`,
    "role",
    () => ({
      "": ["STUDENT", "TA"],
      "q=last": ["TA"],
      "role=ta": ["TA"],
      "sort=id": ["TA", "STUDENT"],
      "sort=-email": ["TA", "STUDENT"],
    }),
  ],
  [
    "question pools",
    () => "/assessments/question-pools",
    "title",
    () => ({
      "q=ubung": ["Zebra Übung"],
      [`university_id=${ids.university}&sort=title&limit=1`]: ["Ànts"],
      [`university_id=${ids.university}&sort=-title&limit=1`]: ["Zebra Übung"],
    }),
  ],
  [
    "questions of a pool",
    () => `/assessments/question-pools/${ids.pool}/questions`,
    "question_text",
    () => ({
      "q=kubel": ["Ist es ein Kübel?"],
      "kind=numeric": [],
      "is_active=false": ["Waves?"],
      "sort=points": ["Waves?", "Ist es ein Kübel?"],
      "sort=updated_at": ["Waves?", "Ist es ein Kübel?"],
    }),
  ],
  [
    "instructors of an offering",
    () => `/courses/${ids.course}/offerings/${ids.offering}/instructors`,
    "full_name",
    () => ({
      "q=zoe": ["Zoë Adler"],
      "q=example": [],
      "sort=full_name": ["Ädam Zorn", "Zoë Adler"],
    }),
  ],
  [
    "prerequisites",
    () => `/courses/${ids.course}/prerequisites`,
    "code",
    () => ({
      "q=optics": ["A-Z"],
      "prerequisite_type=strict": ["A-Z"],
      "sort=title": ["B-A", "A-Z"],
      "sort=-code": ["B-A", "A-Z"],
    }),
  ],
  [
    "exemptions",
    () => `/courses/${ids.course}/exemptions`,
    "prerequisite_course_id",
    () => ({
      "q=adam": [String(ids.required)],
      [`prerequisite_course_id=${ids.required}`]: [String(ids.required)],
      "sort=full_name&limit=1": [String(ids.required)],
    }),
  ],
  [
    "certificates of an offering",
    () => `/assessments/certificates/offerings/${ids.offering}`,
    "printed_name",
    () => ({ "q=adler": ["Zoë Adler"], "sort=printed_name": ["Ädam Zorn", "Zoë Adler"] }),
  ],
  [
    "attempts at a quiz",
    () => ofOffering(`quizzes/${ids.quiz}/attempts`)(),
    "full_name",
    () => ({ "q=a.z": ["Zoë Adler"], "sort=full_name": ["Ädam Zorn", "Zoë Adler"] }),
  ],
  [
    "submissions",
    () => ofOffering("submissions")(),
    "full_name",
    () => ({ "q=adler": ["Zoë Adler"], "sort=full_name": ["Ädam Zorn", "Zoë Adler"] }),
  ],
  [
    "module templates",
    () => "/module-templates",
    "title",
    () => ({
      "q=zogern": ["Zögern"],
      "template_type=lesson": ["Ähre"],
      "sort=title": ["Ähre", "Zögern"],
    }),
  ],
  [
    "assets",
    () => "/assets",
    "asset_type",
    () => ({ "q=zebra": ["image"], "asset_type=pdf": ["pdf"], "sort=-id": ["pdf", "image"] }),
  ],
  [
    "domains",
    () => "/domains",
    "code",
    () => ({
      "q=zurich": ["A-Z"],
      "q=things&sort=name": ["B-A", "A-Z"],
      "q=things&sort=-code": ["B-A", "A-Z"],
    }),
  ],
  [
    "subjects",
    () => "/subjects",
    "code",
    () => ({ "q=a-z": ["A-Z"], "q=thing&sort=name": ["B-A", "A-Z"], "q=thing&sort=-code": ["B-A", "A-Z"] }),
  ],
  [
    "countries",
    () => "/countries",
    "iso_code",
    () => ({
      "q=switzer": ["CH"],
      "q=gb": ["GB"],
      "q=united&sort=name&limit=2": ["AE", "GB"],
      "q=united&sort=-iso_code&limit=2": ["US", "GB"],
    }),
  ],
  [
    "content types",
    () => "/content-types",
    "name",
    () => ({ "q=quiz": ["quiz"], "sort=-name&limit=1": ["video"], "sort=label&limit=1": ["assignment"] }),
  ],
];

describe.each(cases)("%s", (_name, path, field, asked) => {
  it("are found by words, filtered, and in the requested order", async () => {
    const found: Record<string, string[]> = {};
    for (const query of Object.keys(asked())) {
      const { body } = await admin.get(`${path()}?${query.replaceAll(" ", "%20")}`);
      found[query] = body.map((entry: Record<string, unknown>) => String(entry[field]));
    }
    expect(found).toEqual(asked());
  });
});

it("people of a gradebook have the requested order", async () => {
  const names = async (query: string) =>
    (await admin.get(`/assessments/offerings/${ids.offering}/gradebook?${query}`)).body.rows.map(
      (row: { full_name: string }) => row.full_name,
    );
  expect(await names("")).toEqual(["Ädam Zorn", "Zoë Adler"]);
  expect(await names("sort=-full_name")).toEqual(["Zoë Adler", "Ädam Zorn"]);
  expect(await names("sort=email&limit=1")).toEqual(["Zoë Adler"]);
});

it("a key of an instructor reveals no address", async () => {
  const { headers } = await world
    .as()
    .get(`/courses/${ids.course}/offerings/${ids.offering}/instructors?sort=full_name&limit=1`);
  const cursor = /after=([\w-]+)/.exec(headers.get("link") ?? "")?.[1] ?? "";
  expect(Buffer.from(cursor, "base64url").toString()).toMatch(/zorn/);
  expect(Buffer.from(cursor, "base64url").toString()).not.toMatch(/example/);
});

describe("data that a person may read by a role in each of several universities", () => {
  const title = (n: number) => `Pool ${n}`;
  /** The first two universities alternate with the even numbers; a department of the third has 1, 3 and 5. */
  const readable = [0, 1, 2, 3, 4, 5, 6, 8, 10].map(title);
  let person: Person;

  beforeAll(async () => {
    const { db } = world.deps;
    const [first, second, third] = [
      await make.university(),
      await make.university(),
      await make.university(),
    ] as const;
    const department = await make.department(third.id);
    const ofDepartment = await make.course(third.id, { department_id: department.id });
    person = await make.holder("instructor", first.id);
    const role = { role: "TA", user_id: person.id } as const;
    await db.insert(userUniversityRoles).values([
      { ...role, university_id: second.id },
      { ...role, university_id: third.id, department_id: department.id },
    ]);
    await db.insert(questionPools).values(
      Array.from({ length: 12 }, (_, n) => {
        const course_id = n < 6 ? ofDepartment.id : null;
        if (n % 2 === 1) return { title: title(n), university_id: third.id, course_id };
        return { title: title(n), university_id: n % 4 === 0 ? first.id : second.id };
      }),
    );
  });

  it("is in one order, page by page", async () => {
    const client = world.as(person);
    const pages: string[][] = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const path = `/assessments/question-pools?sort=-title&limit=4${after}`;
      const { body, headers }: Reply = await client.get(path);
      pages.push(body.map((pool: { title: string }) => pool.title));
      after = /&after=[\w-]+/.exec(headers.get("link") ?? "")?.[0];
    }
    const expected = readable.toSorted().reverse();
    expect(pages).toEqual([expected.slice(0, 4), expected.slice(4, 8), expected.slice(8)]);
    const skipped = await client.get("/assessments/question-pools?sort=title&skip=3&limit=2");
    expect(skipped.body.map((pool: { title: string }) => pool.title)).toEqual(
      readable.toSorted().slice(3, 5),
    );
  });

  it("is read by an index in each university, however much others have", async () => {
    const { db } = world.deps;
    await db.execute(sql`
      insert into question_pools (university_id, title) select ${ids.university}, 'Pool ' || n || ' of others'
      from generate_series(1, 3000) as n`);
    await db.execute(sql`vacuum analyze question_pools`);
    const rowsRead = sql`
      select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'question_pools'`;
    const actor = await findActor(db, { id: person.id, token_version: 0 });
    const roles = actor?.roles.filter(({ department_id }) => !department_id) ?? [];
    const read = await db.transaction(async (tx) => {
      await tx.execute(sql`set local plan_cache_mode = auto`);
      const rows = async () => Number((await tx.execute(rowsRead)).rows[0]?.["rows"]);
      const before = await rows();
      if (actor) await listPools(tx, { ...actor, roles }, { sort: "-title", skip: 0, limit: 4 });
      return (await rows()) - before;
    });
    expect(read).toBeGreaterThan(4);
    expect(read).toBeLessThan(30);
  });
});

describe("people with an office of a university", () => {
  const names = ["Zoë Adler", "Ädam Zorn", "Mia Hanna"] as const;
  let officer: Client;
  let university: number;

  /** The last one is named Álvaro there, and has an id. */
  beforeAll(async () => {
    const { db } = world.deps;
    university = (await make.university()).id;
    const office = await make.holder("student", university);
    officer = world.as(office);
    const people: Person[] = [];
    for (const full_name of names) {
      const person = await make.person({ full_name, email: `${full_name.slice(-2)}@office.example.edu` });
      await db
        .insert(userUniversityRoles)
        .values({ user_id: person.id, university_id: university, role: "STUDENT" });
      people.push(person);
    }
    const [, , last] = people;
    await db.execute(sql`
      update university_members set given_name = 'Álvaro' where university_id = ${university} and user_id = ${last?.id}`);
    await db.execute(sql`
      insert into sourced_people (university_id, sourced_id, user_id) values (${university}, 'm-17', ${last?.id})`);
    await db.execute(sql`
      insert into university_offices (university_id, user_id, office_right)
      select ${university}, ${office.id}, unnest(array['accommodation:write', 'data-request:write'])`);
    for (const [n, { id: user_id }] of people.entries()) {
      const given = await officer.put(`/universities/${university}/accommodations`, {
        user_id,
        extra_days: 1,
      });
      const asked = { user_id, kind: "EXPORT", received_on: `2026-01-0${((n + 1) % 3) + 1}` };
      const made = await officer.post(`/universities/${university}/data-requests`, asked);
      expect([given.status, made.status]).toEqual([200, 201]);
    }
  });

  const [zoe, adam] = names;
  const alvaro = "Álvaro";
  const found = {
    "q=zoe adler": [zoe],
    "q=ZOR": [adam],
    "q=rn@office": [adam],
    "q=alvaro": [alvaro],
    "q=hanna": [alvaro],
    "q=m-17": [alvaro],
    "q=m-1": [],
    "sort=full_name": [adam, alvaro, zoe],
    "sort=-full_name": [zoe, alvaro, adam],
    "sort=id": [zoe, adam, alvaro],
    "sort=-id": [alvaro, adam, zoe],
  };

  it.each([
    ["accommodations", { "": [zoe, adam, alvaro], ...found }],
    [
      "data-requests",
      {
        "": [alvaro, adam, zoe],
        ...found,
        "sort=received_on": [alvaro, zoe, adam],
        "sort=-received_on": [adam, zoe, alvaro],
        "q=office&state=open&sort=full_name&limit=1": [adam],
        "q=office&state=done": [],
      },
    ],
  ])(
    "are found in %s as in the list of its people, by name and address, and in each order",
    async (list, asked) => {
      const listed: Record<string, string[]> = {};
      for (const query of Object.keys(asked)) {
        const { status, body } = await officer.get(
          `/universities/${university}/${list}?${query.replaceAll(" ", "%20")}`,
        );
        expect([query, status]).toEqual([query, 200]);
        listed[query] = body.map(({ full_name }: { full_name: string }) => full_name);
      }
      expect(listed).toEqual(asked);
      for (const wrong of ["sort=email", "q=", "q=%20", `q=${"x".repeat(201)}`])
        expect((await officer.get(`/universities/${university}/${list}?${wrong}`)).status).toBe(422);
      expect((await admin.get(`/universities/${university}/${list}?q=zoe`)).status).toBe(403);
    },
  );

  it("appear in no search of another university: neither people from elsewhere, nor people without an office", async () => {
    const other = await make.person({ full_name: "Zoë Elsewhere" });
    await make.enrollment(other.id, (await make.topic()).offering.id);
    const { body } = await officer.get(`/universities/${university}/accommodations?q=zoe`);
    expect(body).toHaveLength(1);
  });
});

/** Lists without `q` and without other orders, with the reason. */
const otherLists = {
  "what one has done or made oneself, in its own order": [
    "GET /assessments/certificates/mine",
    "GET /assessments/my-attempts",
    "GET /assessments/my-submissions",
    "GET /chat/sessions",
    "GET /feature-requests",
    "GET /progress/content/my-progress",
    "GET /progress/modules/my-progress",
    "GET /study/decks",
    "GET /study/flashcards",
  ],
  "what has happened, one after the other": [
    "GET /admin/audit",
    "GET /assessments/offerings/{offering_id}/grade-changes",
    "GET /assessments/questions/{question_id}/versions",
    "GET /cartridges/courses/{course_id}/imports",
    "GET /cartridges/imports/{cartridge_import_id}/parts",
    "GET /community/announcements",
    "GET /community/courses/{course_id}/reviews",
    "GET /community/offerings/{offering_id}/announcements",
    "GET /community/offerings/{offering_id}/reports",
    "GET /community/threads/{thread_id}/posts",
    "GET /community/universities/{university_id}/announcements",
    "GET /feature-requests/all",
    "GET /prompts/{prompt_name}/label-history",
    "GET /prompts/{prompt_name}/rollouts",
    "GET /prompts/{prompt_name}/versions/{version}/trials",
    "GET /prompts/{prompt_name}/versions/{version}/trials/{trial_id}/cases",
    "GET /universities/{university_id}/imports",
    "GET /universities/{university_id}/retention/runs",
    "GET /universities/{university_id}/imports/{import_id}/results",
    "GET /users/me/offers",
  ],
  "what is searched as prose, the best match first": [
    "GET /community/offerings/{offering_id}/threads",
    "GET /study/notes",
  ],
  "the few who are granted something": [
    "GET /assessments/offerings/{offering_id}/assignments/{assignment_id}/overrides",
    "GET /assessments/offerings/{offering_id}/quizzes/{content_item_id}/overrides",
    "GET /assessments/offerings/{offering_id}/accommodations",
    "GET /offerings/{offering_id}/groups",
    "GET /offerings/{offering_id}/groups/{group_id}/members",
    "GET /universities/{university_id}/offices",
    "GET /universities/{university_id}/retention/holds",
  ],
  "names as they are told to choose from, and keys": [
    "GET /assessments/certificates/keys",
    "GET /chat/topics/{content_item_id}/tree",
    "GET /chat/topics/{content_item_id}/tree/changes",
    "GET /chat/topics/{content_item_id}/tree/pins",
    "GET /chat/topics/{content_item_id}/misconceptions",
    "GET /prompts/labels",
    "GET /prompts/link-options",
    "GET /prompts/names",
    "GET /universities/{university_id}/api-keys",
    "GET /universities/{university_id}/directory-groups",
    "GET /universities/{university_id}/directory-requests",
    "GET /universities/{university_id}/domains",
    "GET /courses/{course_id}/offerings/{offering_id}/lti-contexts",
    "GET /offerings/{offering_id}/lti-rosters",
    "GET /offerings/{offering_id}/staff",
    "GET /universities/{university_id}/lti-platforms",
    "GET /universities/{university_id}/lti-tools",
    "GET /admin/lti-tools",
    "GET /offerings/{offering_id}/lti-tools",
    "GET /courses/{course_id}/lti-tools",
    "GET /universities/{university_id}/one-roster-sources",
    "GET /universities/{university_id}/lti-platforms/{lti_platform_id}/people",
    "GET /universities/{university_id}/lti-platforms/{lti_platform_id}/refused-launches",
    "GET /universities/{university_id}/lti-platforms/{lti_platform_id}/deployments",
    "GET /universities/{university_id}/events",
  ],
};

it("every other list with pages has search and sorting, except lists with a fixed order", () => {
  const takes = (name: string) => (one: { name: string }) => one.name === name;
  const others = operations
    .filter(({ parameters }) => parameters.some(takes("after")))
    .filter(({ parameters }) => !(parameters.some(takes("q")) && parameters.some(takes("sort"))))
    .map(({ name }) => name);
  expect(others.sort()).toEqual(Object.values(otherLists).flat().sort());
});

describe("among many", () => {
  const several = "from generate_series(1, 1000) as n";
  const university = () => ids.university;

  it.each([
    [
      "universities",
      () =>
        `(name, short_code, country_id) select 'University ' || n, 'U' || n, (select min(id) from countries)`,
    ],
    ["question_pools", () => `(university_id, title) select ${university()}, 'Pool ' || n`],
    [
      "questions",
      () =>
        `(question_pool_id, kind, question_text, answer_json) select ${ids.pool}, 'short_answer', 'Why ' || n, '{}'`,
    ],
    ["assets", () => `(university_id, url, asset_type) select ${university()}, 'https://a.edu/' || n, 'pdf'`],
    [
      "invitations",
      () =>
        `(university_id, email, role, created_at, expires_at) select ${university()}, n || '@a.edu', 'ta', now(), now()`,
    ],
  ])("%s are found by an index", async (table, rows) => {
    const { db } = world.deps;
    await db.execute(sql.raw(`insert into ${table} ${rows()} ${several}`));
    await db.execute(sql.raw(`vacuum analyze ${table}`));
    const plan = await db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      return tx.execute(
        sql`explain select id from ${sql.raw(table)} where search_text like ${likePatternForWordsSql(sql`'zzz'`)}`,
      );
    });
    expect(JSON.stringify(plan.rows)).toContain(`${table}_search_index`);
  });
});
