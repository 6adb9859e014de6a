import { sql } from "drizzle-orm";
import { exportJWK } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { encryptSubject } from "../../../../lib/integrations/lti-tools/subjects.ts";
import {
  ags,
  assertionClaims,
  issuer,
  launchedClaims,
  registerTool,
  sendForm,
  signAsTool,
  tokenForm,
  toolCourse,
  toolServer,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { takeRsaKey } from "../../../support/rsa-keys.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

type Made = Awaited<ReturnType<typeof toolCourse>>;
type Signer = Parameters<typeof signAsTool>[0];

const token = async (one: Made, signer: Signer = one.tool, kid?: string) => {
  const assertion = await signAsTool(signer, assertionClaims(world, one.tool), kid);
  return (await sendForm(world, "/lti/tools/token", tokenForm(assertion))).status;
};

const replaceKeys = async (one: Made, keys: object) =>
  expect(
    (await one.admin.put(`/universities/${one.university.id}/lti-tools/${one.tool.id}`, keys)).status,
  ).toBe(200);

describe("a tool's key", () => {
  it("that was replaced no longer signs", async () => {
    const one = await toolCourse(world, make);
    expect(await token(one)).toBe(200);
    const key = await takeRsaKey(2048);
    const jwk = { ...(await exportJWK(key.publicKey)), alg: "RS256", use: "sig", kid: "tool-2" };
    await replaceKeys(one, { jwks_url: null, public_jwks: { keys: [jwk] } });
    expect(await token(one)).toBe(401);
    expect(await token(one, { key }, "tool-2")).toBe(200);
  });

  it.each([
    ["another algorithm", { alg: "RS512" }],
    ["encryption only", { use: "enc" }],
    ["another type", { kty: "EC", crv: "P-256" }],
  ])("of %s is rejected", async (_, changes) => {
    const one = await toolCourse(world, make);
    const jwk = {
      ...(await exportJWK(one.tool.key.publicKey)),
      alg: "RS256",
      use: "sig",
      kid: "tool",
      ...changes,
    };
    await replaceKeys(one, { jwks_url: null, public_jwks: { keys: [jwk] } });
    expect(await token(one)).toBe(401);
  });

  it("at an address that does not answer is rejected", async () => {
    const one = await toolCourse(world, make);
    await replaceKeys(one, { jwks_url: "https://127.0.0.1:9/jwks", public_jwks: null });
    expect(await token(one)).toBe(401);
  });
});

describe("a replay", () => {
  it("of an assertion is granted once, also of concurrent ones", async () => {
    const { tool } = await toolCourse(world, make);
    const form = tokenForm(await signAsTool(tool, assertionClaims(world, tool)));
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => sendForm(world, "/lti/tools/token", form)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(401)]);
  });

  it("of a score by another tool of the course stores nothing", async () => {
    const one = await toolCourse(world, make);
    const claims = await launchedClaims(world, (await one.launch(one.learner)).body.launch_url);
    const second = await registerTool(world, one.admin, one.university.id);
    const server = await toolServer(world, second);
    const { lineitem } = claims[ags] as { lineitem: string };
    expect((await server.score(lineitem, scoreOf(String(claims.sub)))).status).toBe(404);
    expect(await countScores(one)).toBe(0);
  });

  it("of an id token is no assertion", async () => {
    const one = await toolCourse(world, make);
    const claims = await launchedClaims(world, (await one.launch(one.learner)).body.launch_url);
    const assertion = await signAsTool(one.tool, { ...claims, iss: issuer });
    expect((await sendForm(world, "/lti/tools/token", tokenForm(assertion))).status).toBe(401);
  });
});

const scoreOf = (userId: string) => ({
  ...{ userId, scoreGiven: 5, scoreMaximum: 10, timestamp: "2026-03-10T11:59:00.000Z" },
  ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
});

const countScores = async ({ item }: Made): Promise<number> => {
  const { rows } = await world.deps.db.execute<{ scores: number }>(
    sql`select count(*)::int as scores from lab_submissions where content_item_id = ${item.id}`,
  );
  return rows[0]?.scores ?? Number.NaN;
};

describe("a score for a stranger", () => {
  const strangers: [string, (one: Made) => Promise<{ id: number }>][] = [
    ["without a seat", () => make.person()],
    ["who teaches", async ({ teacher }) => teacher],
    ["of another university", async () => (await toolCourse(world, make)).learner],
    [
      "of another offering of the course",
      async ({ course }) => {
        const person = await make.person();
        await make.enrollment(person.id, (await make.offering(course)).id);
        return person;
      },
    ],
    ...(["DROPPED", "WAITLISTED"] as const).map(
      (status): [string, (one: Made) => Promise<{ id: number }>] => [
        `whose enrollment is ${status}`,
        async ({ offering }) => {
          const person = await make.person();
          await make.enrollment(person.id, offering.id, status);
          return person;
        },
      ],
    ),
  ];

  it.each(strangers)("%s is rejected, and stores nothing", async (_, stranger) => {
    const one = await toolCourse(world, make);
    const { id } = await stranger(one);
    const server = await toolServer(world, one.tool);
    const lineitem = `${issuer}/lti/tools/offerings/${one.offering.id}/line-items/${one.item.id}`;
    expect((await server.score(lineitem, scoreOf(await subjectAt(one, id)))).status).toBe(404);
    expect(await countScores(one)).toBe(0);
    expect((await server.score(lineitem, scoreOf(await subjectAt(one, one.learner.id)))).status).toBe(204);
  });
});

/** The person's pseudonym at the tool, which no launch of a stranger gives away. */
async function subjectAt({ tool }: Made, personId: number): Promise<string> {
  const { rows } = await world.deps.db.execute<{ subject_key: string }>(
    sql`select subject_key from lti_tools where id = ${tool.id}`,
  );
  return encryptSubject(rows[0]?.subject_key ?? "", personId);
}
