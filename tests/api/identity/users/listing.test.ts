import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Person = { id: number };

let university: Person;
let admin: Person;
let elsewhere: Person;
const people: Record<string, Person> = {};

beforeAll(async () => {
  university = await make.university();
  elsewhere = await make.university();
  admin = await make.holder("university_admin", university.id);
  const named = async (key: string, full_name: string, email: string, overrides = {}) => {
    people[key] = await make.person({ full_name, email, ...overrides });
    return people[key];
  };
  const { offering } = await make.topic();
  const { db } = world.deps;
  const hold = (person: Person, role: "TA" | "STUDENT", at: Person) =>
    db.insert(userUniversityRoles).values({ user_id: person.id, university_id: at.id, role });
  await hold(await named("soren", "Søren Müller", "s.mueller@uni.example.edu"), "TA", university);
  await hold(await named("ann", "Ann Lee-Smith", "ann_lee@uni.example.edu"), "STUDENT", university);
  await hold(
    await named("away", "Ånn Awáy", "away@uni.example.edu", { is_active: false }),
    "STUDENT",
    university,
  );
  await hold(await named("foreign", "Ann Foreigner", "ann@foreign.example.edu"), "TA", elsewhere);
  await named("colleague", "Ada Newcomer", "ada.newcomer@new.example.edu");
  const enrolled = await named("enrolled", "Enrolled Elsewhere", "enrolled@new.example.edu");
  await make.enrollment(enrolled.id, offering.id);
});

const found = async (person: Person, query: string): Promise<string[]> => {
  const { status, body, text } = await world.as(person).get(`/users?${query}`);
  if (status !== 200) throw new Error(text);
  const names = Object.entries(people);
  return body.map(({ id }: Person) => names.find(([, one]) => one.id === id)?.[0] ?? id);
};

