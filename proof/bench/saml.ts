import type { SamlResponseToVerify } from "../../lib/identity/saml/response.ts";
import { maxSamlResponseCharacters } from "../../lib/identity/saml/sign-in.ts";
import { verifyResponseInThread } from "../../lib/identity/saml/verify-response-in-thread.ts";
import { answerTo, makeSamlProvider, oids } from "../../tests/support/saml-provider.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

const maxSamlResponseMs = { first: 1500, next: 150, hostile: 6000 };
const maxConcurrentResponsesSeconds = 10;

/**
 * Cost of reading SAML responses in a thread: a single one, the most hostile of maximum size, and a whole
 * class concurrently.
 */
export async function benchSamlResponseVerification(classOf = 200): Promise<BenchVerdict[]> {
  const now = new Date();
  const provider = await makeSamlProvider(() => now);
  const request = {
    id: "_request",
    acs: "https://learn.example.edu/acs",
    issuer: "https://learn.example.edu",
  };
  const attributes = { [oids.mail]: ["ada@example.edu"] };
  const response = await answerTo(provider, request, now.getTime(), { attributes });
  const given: SamlResponseToVerify = {
    ...{ response, signed: "both", certificates: [provider.key.certificate] },
    ...{ private_keys: [provider.otherKey.private_key], issuer: provider.issuer, audience: request.issuer },
    ...{ recipient: request.acs, request_id: request.id, now: now.getTime() },
  };
  const first = await millisecondsOf(() => accepted(given));
  const next = await millisecondsOf(() => accepted(given));
  const hostile = await Promise.all(
    Object.entries(hostileResponses(signatureOf(response))).map(async ([name, xml]) => {
      const sent = {
        ...given,
        response: Buffer.from(xml).toString("base64").slice(0, maxSamlResponseCharacters),
      };
      const took = await millisecondsOf(() => verifyResponseInThread(sent).catch(() => undefined));
      return upperLimitVerdict(`A response of 256 KB with ${name}`, took, maxSamlResponseMs.hostile, "ms");
    }),
  );
  const all = await millisecondsOf(() => Promise.all(Array.from({ length: classOf }, () => accepted(given))));
  return [
    upperLimitVerdict(
      "The first response, including the start of its thread",
      first,
      maxSamlResponseMs.first,
      "ms",
    ),
    upperLimitVerdict("The next one", next, maxSamlResponseMs.next, "ms"),
    ...hostile,
    upperLimitVerdict(
      `${classOf} responses of one provider at once, the last`,
      all / 1000,
      maxConcurrentResponsesSeconds,
      "s",
    ),
  ];
}

async function accepted(given: SamlResponseToVerify): Promise<void> {
  const read = await verifyResponseInThread(given);
  if ("refused" in read) throw new Error(`${read.refused} ${read.detail}`);
}

/** Its first signature. Responses without one of the provider start no thread. */
const signatureOf = (response: string): string =>
  /<Signature[\s\S]*?<\/Signature>/.exec(Buffer.from(response, "base64").toString())?.[0] ?? "";

/** Each has about the maximum size in base64. */
function hostileResponses(signature: string): Record<string, string> {
  const room = Math.floor((maxSamlResponseCharacters * 3) / 4) - signature.length;
  const response = (inner: string) =>
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Version="2.0"><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${signature}${inner}</samlp:Response>`;
  const repeated = (part: string) => response(part.repeat(Math.floor((room - 400) / part.length)));
  return {
    "one element in the other": response(
      "<a>".repeat(Math.floor((room - 400) / 7)) + "</a>".repeat(Math.floor((room - 400) / 7)),
    ),
    "many attributes": response(
      `<a ${Array.from({ length: Math.floor((room - 400) / 10) }, (_, n) => `a${n}=""`).join(" ")}/>`,
    ),
    "many namespaces": repeated('<a xmlns:n="u"/>'),
    "many signatures": repeated("<ds:Signature><ds:SignedInfo/></ds:Signature>"),
  };
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
