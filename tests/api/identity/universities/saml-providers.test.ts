import { verify, X509Certificate } from "node:crypto";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../../functions/groups.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { refreshMetadata } from "../../../../lib/identity/saml/refresh.ts";
import { reencryptProviderSecrets } from "../../../../lib/identity/universities/identity-providers.ts";
import { clientOf, type Person } from "../../../support/client.ts";
import { documentedCodes } from "../../../support/contract-check.ts";
import { makersOf } from "../../../support/makers.ts";
import { createPatientServer } from "../../../support/patient-server.ts";
import {
  aggregateOf,
  makeSamlProvider,
  oids,
  persistentFormat,
  type SamlProviderStandIn,
} from "../../../support/saml-provider.ts";
import { openWorld } from "../../../support/world.ts";
import { samlBrowserOf } from "../auth/saml-support.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

let provider: SamlProviderStandIn;
let adminPerson: Person;
let admin: ReturnType<typeof world.as>;
let platform: ReturnType<typeof world.as>;
let university: number;
let all: string;
let federation: string;

/** The metadata address's response. */
let served: { status: number; body: string };
const server = createPatientServer((_, response) => response.writeHead(served.status).end(served.body));
let address: string;

const pem = (certificate: string) =>
  `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
  provider = await makeSamlProvider(world.deps.now);
  federation = pem(provider.otherKey.certificate);
  served = { status: 200, body: provider.metadata() };
  university = (await make.university()).id;
  adminPerson = await make.holder("university_admin", university);
  admin = world.as(adminPerson);
  platform = world.as(await make.holder("platform_admin", (await make.university()).id));
  all = `/universities/${university}/identity-providers`;
});
afterAll(() => server.close());

const given = (changes: object = {}) => ({
  kind: "saml",
  name: make
    .unique("p")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, ""),
  label: "Campus",
  ...changes,
});

const aggregate = (validUntil = "2026-04-01T00:00:00Z", key = provider.otherKey) =>
  aggregateOf(
    [provider.metadata(["example.edu"]), provider.metadata([], "https://other.example/saml")],
    validUntil,
    key,
  );

describe("an identity provider by SAML", () => {
  it("is added by its metadata's text or address, with a key of this service's own", async () => {
    const { status, body } = await admin.post(all, given({ metadata: provider.metadata(["Example.edu"]) }));
    expect([status, body.saml]).toMatchObject([
      201,
      {
        metadata_url: null,
        sso_url: provider.sso,
        scopes: ["example.edu"],
        valid_until: null,
        signed: "both",
        affiliation_roles: {},
        metadata_read_at: moment,
        seen_attributes: null,
        refusals: [],
        own_certificate_expires_at: "2046-03-10T12:00:00.000Z",
      },
    ]);
    const fingerprint = new X509Certificate(Buffer.from(provider.key.certificate, "base64")).fingerprint256;
    expect(body.saml.certificates).toEqual([{ fingerprint, expires_at: "2046-03-10T12:00:00.000Z" }]);
    const byAddress = await admin.post(all, given({ metadata_url: address, signed: "RESPONSE" }));
    expect(byAddress).toMatchObject({
      status: 201,
      body: { saml: { metadata_url: address, signed: "response" } },
    });
    expect((await admin.get(all)).text).not.toContain("PRIVATE KEY");
    const { rows } = await world.deps.db.execute(sql`
      select count(*)::int as n from identity_providers as one where one::text like '%PRIVATE%'`);
    expect(rows).toEqual([{ n: 0 }]);
  });

  it("is picked by its entity ID from a federation's file that the pinned certificate has signed", async () => {
    const chosen = { issuer: provider.issuer, metadata_certificate: federation };
    const added = await admin.post(all, given({ ...chosen, metadata: aggregate() }));
    expect(added.body).toMatchObject({
      issuer: provider.issuer,
      saml: { scopes: ["example.edu"], valid_until: "2026-04-01T00:00:00.000Z" },
    });
  });

  const bad: [string, () => object, number, string][] = [
    ["neither text nor address", () => ({}), 422, "metadata_url"],
    [
      "text and address",
      () => ({ metadata: provider.metadata(), metadata_url: address }),
      422,
      "metadata_url",
    ],
    ["a secret", () => ({ metadata: provider.metadata(), client_secret: "s" }), 422, "client_secret"],
    [
      "an unknown role",
      () => ({ metadata: provider.metadata(), affiliation_roles: { staff: "UNIVERSITY_ADMIN" } }),
      422,
      "affiliation_roles",
    ],
    [
      "a pin that is no certificate",
      () => ({ metadata: provider.metadata(), metadata_certificate: "x" }),
      422,
      "metadata_certificate",
    ],
    ["an address with a name", () => ({ metadata_url: "https://a:b@example.edu/" }), 422, "metadata_url"],
    ["a text that is no XML", () => ({ metadata: "<a" }), 400, "cannot be read"],
    ["a document type", () => ({ metadata: `<!DOCTYPE a>${provider.metadata()}` }), 400, "cannot be read"],
    ["another document", () => ({ metadata: "<a/>" }), 400, "no identity provider"],
    [
      "several providers of which none is named",
      () => ({ metadata: aggregate() }),
      400,
      "several identity providers",
    ],
    [
      "a named one that is not there",
      () => ({ metadata: aggregate(), issuer: "https://no.example" }),
      400,
      "exactly one identity provider",
    ],
    [
      "no certificate",
      () => ({ metadata: provider.metadata().replace(/<md:KeyDescriptor[\s\S]*KeyDescriptor>/, "") }),
      400,
      "no signing certificate",
    ],
    [
      "a certificate that is none",
      () => ({ metadata: provider.metadata().replace(/(X509Certificate>)[^<]*/, "$1AAAA") }),
      400,
      "cannot be read",
    ],
    [
      "no address to sign in at",
      () => ({ metadata: provider.metadata().replace("HTTP-Redirect", "HTTP-POST") }),
      400,
      "HTTP-Redirect",
    ],
    [
      "an address that is a script",
      () => ({ metadata: provider.metadata().replaceAll(provider.sso, "javascript:alert(1)") }),
      400,
      "HTTP-Redirect",
    ],
    [
      "an end that has passed",
      () => ({ metadata: provider.metadata([], undefined, ' validUntil="2026-03-10T11:59:59Z"') }),
      400,
      "valid until",
    ],
    [
      "no signature, where one is pinned",
      () => ({ metadata: provider.metadata(), metadata_certificate: federation }),
      400,
      "not signed",
    ],
    [
      "a signature of another",
      () => ({
        metadata: aggregate(undefined, provider.key),
        issuer: provider.issuer,
        metadata_certificate: federation,
      }),
      400,
      "not signed",
    ],
    [
      "a signature that was changed after",
      () => ({
        metadata: aggregate().replace("/sso?", "/evil?"),
        issuer: provider.issuer,
        metadata_certificate: federation,
      }),
      400,
      "not signed",
    ],
    [
      "a signature that has expired",
      () => ({
        metadata: aggregate("2026-03-10T11:00:00Z"),
        issuer: provider.issuer,
        metadata_certificate: federation,
      }),
      400,
      "valid until",
    ],
  ];

  it.each(bad)("with %s is rejected", async (_, changes, status, words) => {
    const reply = await admin.post(all, given(changes()));
    expect(reply.status).toBe(status);
    if (status === 422)
      expect(JSON.stringify(reply.body.detail.map(({ loc }: { loc: unknown }) => loc))).toContain(words);
    else expect(reply.body.detail).toContain(words);
  });

  it("returns each error code of the API document, and no other", async () => {
    const { body: made } = await admin.post(all, given({ metadata: provider.metadata() }));
    const metadata = provider.metadata();
    const key = (certificate: string) =>
      metadata
        .match(/<md:KeyDescriptor[\s\S]*?<\/md:KeyDescriptor>/)?.[0]
        .replace(/(X509Certificate>)[^<]*/, `$1${certificate}`);
    const elevenKeys = Array.from({ length: 11 }, (_, n) => key(`AAA${n.toString(36)}`)).join("");
    const signed = { issuer: provider.issuer, metadata_certificate: federation };
    served = { status: 404, body: "" };
    const changes: Record<string, object> = {
      metadata_address_answered: { metadata_url: address },
      metadata_address_unreadable: { metadata_url: "http://127.0.0.1:1/" },
      metadata_certificate_unreadable: { metadata: metadata.replace(/(X509Certificate>)[^<]*/, "$1AAAA") },
      metadata_expired: { metadata: provider.metadata([], undefined, ' validUntil="2026-03-10T11:59:59Z"') },
      metadata_has_several: { metadata: aggregate() },
      metadata_signature_weak: { ...signed, metadata: aggregate().replace("xmlenc#sha256", "xmldsig#sha1") },
      metadata_signature_wrong: { ...signed, metadata: aggregate(undefined, provider.key) },
      metadata_unreadable: { metadata: "<a" },
      metadata_with_too_many_certificates: {
        metadata: metadata.replace(/<md:KeyDescriptor[\s\S]*<\/md:KeyDescriptor>/, elevenKeys),
      },
      metadata_without_certificate: {
        metadata: metadata.replace(/<md:KeyDescriptor[\s\S]*<\/md:KeyDescriptor>/, ""),
      },
      metadata_without_entity_id: { metadata: provider.metadata([], "no entity") },
      metadata_without_provider: { metadata: "<a/>" },
      metadata_without_sign_on_service: { metadata: metadata.replace("HTTP-Redirect", "HTTP-POST") },
      metadata_without_this_provider: { metadata: aggregate(), issuer: "https://no.example" },
    };
    const codeOf = async (reply: Promise<{ status: number; headers: Headers }>) => {
      const { status, headers } = await reply;
      return `${status} ${headers.get("x-error-code")}`;
    };
    const answered: string[] = [];
    for (const [code, change] of Object.entries(changes)) {
      answered.push(await codeOf(admin.put(`${all}/${made.id}`, change)));
      expect(answered.at(-1)).toBe(`400 ${code}`);
    }
    served = { status: 200, body: provider.metadata() };
    const strict = {
      ...world.deps,
      config: { ...world.deps.config, ENVIRONMENT: "production" as const },
    };
    const insecure = { metadata: metadata.replaceAll(provider.sso, "http://id.example/sso") };
    const atProduction = clientOf(
      createApp(strict, allEndpointGroups) as unknown as Hono,
      strict,
      adminPerson,
    );
    answered.push(await codeOf(atProduction.put(`${all}/${made.id}`, insecure)));
    answered.push(await codeOf(admin.put(`${all}/2147483647`, { label: "Campus" })));
    answered.push(
      await codeOf(
        platform.put(`/universities/2147483647/identity-providers/${made.id}`, { label: "Campus" }),
      ),
    );
    const listed = Object.entries(documentedCodes().get("updateUniversityProvider") ?? {}).flatMap(
      ([status, codes]) => codes.map((code) => `${status} ${code}`),
    );
    // Excessive documents and full queues are tested with the reading threads.
    const ofThreads = /reading_takes_|_being_read$|no_time_to_read$/;
    expect(answered.sort()).toEqual(listed.filter((one) => !ofThreads.test(one)).sort());
  });

  it("with another response from its URL is rejected, and so is a field of the other kind", async () => {
    served = { status: 404, body: "" };
    const refused = await admin.post(all, given({ metadata_url: address }));
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      "The address of the metadata returned status 404",
    ]);
    served = { status: 200, body: provider.metadata() };
    const oidc = {
      name: "o",
      label: "O",
      issuer: "https://id.example.edu",
      client_id: "c",
      client_secret: "s",
    };
    expect((await admin.post(all, { ...oidc, signed: "both" })).status).toBe(422);
    const { body } = await admin.post(all, oidc);
    expect(body).toMatchObject({ kind: "oidc", saml: null });
    expect((await admin.put(`${all}/${body.id}`, { signed: "both" })).status).toBe(422);
    const saml = (await admin.post(all, given({ metadata_url: address }))).body;
    for (const field of ["client_secret", "issuer"])
      expect(
        (await admin.put(`${all}/${saml.id}`, { [field]: "https://x.example" })).body.detail[0].loc,
      ).toEqual(["body", field]);
    expect((await admin.put(`${all}/2147483647`, { signed: "both" })).status).toBe(404);
  });

  it("changes to either text or address, not both", async () => {
    const { body } = await admin.post(all, given({ metadata: provider.metadata() }));
    const both = { metadata: provider.metadata(), metadata_url: address };
    const { status, body: refused } = await admin.put(`${all}/${body.id}`, both);
    expect([status, refused.detail]).toMatchObject([422, [{ loc: ["body", "metadata"] }]]);
  });

  it("that becomes another loses its links and domains; one with a renewed key keeps them", async () => {
    const { body } = await admin.post(all, given({ metadata: provider.metadata() }));
    const single = `${all}/${body.id}`;
    const domains = { email_domains: ["campus.example.edu"] };
    const linked = async () => {
      const { rows } = await world.deps.db.execute(
        sql`select count(*)::int as n from user_identities where provider = ${body.login_name}`,
      );
      return rows[0]?.["n"];
    };
    const link = async () => {
      await platform.put(`${single}/email-domains`, domains);
      const { id } = await make.person();
      await world.deps.db.execute(sql`
        insert into user_identities (user_id, provider, subject) values (${id}, ${body.login_name}, 's')`);
    };
    await link();
    const renewed = provider
      .metadata()
      .replace(
        "</md:KeyDescriptor>",
        `</md:KeyDescriptor><md:KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${provider.otherKey.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
      );
    const kept = await admin.put(single, { metadata: renewed });
    expect([kept.body.email_domains, kept.body.saml.certificates.length, await linked()]).toEqual([
      domains.email_domains,
      2,
      1,
    ]);
    for (const other of [
      { metadata: provider.metadata([], "https://other.example/saml") },
      { metadata_url: address },
      { metadata: provider.metadata() },
    ]) {
      const moved = await admin.put(single, other);
      expect([moved.status, moved.body.email_domains, await linked()]).toEqual([200, [], 0]);
      await link();
    }
    const foreign = provider.metadata().replace(provider.key.certificate, provider.otherKey.certificate);
    expect((await admin.put(single, { metadata: foreign })).body.email_domains).toEqual([]);
  });

  /** Tokens do not live that long. */
  async function refreshedAt(now: string) {
    world.setNow(now);
    const outcome = await refreshMetadata(world.deps, new AbortController().signal);
    world.setNow(moment);
    return outcome;
  }

  it("is refreshed by the schedule after six hours, and keeps its known metadata on failure", async () => {
    const { body } = await admin.post(all, given({ metadata_url: address }));
    const single = async () =>
      (await admin.get(all)).body.find(({ id }: { id: number }) => id === body.id).saml;
    expect((await refreshedAt(moment)).metadata_read).toBe(0);
    served.body = provider.metadata(["new.example.edu"]);
    const { metadata_read, metadata_failed } = await refreshedAt("2026-03-10T18:00:00.000Z");
    expect([metadata_read > 0, metadata_failed]).toEqual([true, 0]);
    expect(await single()).toMatchObject({
      scopes: ["new.example.edu"],
      metadata_read_at: "2026-03-10T18:00:00.000Z",
      metadata_problem: null,
    });
    served.body = provider.metadata([], "https://other.example/saml");
    await refreshedAt("2026-03-11T00:00:00.000Z");
    expect(await single()).toMatchObject({
      scopes: ["new.example.edu"],
      metadata_problem: `The metadata must have exactly one identity provider ${provider.issuer}`,
    });
  });

  it("with expired metadata signs in no one", async () => {
    const { body } = await admin.post(
      all,
      given({ metadata: provider.metadata([], undefined, ' validUntil="2026-03-10T13:00:00Z"') }),
    );
    const login = `/auth/saml/${body.login_name}/login`;
    expect((await world.as().get(login)).status).toBe(302);
    world.setNow("2026-03-10T13:00:00.000Z");
    const page = await world.app.request(`http://localhost/api/v1${login}`);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("metadata_expired")]);
    world.setNow(moment);
    expect((await admin.delete(`${all}/${body.id}`)).status).toBe(204);
    for (const path of ["login", "metadata"])
      expect((await world.as().get(`/auth/saml/${body.login_name}/${path}`)).status).toBe(404);
  });

  it("gets a new key of this service in three steps, each done once, and encrypts for either in between", async () => {
    const own = (await make.university()).id;
    const by = world.as(await make.holder("university_admin", own));
    const providers = `/universities/${own}/identity-providers`;
    const { body: made } = await by.post(providers, given({ metadata: provider.metadata() }));
    const single = `${providers}/${made.id}`;
    await platform.put(`${single}/email-domains`, { email_domains: ["keys.example.edu"] });
    const step = (which: string) => by.post(`${single}/own-key`, { step: which });
    const published = async () => {
      const { body } = await world.as().get(`/auth/saml/${made.login_name}/metadata`);
      const all = [...String(body).matchAll(/use="(\w+)"[\s\S]*?Certificate>([^<]+)</g)];
      return all.map(([, use, certificate = ""]) => [use, certificate.replaceAll(/\s/g, "")]);
    };
    const browser = samlBrowserOf(
      world,
      () => provider,
      () => made.login_name,
    );
    const signedIn = async (encryptFor: string) => {
      const attributes = { [oids.mail]: [`${make.unique("k").toLowerCase()}@keys.example.edu`] };
      const nameId = { format: persistentFormat, value: make.unique("k") };
      return (await browser.signIn({ attributes, nameId, encryptFor })).status;
    };
    const [[, first = ""] = []] = await published();
    expect([(await step("SWITCH")).status, (await step("REMOVE")).status]).toEqual([400, 400]);
    // Two concurrent requests create one.
    const statuses = (await Promise.all([step("ADD"), step("add")])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
    const [, [, second = ""] = []] = await published();
    expect(await published()).toEqual([
      ["signing", first],
      ["signing", second],
      ["encryption", first],
    ]);
    expect([await signedIn(first), await signedIn(second)]).toEqual([302, 302]);

    const { body: switched } = await step("SWITCH");
    expect(switched.saml.own_certificates.map(({ is_used }: { is_used: boolean }) => is_used)).toEqual([
      true,
      false,
    ]);
    expect(await published()).toEqual([
      ["signing", second],
      ["signing", first],
      ["encryption", second],
    ]);
    const { address } = await browser.begin();
    const [signedText = "", signature = ""] = address.search.slice(1).split("&Signature=");
    const text = signedText.slice(signedText.indexOf("SAMLRequest="));
    const { publicKey } = new X509Certificate(Buffer.from(second, "base64"));
    expect(
      verify("sha256", Buffer.from(text), publicKey, Buffer.from(decodeURIComponent(signature), "base64")),
    ).toBe(true);
    expect([await signedIn(first), await signedIn(second)]).toEqual([302, 302]);

    // Secrets of the earlier key are renewed together.
    await reencryptProviderSecrets(world.deps.db, {
      SECRET_KEY: "another secret of the tests, long enough",
      SECRET_KEY_PREVIOUS: world.deps.config.SECRET_KEY,
    });
    await reencryptProviderSecrets(world.deps.db, {
      SECRET_KEY: world.deps.config.SECRET_KEY,
      SECRET_KEY_PREVIOUS: "another secret of the tests, long enough",
    });
    expect(await signedIn(first)).toBe(302);

    expect((await step("REMOVE")).status).toBe(200);
    expect([await signedIn(first), await signedIn(second)]).toEqual([400, 302]);
    expect((await platform.post(`${single}/own-key`, { step: "FORGET" })).status).toBe(422);
    const oidc = await by.post(providers, {
      name: "oidc",
      label: "Other",
      issuer: "https://id.example.edu",
      client_id: "c",
      client_secret: "s",
    });
    expect((await by.post(`${providers}/${oidc.body.id}/own-key`, { step: "ADD" })).body.detail).toBe(
      "The provider does not use SAML",
    );
    expect((await by.post(`${providers}/2147483647/own-key`, { step: "ADD" })).status).toBe(404);
  });

  it("is found by its entity ID when a discovery service leads back, once the platform has granted its domains", async () => {
    const entityID = `https://${make.unique("idp").toLowerCase()}.example/saml`;
    const discovered = (query: Record<string, string>) =>
      (world.app as Hono).request(`/api/v1/auth/saml/discovered?${new URLSearchParams(query)}`);
    const addTo = async () => {
      const own = (await make.university()).id;
      const by = world.as(await make.holder("university_admin", own));
      const providers = `/universities/${own}/identity-providers`;
      const { body } = await by.post(providers, given({ metadata: provider.metadata([], entityID) }));
      return { own, id: body.id, name: body.login_name as string };
    };
    const grant = ({ own, id }: { own: number; id: number }) =>
      platform.put(`/universities/${own}/identity-providers/${id}/email-domains`, {
        email_domains: [`u${own}.example.edu`],
      });
    const one = await addTo();
    const before = await discovered({ entityID });
    expect([before.status, await before.text()]).toEqual([404, expect.stringContaining("unknown_provider")]);
    await grant(one);
    const found = await discovered({ entityID, redirect_to: "/courses?page=2" });
    expect(found.status).toBe(302);
    const target = new URL(found.headers.get("location") ?? "");
    expect(target.pathname).toBe(`/api/v1/auth/saml/${one.name}/login`);
    expect(target.searchParams.get("redirect_to")).toBe("/courses?page=2");
    // The metadata contains the address.
    const { body: metadata } = await world.as().get(`/auth/saml/${one.name}/metadata`);
    expect(metadata).toMatch(/DiscoveryResponse[^>]*Location="[^"]*\/api\/v1\/auth\/saml\/discovered"/);

    const other = await addTo();
    await grant(other);
    expect((await discovered({ entityID })).status).toBe(404);
    const chosen = await discovered({ entityID, university_id: String(other.own) });
    expect(chosen.headers.get("location")).toContain(`/auth/saml/${other.name}/login?`);
    const nobody = await discovered({ redirect_to: "/courses" });
    expect([nobody.status, nobody.headers.get("location")]).toEqual([302, "/courses"]);
    expect((await discovered({ entityID, redirect_to: "https://evil.example/" })).status).toBe(400);
    expect((await discovered({ entityID: "x".repeat(513) })).status).toBe(422);
    const unknown = await discovered({ entityID: "<script>" });
    expect([unknown.status, (await unknown.text()).includes("<script>")]).toEqual([404, false]);
  });
});