describe("people are found", () => {
  it.each([
    ["soren", ["soren"]],
    ["MÜLLER", ["soren"]],
    ["muller s", ["soren"]],
    ["mueller@UNI.example.edu", ["soren"]],
    ["ann", ["ann", "away"]],
    ["lee smith", ["ann"]],
    ["smith ann_lee", ["ann"]],
    ["le", ["ann"]],
    ["ee", []],
    ["100% nobody", []],
    ["%", [...["soren", "ann", "away"]]],
  ])(
    "by words of their name or address, without regard to case, accents and punctuation: %s",
    async (q, wanted) => {
      const answer = await found(admin, new URLSearchParams({ q }).toString());
      expect(answer.filter((one) => typeof one === "string")).toEqual(wanted);
    },
  );

  it("by whether they are active, by role and by university", async () => {
    expect(await found(admin, "is_active=false")).toEqual(["away"]);
    expect(await found(admin, "role=ta")).toEqual(["soren"]);
    expect(await found(admin, `university_id=${university.id}&role=STUDENT&is_active=TRUE`)).toEqual(["ann"]);
    expect(await found(admin, `university_id=${elsewhere.id}`)).toEqual([]);
    const platform = await make.holder("platform_admin", elsewhere.id);
    expect(await found(platform, `university_id=${elsewhere.id}&q=foreigner`)).toEqual(["foreign"]);
    expect(await found(platform, "q=ann&role=TA")).toEqual(["foreign"]);
    expect(await found(platform, "q=ann")).toEqual(["ann", "away", "foreign"]);
  });

  it("in the requested order, ascending or descending, in windows", async () => {
    const only = "q=uni.example.edu";
    expect(await found(admin, `${only}&sort=full_name`)).toEqual(["away", "ann", "soren"]);
    expect(await found(admin, `${only}&sort=-full_name`)).toEqual(["soren", "ann", "away"]);
    expect(await found(admin, `${only}&sort=email&skip=1&limit=1`)).toEqual(["away"]);
    expect(await found(admin, `${only}&sort=-id`)).toEqual(["away", "ann", "soren"]);
  });

  it("by the newest of their external ids, people without one first, page by page", async () => {
    const there = await make.university();
    const staff = await make.holder("university_admin", there.id);
    const [unknown, one, two, three] = await Promise.all(
      Array.from({ length: 4 }, () => make.holder("student", there.id)),
    );
    const known: [Person | undefined, string][] = [
      [one, "z-0"],
      [two, "b-2"],
      [three, "c-3"],
      [one, "a-1"],
    ];
    for (const [person, id] of known)
      await world.deps.db.execute(
        sql`insert into sourced_people (university_id, sourced_id, user_id) values (${there.id}, ${id}, ${person?.id})`,
      );
    const nobody = [staff, unknown].map((person) => person?.id ?? 0).sort((a, b) => a - b);
    const all = [...nobody, one?.id, two?.id, three?.id];
    for (const [sort, wanted] of [
      ["external_id", all],
      ["-external_id", all.toReversed()],
    ] as const) {
      const path = `/users?university_id=${there.id}&sort=${sort}`;
      const seen: number[] = [];
      let next = "";
      for (let page = 0; page < 6; page += 1) {
        const { body, headers } = await world.as(staff).get(`${path}&limit=2${next}`);
        seen.push(...body.map(({ id }: { id: number }) => id));
        const after = /after=([^&>"]+)/.exec(headers.get("link") ?? "")?.[1];
        if (!after) break;
        next = `&after=${after}`;
      }
      expect(seen).toEqual(wanted);
      const third = await world.as(staff).get(`${path}&skip=2&limit=1`);
      expect(third.body.map(({ id }: { id: number }) => id)).toEqual([wanted[2]]);
    }
  });
});

describe("a person's suspension", () => {
  it("is shown by each university to its own staff, in the list and in the detail, and to no one else", async () => {
    const ann = people["ann"] as Person;
    const rights = { user_id: ann.id, university_id: elsewhere.id, role: "STUDENT" as const };
    await world.deps.db.insert(userUniversityRoles).values(rights);
    const suspend = (is_active: boolean) =>
      world.as(admin).patch(`/universities/${university.id}/members/${ann.id}`, { is_active });
    expect((await suspend(false)).status).toBe(200);
    const membershipsSeenBy = async (person: Person) => {
      const list = await world.as(person).get("/users?q=ann_lee");
      const { body } = await world.as(person).get(`/users/${ann.id}`);
      expect(list.body).toEqual([body]);
      return body.memberships;
    };
    const unnamed = { external_id: null, given_name: null, family_name: null, source: null };
    const here = { university_id: university.id, is_active: false, ...unnamed };
    const there = { university_id: elsewhere.id, is_active: true, ...unnamed };
    expect(await membershipsSeenBy(admin)).toEqual([here]);
    expect(await membershipsSeenBy(await make.holder("ta", university.id))).toEqual([here]);
    expect(await membershipsSeenBy(await make.holder("ta", elsewhere.id))).toEqual([there]);
    const platform = await make.holder("platform_admin", elsewhere.id);
    expect(await membershipsSeenBy(platform)).toEqual([here, there]);
    expect(await membershipsSeenBy(ann)).toEqual([]);

    expect((await suspend(true)).status).toBe(200);
    expect(await membershipsSeenBy(admin)).toEqual([{ ...here, is_active: true }]);
    await world.deps.db.execute(
      sql`delete from user_university_roles where user_id = ${ann.id} and university_id = ${elsewhere.id}`,
    );
    expect(await membershipsSeenBy(platform)).toEqual([{ ...here, is_active: true }]);
  });
});

describe("a new colleague who belongs to no university yet", () => {
  const both = ["q=Ada%20NEWCOMER", "q=Ada.newcomer@new.example.edu"];

  it("is found by no one before they accept an offer", async () => {
    for (const query of both) expect(await found(admin, query)).toEqual([]);
    const offered = await world.as(admin).post(`/universities/${university.id}/roles`, {
      email: "ada.newcomer@new.example.edu",
      role: "INSTRUCTOR",
    });
    expect(offered.status).toBe(202);
    for (const query of both) expect(await found(admin, query)).toEqual([]);
    await world.deps.db.execute(
      sql`update users set email_verified_at = now() where email = 'ada.newcomer@new.example.edu'`,
    );
    const accepted = await world
      .as(people["colleague"] as Person)
      .post(`/users/me/offers/${offered.body.offer.id}/accept`);
    expect(accepted.status).toBe(200);
    expect(await found(admin, "q=newcomer&role=instructor")).toEqual(["colleague"]);
  });

  it("is not found by parts of name or address, nor by callers without the right to grant", async () => {
    people["second"] = await make.person({ full_name: "Bea Second", email: "bea@new.example.edu" });
    for (const q of ["Bea", "bea@new", "example.edu Bea"]) expect(await found(admin, `q=${q}`)).toEqual([]);
    const teacher = await make.holder("instructor", university.id);
    expect(await found(teacher, "q=Bea%20Second")).toEqual([]);
    expect(await found(await make.person(), "q=Bea%20Second")).toEqual([]);
    for (const q of [
      "Ann Foreigner",
      "ann@foreign.example.edu",
      "Enrolled Elsewhere",
      "enrolled@new.example.edu",
    ])
      expect(await found(admin, new URLSearchParams({ q }).toString()), q).toEqual([]);
  });
});

describe("a list", () => {
  it.each([
    ["/users?name=ann", "name", "extra_forbidden"],
    ["/users?sort=age", "sort", "enum"],
    ["/users?is_active=perhaps", "is_active", "bool_parsing"],
    ["/users?role=king", "role", "enum"],
    ["/users?q=%20", "q", "string_too_short"],
    ["/courses?search=signals", "search", "extra_forbidden"],
    ["/universities?name=north", "name", "extra_forbidden"],
    ["/assessments/question-pools?sort=colour", "sort", "enum"],
    ["/chat/sessions?course_id=1", "course_id", "extra_forbidden"],
    ["/courses?level=7", "level", "enum"],
    ["/offerings?open=maybe", "open", "bool_parsing"],
    ["/offerings?order=id", "order", "extra_forbidden"],
    ["/enrollments/my-enrollments?state=ACTIVE", "state", "extra_forbidden"],
    ["/users/me/home?user_id=1", "user_id", "extra_forbidden"],
  ])("rejects an unknown filter, and an invalid value, and names it: %s", async (path, name, type) => {
    const { status, body } = await world.as(admin).get(path);
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ["query", name], type }]);
  });

  it("names each of several unknown filters", async () => {
    const { body } = await world.as(admin).get("/users?a=1&b=2&limit=0");
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc[1]).sort()).toEqual(["a", "b", "limit"]);
  });
});

