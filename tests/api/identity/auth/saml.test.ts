import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { oids, persistentFormat } from "../../../support/saml-provider.ts";
import { openWorld } from "../../../support/world.ts";
import { cookiesOf } from "./oidc-support.ts";
import { openSamlUniversity, samlMoment } from "./saml-support.ts";

const world = openWorld();
const make = makersOf(world);
const saml = openSamlUniversity(world);
const { browser, someone, facts } = saml;

const rolesOf = async (email: string | undefined) =>
  (
    await world.deps.db.execute(sql`
      select role from user_university_roles join users on users.id = user_id
      where email = ${email} and university_id = ${saml.university} order by role`)
  ).rows.map(({ role }) => role);

describe("a sign-in by SAML", () => {
  it("redirects to the provider with a signed request, and stores it in a cookie limited to the consumer's path", async () => {
    const { address, setCookie, request, relayState } = await browser.begin();
    expect(address.href).toContain("https://idp.example.edu/sso?keep=this&SAMLRequest=");
    expect(address.searchParams.get("SigAlg")).toBe("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
    expect(address.searchParams.get("Signature")).toMatch(/^[\w+/]{200,}=*$/);
    expect(request.acs).toBe(`http://localhost/api/v1/auth/saml/${saml.loginName}/acs`);
    expect(request.issuer).toBe(`http://localhost/api/v1/auth/saml/${saml.loginName}/metadata`);
    expect(setCookie).toMatch(new RegExp(`^app_saml_${relayState}=`));
    for (const part of [
      "Secure",
      "HttpOnly",
      "SameSite=None",
      "Max-Age=600",
      `Path=/api/v1/auth/saml/${saml.loginName}/acs`,
    ])
      expect(setCookie).toContain(part);
    expect(setCookie).not.toContain(request.id);
  });

  it("makes the person a member of the university, with a token that reaches only it", async () => {
    const who = someone();
    const reply = await browser.signIn(who, { redirect_to: "/courses?page=2" });
    expect([reply.status, reply.headers.get("location"), reply.html]).toEqual([302, "/courses?page=2", ""]);
    const { app_access_token: token } = cookiesOf(reply.headers);
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect((await world.as().get("/users/me/roles", bearer)).body).toMatchObject([
      { role: "STUDENT", university_id: saml.university },
    ]);
    expect((await world.as().get("/users/me", bearer)).body.full_name).toBe("Ada L.");
    expect(reply.headers.getSetCookie().some((one) => /^app_saml_[\w-]+=; Max-Age=0/.test(one))).toBe(true);
    // Later sign-ins need only the identifier.
    expect((await browser.signIn({ ...who, attributes: {} })).status).toBe(302);
  });

  it("asks the database once to begin, and twice to end", async () => {
    const asked = () => world.log.findLast((line) => "db_query_count" in line)?.["db_query_count"];
    const begun = await browser.begin();
    const toBegin = asked();
    const fields = { SAMLResponse: await browser.answer(begun, someone()), RelayState: begun.relayState };
    await browser.post(fields, begun.cookie);
    expect([toBegin, asked()]).toEqual([1, 2]);
  });

  it("gives a page that began it with a challenge a code, and no cookies", async () => {
    const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const reply = await browser.signIn(someone(), { redirect_to: "/app", code_challenge: challenge });
    expect(reply.headers.get("location")).toMatch(/^\/app\?sign_in_code=/);
    expect(cookiesOf(reply.headers)).not.toHaveProperty("app_access_token");
    const code = new URL(reply.headers.get("location") ?? "", "http://x").searchParams.get("sign_in_code");
    const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    expect((await world.as().post("/auth/oidc/tokens", { code, code_verifier })).status).toBe(200);
  });

  it("prefers subject-id to a NameID, ignoring case", async () => {
    const id = `${make.unique("S")}@Example.edu`;
    const told = someone({ [oids.subjectId]: [id] });
    expect((await browser.signIn(told)).status).toBe(302);
    const other = { ...someone({ [oids.subjectId]: [id.toLowerCase()] }), nameId: undefined };
    other.attributes = { [oids.subjectId]: [id.toLowerCase()] };
    expect((await browser.signIn(other)).status).toBe(302);
  });

  it("takes pairwise-id, and a clock that is up to a minute off, either way", async () => {
    const told = someone({
      "urn:oasis:names:tc:SAML:attribute:pairwise-id": [`${make.unique("p")}@example.edu`],
    });
    expect((await browser.signIn({ ...told, nameId: undefined })).status).toBe(302);
    const now = Date.parse(samlMoment);
    const early = { at: now - 300_000, notBefore: now - 300_000, notOnOrAfter: now - 59_000 };
    for (const off of [{ at: now + 59_000, notBefore: now + 59_000 }, early])
      expect((await browser.signIn({ ...someone(), ...off })).status, JSON.stringify(off)).toBe(302);
  });

  it("grants a role by the university's table, for its scopes only, and revokes none", async () => {
    const professor = someone({ [oids.scopedAffiliation]: ["faculty@example.edu", "member@example.edu"] });
    const email = professor.attributes?.[oids.mail]?.[0];
    expect((await browser.signIn(professor)).status).toBe(302);
    expect(await rolesOf(email)).toEqual(["instructor", "student"]);
    const { mail, displayName } = oids;
    const told = { [mail]: [email ?? ""], [displayName]: ["Ada L."] };
    expect((await browser.signIn({ ...professor, attributes: told })).status).toBe(302);
    expect(await rolesOf(email)).toEqual(["instructor", "student"]);
    const stranger = someone({ [oids.scopedAffiliation]: ["faculty@evil.example"] });
    expect((await browser.signIn(stranger)).status).toBe(302);
    expect(await rolesOf(stranger.attributes?.[oids.mail]?.[0])).toEqual(["student"]);
  });

  it("records the attributes of an assertion, without values, and lists the provider with its kind", async () => {
    await browser.signIn(someone({ [oids.scopedAffiliation]: ["member@example.edu", "staff@example.edu"] }));
    const { seen_attributes, seen_at } = await facts();
    expect(seen_at).toBe(samlMoment);
    expect(seen_attributes).toMatchObject({ name_id_format: persistentFormat });
    expect(seen_attributes.attributes).toContainEqual({
      name: oids.scopedAffiliation,
      friendly_name: null,
      values: 2,
      scopes: ["example.edu"],
    });
    expect(JSON.stringify(seen_attributes)).not.toContain("Ada");
    expect((await world.as().get(`/auth/oidc/providers?university_id=${saml.university}`)).body).toEqual([
      { name: saml.loginName, label: "Campus account", kind: "saml" },
    ]);
    expect((await world.as().get(`/auth/oidc/${saml.loginName}/login`)).status).toBe(404);
  });

  it("takes an assertion that is encrypted for this service, within a signed response", async () => {
    const own = await ownCertificate();
    expect((await browser.signIn({ ...someone(), encryptFor: own })).status).toBe(302);
  });

  it("requires a signature of the response or the assertion, or of both, as the university configures", async () => {
    for (const [signed, sign, status] of [
      ["response", "response", 302],
      ["response", "assertion", 400],
      ["assertion", "assertion", 302],
      ["assertion", "response", 400],
    ] as const) {
      await saml.admin.put(saml.path, { signed });
      expect([signed, sign, (await browser.signIn({ ...someone(), sign })).status]).toEqual([
        signed,
        sign,
        status,
      ]);
    }
    // Anyone with the public key can encrypt.
    const sent = { ...someone(), sign: "assertion" as const, encryptFor: await ownCertificate() };
    await saml.admin.put(saml.path, { signed: "assertion" });
    expect((await browser.signIn(sent)).status).toBe(400);
    await saml.admin.put(saml.path, { signed: "both" });
  });

  it("a response that is sent twice, also concurrently, signs in once", async () => {
    const begun = await browser.begin();
    const fields = { SAMLResponse: await browser.answer(begun, someone()), RelayState: begun.relayState };
    const both = await Promise.all([browser.post(fields, begun.cookie), browser.post(fields, begun.cookie)]);
    expect(both.map(({ status }) => status).sort()).toEqual([302, 400]);
    expect((await browser.post(fields, begun.cookie)).html).toContain("Reason replayed");
  });
});

async function ownCertificate(): Promise<string> {
  const reply = await world.as().get(`/auth/saml/${saml.loginName}/metadata`);
  expect(reply.status).toBe(200);
  expect(reply.text).toContain(`Location="http://localhost/api/v1/auth/saml/${saml.loginName}/acs"`);
  return (
    /use="encryption">[\s\S]*?<ds:X509Certificate>\s*([^<]+?)\s*</
      .exec(reply.text)?.[1]
      ?.replaceAll(/\s/g, "") ?? ""
  );
}
