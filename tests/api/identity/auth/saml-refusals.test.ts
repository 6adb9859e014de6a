import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { checkSamlProviders } from "../../../../scripts/ops/doctor/saml.ts";
import { oids, persistentFormat, type SamlAnswer } from "../../../support/saml-provider.ts";
import { openWorld } from "../../../support/world.ts";
import { openSamlUniversity, samlMoment } from "./saml-support.ts";

const world = openWorld();
const saml = openSamlUniversity(world);
const { browser, someone, facts } = saml;
const at = Date.parse(samlMoment);

describe("a response is rejected with a page, and signs in no one:", () => {
  const evil = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_evil" Version="2.0"><saml:Issuer>https://idp.example.edu/saml</saml:Issuer><saml:Subject><saml:NameID Format="${persistentFormat}">victim</saml:NameID></saml:Subject></saml:Assertion>`;
  const hour = 3_600_000;
  const sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";

  const refusals: [string, () => Partial<SamlAnswer> | Promise<Partial<SamlAnswer>>, number, string][] = [
    ["unsigned", () => ({ sign: "none" }), 400, "signature"],
    ["signed by another", () => ({ key: saml.provider.otherKey }), 400, "signature"],
    ["the response signed and the assertion not", () => ({ sign: "response" }), 400, "signature"],
    ["the assertion signed and the response not", () => ({ sign: "assertion" }), 400, "signature"],
    [
      "another subject under the same signature",
      () => ({ tamper: (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, "$1victim") }),
      400,
      "signature",
    ],
    [
      "wrapped: a second assertion before the signed one",
      () => ({ tamper: (xml) => xml.replace("<saml:Assertion ", `${evil}<saml:Assertion `) }),
      400,
      "assertions",
    ],
    [
      "wrapped: the signed response within another",
      () => ({
        tamper: (xml) => {
          const [head = ""] = /^<samlp:Response[^>]*>/.exec(xml) ?? [];
          const status = `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`;
          return `${head.replace(/ ID="[^"]*"/, ' ID="_outer"')}${status}<samlp:Extensions>${xml}</samlp:Extensions>${evil}</samlp:Response>`;
        },
      }),
      400,
      "assertions",
    ],
    [
      "wrapped: the signed assertion within an object of a forged one's signature",
      () => ({
        sign: "assertion",
        tamper: (xml) =>
          xml.replace(/<saml:Assertion [\s\S]*<\/saml:Assertion>/, (one) =>
            evil.replace(
              "</saml:Issuer>",
              `</saml:Issuer><ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${one}</ds:Object>`,
            ),
          ),
      }),
      400,
      "assertions",
    ],
    [
      "a comment in the NameID",
      () => ({ writeAssertion: (xml) => xml.replace(/(<saml:NameID[^>]*>)/, "$1vic<!-- -->tim") }),
      400,
      "markup",
    ],
    [
      "a comment put into it on its way",
      () => ({ tamper: (xml) => xml.replace(/(<saml:NameID[^>]*>.)/, "$1<!-- -->") }),
      400,
      "markup",
    ],
    [
      "a document type",
      () => ({ tamper: (xml) => `<!DOCTYPE r [<!ENTITY e "victim">]>${xml}` }),
      400,
      "doctype",
    ],
    [
      "SHA-1 in a signature",
      () => ({ signatureAlgorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1" }),
      400,
      "algorithm",
    ],
    ["SHA-1 in a digest", () => ({ digestAlgorithm: sha1 }), 400, "algorithm"],
    ["for another audience", () => ({ audience: "https://other.example" }), 400, "audience"],
    ["for another recipient", () => ({ recipient: "https://other.example/acs" }), 400, "recipient"],
    ["for another destination", () => ({ destination: "https://other.example/acs" }), 400, "destination"],
    ["without a destination", () => ({ destination: undefined }), 400, "destination"],
    [
      "from another issuer with the provider's key",
      () => ({ issuer: "https://other.example" }),
      400,
      "issuer",
    ],
    [
      "a response from another issuer around an assertion of the provider",
      () => ({
        issuer: "https://other.example",
        writeAssertion: (xml) => xml.replace("https://other.example", saml.provider.issuer),
      }),
      400,
      "issuer",
    ],
    ["expired", () => ({ at: at - hour, notBefore: at - hour, notOnOrAfter: at - 60_000 }), 400, "expired"],
    ["from the future", () => ({ at: at + 61_000, notBefore: at }), 400, "not_yet"],
    ["not valid yet", () => ({ notBefore: at + 61_000 }), 400, "not_yet"],
    [
      "of an unknown time",
      () => ({ writeAssertion: (xml) => xml.replace(/NotOnOrAfter="[^"]*"/g, 'NotOnOrAfter="soon"') }),
      400,
      "expired",
    ],
    [
      "without a bearer's confirmation",
      () => ({ writeAssertion: (xml) => xml.replace("cm:bearer", "cm:sender-vouches") }),
      400,
      "recipient",
    ],
    ["without InResponseTo", () => ({ inResponseTo: undefined }), 400, "in_response_to"],
    ["in response to another request", () => ({ inResponseTo: "_another" }), 400, "in_response_to"],
    [
      "encrypted for another key",
      () => ({ encryptFor: saml.provider.otherKey.certificate }),
      400,
      "decryption",
    ],
    [
      "with an identifier of a foreign scope",
      () => ({ attributes: { [oids.subjectId]: ["ada@evil.example"] } }),
      403,
      "scope",
    ],
    [
      "with an address of a foreign domain",
      () => ({ ...someone({ [oids.mail]: ["ada@elsewhere.example"] }) }),
      403,
      "domain",
    ],
    ["with no address the first time", () => ({ ...someone(), attributes: {} }), 403, "domain"],
    [
      "without an identifier that lasts",
      () => ({
        nameId: {
          format: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
          value: "ada@example.edu",
        },
      }),
      403,
      "identifier",
    ],
    ["without any identifier", () => ({ nameId: undefined }), 403, "identifier"],
    [
      "refused by the provider",
      () => ({ status: "urn:oasis:names:tc:SAML:2.0:status:Responder", sign: "none" }),
      400,
      "provider_refused",
    ],
    ["no SAML", () => ({ tamper: () => "<html></html>" }), 400, "malformed"],
    ["no XML", () => ({ tamper: () => "\u0000<a" }), 400, "malformed"],
    ["larger than 256 KB", () => ({ tamper: (xml) => xml + " ".repeat(260_000) }), 413, "too_large"],
    [
      "nested without end",
      () => ({ tamper: (xml) => xml.replace("<saml:Assertion ", `${"<a>".repeat(5000)}<saml:Assertion `) }),
      400,
      "malformed",
    ],
  ];

  it.each(refusals)("%s", async (_, changes, status, reason) => {
    const begun = await browser.begin({ redirect_to: "/courses" });
    const { relayState: RelayState, cookie } = begun;
    const given = { ...someone(), ...(await changes()) };
    const page = await browser.post({ SAMLResponse: await browser.answer(begun, given), RelayState }, cookie);
    expect([page.status, page.html.match(/Reason (\w+)/)?.[1]]).toEqual([status, reason]);
    expect(page.html).toContain("For the operators of Campus account");
    expect(page.html).toContain(`request ${page.headers.get("x-request-id")}`);
    expect(page.html).toContain(`/auth/saml/${saml.loginName}/login?redirect_to=%2Fcourses`);
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    // A forged response does not use up the request: the real one still signs in.
    const real = await browser.post(
      { SAMLResponse: await browser.answer(begun, someone()), RelayState },
      cookie,
    );
    expect(real.status).toBe(302);
  });

  it("of 5 MB, before it is read", async () => {
    const { status } = await browser.post({ SAMLResponse: "A".repeat(5 * 2 ** 20), RelayState: "r" });
    expect(status).toBe(413);
  });

  it("unsolicited, of another browser, after ten minutes, or without a form", async () => {
    const begun = await browser.begin();
    const SAMLResponse = await browser.answer(begun, someone());
    const { relayState: RelayState, cookie } = begun;
    const other = await browser.begin();
    const unsolicited: [Record<string, string>, string][] = [
      [{ SAMLResponse }, ""],
      [{ SAMLResponse, RelayState }, ""],
      [{ SAMLResponse, RelayState }, other.cookie],
      [{ SAMLResponse, RelayState }, `app_saml_${RelayState}=${other.cookie.split("=")[1]?.slice(1)}`],
      [{ SAMLResponse, RelayState: "/courses" }, cookie],
    ];
    for (const [fields, kept] of unsolicited) {
      const page = await browser.post(fields, kept);
      expect([page.status, page.html.match(/Reason (\w+)/)?.[1]]).toEqual([400, "not_begun"]);
    }
    const swapped = await browser.post({ SAMLResponse, RelayState: other.relayState }, other.cookie);
    expect(swapped.html).toContain("Reason in_response_to");
    expect((await browser.post({ RelayState }, cookie)).html).toContain("Reason bad_request");
    world.setNow(new Date(at + 601_000));
    expect((await browser.post({ SAMLResponse, RelayState }, cookie)).html).toContain("Reason not_begun");
  });

  it("may be caused by an expiring certificate, which the doctor names", async () => {
    expect((await checkSamlProviders(world.deps.db, new Date(at))).state).toBe("ok");
    const { what } = await checkSamlProviders(world.deps.db, new Date("2046-03-01"));
    expect(what).toContain("Campus account, its last certificate expires on 2046-03-10");
    expect(what).toContain("Campus account, this service's certificate for it expires");
  });

  it("stores the reason for the university's administrator, and signed content in the audit log only", async () => {
    const begun = await browser.begin();
    const fields = { SAMLResponse: await browser.answer(begun, someone()), RelayState: begun.relayState };
    await browser.post(fields, begun.cookie);
    expect((await browser.post(fields, begun.cookie)).html).toContain("Reason replayed");
    const { refusals } = await facts();
    const [replayed] = refusals.filter(({ reason }: { reason: string }) => reason === "replayed");
    expect(replayed).toMatchObject({ times: 1, for_operators: "Each assertion is accepted once." });
    const [domain] = refusals.filter(({ reason }: { reason: string }) => reason === "domain");
    expect(domain.detail).toMatch(/there is no address|elsewhere\.example/);
    const audited = await world.deps.db.execute(sql`
      select distinct details ->> 'reason' as reason from audit_events where action = 'sign_in.failed'`);
    const reasons = audited.rows.map(({ reason }) => reason);
    expect(reasons).toContain("audience");
    for (const unsigned of ["signature", "assertions", "markup", "doctype", "malformed", "not_begun"])
      expect(reasons).not.toContain(unsigned);
  });
});
