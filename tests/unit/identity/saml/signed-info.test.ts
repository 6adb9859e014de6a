import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { SamlResponseToVerify } from "../../../../lib/identity/saml/response.ts";
import { ensureSignedInfoSignatureValid } from "../../../../lib/identity/saml/signed-info.ts";
import { verifyResponseInThread } from "../../../../lib/identity/saml/verify-response-in-thread.ts";
import {
  answerTo,
  makeSamlProvider,
  type SamlAnswer,
  type SamlProviderStandIn,
} from "../../../support/saml-provider.ts";

const at = Date.parse("2026-03-10T12:00:00.000Z");
const request = { id: "_request", acs: "https://learn.example.edu/acs", issuer: "https://learn.example.edu" };
let provider: SamlProviderStandIn;

beforeAll(async () => {
  provider = await makeSamlProvider(() => new Date(at));
});

const answered = (changes: Partial<SamlAnswer> = {}) => answerTo(provider, request, at, changes);
const check = async (changes: Partial<SamlAnswer>, certificates = [provider.key.certificate]) =>
  ensureSignedInfoSignatureValid(Buffer.from(await answered(changes), "base64").toString(), certificates);

describe("the first check of a SAML response", () => {
  const accepted: [string, Partial<SamlAnswer>][] = [
    ["with both signatures", {}],
    ["with a signed response", { sign: "response" }],
    ["with a signed assertion", { sign: "assertion" }],
    ["with an XML declaration", { tamper: (xml) => `<?xml version="1.0" encoding="UTF-8"?>\n${xml}` }],
    ["with RSA and SHA-512", { signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" }],
  ];

  it.each(accepted)("passes one %s", async (_, changes) => {
    await expect(check(changes)).resolves.toBeUndefined();
  });

  it("passes one by any of the provider's certificates", async () => {
    const both = [provider.otherKey.certificate, provider.key.certificate];
    await expect(check({}, both)).resolves.toBeUndefined();
  });

  const refused: [string, () => Partial<SamlAnswer>, string][] = [
    ["unsigned", () => ({ sign: "none" }), "signature"],
    ["signed by another key", () => ({ key: provider.otherKey }), "signature"],
    [
      "with another digest in its SignedInfo",
      () => ({ tamper: (xml) => xml.replaceAll(/(DigestValue>)[^<]+/g, "$1AAAA") }),
      "signature",
    ],
    [
      "with a broken signature",
      () => ({ tamper: (xml) => xml.replaceAll(/<\/(\w+:)?SignedInfo>/g, "") }),
      "signature",
    ],
    ["that is not a response", () => ({ tamper: () => "<html></html>" }), "malformed"],
    [
      "with an HMAC that takes the certificate as its key",
      () => ({
        tamper: (xml) => xml.replaceAll(/xmldsig-more#rsa-sha256/g, "xmldsig-more#hmac-sha256"),
      }),
      "algorithm",
    ],
    [
      "that reports an error of the provider",
      () => ({ sign: "none", status: "urn:oasis:names:tc:SAML:2.0:status:Responder" }),
      "provider_refused",
    ],
  ];

  it.each(refused)("rejects one %s before a thread starts", async (_, changes, reason) => {
    const post = vi.spyOn(Worker.prototype, "postMessage");
    const started = vi.spyOn(Worker.prototype, "on");
    const given: SamlResponseToVerify = {
      ...{ response: await answered(changes()), signed: "both", certificates: [provider.key.certificate] },
      ...{ private_keys: [], issuer: provider.issuer, audience: request.issuer },
      ...{ recipient: request.acs, request_id: request.id, now: at },
    };
    await expect(verifyResponseInThread(given)).rejects.toMatchObject({ reason });
    expect([post.mock.calls, started.mock.calls]).toEqual([[], []]);
    vi.restoreAllMocks();
  });
});