describe("a person's enrollments", () => {
  it("are read by staff of the courses, by no one else, and by the person in full", async () => {
    const own = await make.topic();
    const other = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, own.offering.id);
    await make.enrollment(learner.id, other.offering.id, "COMPLETED");
    const ta = await make.holder("ta", own.university.id);
    const path = `/users/${learner.id}/enrollments`;
    const offeringsSeenBy = async (person: Person, query = "") =>
      (await world.as(person).get(path + query)).body.map(
        (one: { course_offering_id: number }) => one.course_offering_id,
      );
    expect(await offeringsSeenBy(ta)).toEqual([own.offering.id]);
    expect(await offeringsSeenBy(learner)).toEqual([other.offering.id, own.offering.id]);
    expect(await offeringsSeenBy(learner, "?sort=enrolled_at")).toEqual([own.offering.id, other.offering.id]);
    expect(await offeringsSeenBy(learner, "?status=completed")).toEqual([other.offering.id]);
    expect(await offeringsSeenBy(learner, `?course_id=${own.course.id}`)).toEqual([own.offering.id]);
    expect(await offeringsSeenBy(learner, `?university_id=${other.university.id}&sort=title`)).toEqual([
      other.offering.id,
    ]);
    expect(await offeringsSeenBy(learner, `?q=${own.course.code.toLowerCase()}`)).toEqual([own.offering.id]);
    expect((await world.as(admin).get(path)).status).toBe(404);
    expect((await world.as(await make.person()).get(path)).status).toBe(404);
  });
});
