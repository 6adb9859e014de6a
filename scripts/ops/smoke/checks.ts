import { Browser, type Streamed } from "./browser.ts";
import { expect } from "./expect.ts";

/** The account and objects to test with. Checks without them are skipped and reported. */
export type SmokeOptions = {
  email?: string | undefined;
  password?: string | undefined;
  /** Id of a content item with a tutor that the user may open. */
  item?: string | undefined;
  /** An origin of BACKEND_CORS_ORIGINS. */
  origin?: string | undefined;
};

type Check = { title: string; run: () => Promise<void> } | { title: string; lacks: string };

/**
 * Tests every part of a running service, reports each, and returns the number of failures. Creates only two
 * sessions and at most one tutor answer.
 */
export async function smoke(
  base: string,
  report: (line: string) => void,
  options: SmokeOptions = optionsOfEnvironment(),
): Promise<number> {
  let failed = 0;
  for (const check of checksOf(base.replace(/\/+$/, ""), options)) {
    if ("lacks" in check) {
      report(`  --  ${check.title}: skipped without ${check.lacks}`);
      continue;
    }
    try {
      await check.run();
      report(`  ok  ${check.title}`);
    } catch (error) {
      failed += 1;
      report(`  no  ${check.title}: ${reasonOf(error)}`);
    }
  }
  return failed;
}

/** From the environment, because other users can read command lines. */
export const optionsOfEnvironment = (): SmokeOptions => ({
  email: process.env["SMOKE_EMAIL"],
  password: process.env["SMOKE_PASSWORD"],
  item: process.env["SMOKE_ITEM"],
  origin: process.env["SMOKE_ORIGIN"],
});

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return [error.message, cause?.code ?? cause?.message].filter(Boolean).join(", ");
};

function checksOf(base: string, { email, password, item, origin }: SmokeOptions): Check[] {
  const person = new Browser(base);
  const account = email && password ? { email, password } : undefined;
  return [
    { title: "it runs, and its database is up to date", run: () => health(base) },
    { title: "its documentation is available", run: () => documentation(base) },
    { title: "a page of an unknown origin cannot call it", run: () => foreignOrigin(base) },
    origin
      ? { title: `a page of ${origin} can call it`, run: () => knownOrigin(base, origin) }
      : { title: "a page of the frontend can call it", lacks: "SMOKE_ORIGIN" },
    { title: "it rejects an unknown caller, and a wrong password", run: () => refusals(base) },
    account
      ? { title: `${email} signs in`, run: () => signIn(person, account) }
      : { title: "an account signs in", lacks: "SMOKE_EMAIL and SMOKE_PASSWORD" },
    account && item
      ? {
          title: "the tutor's answer streams, and is replayed to the next learner",
          run: () => tutor(person, item),
        }
      : {
          title: "the tutor's answer streams, and is replayed",
          lacks: "SMOKE_EMAIL, SMOKE_PASSWORD and SMOKE_ITEM",
        },
  ];
}

/** The first response after a deployment may wait for cold starts of functions and database. */
const withTimeout = () => ({ signal: AbortSignal.timeout(30_000) });

async function health(base: string): Promise<void> {
  const answer = await fetch(`${base}/readyz`, withTimeout());
  const text = await answer.text();
  expect(answer.status === 200, `/readyz returned ${answer.status}: ${text.slice(0, 200)}`);
  expect(JSON.parse(text).status === "ok", `/readyz returned ${text.slice(0, 200)}`);
}

async function documentation(base: string): Promise<void> {
  const page = await fetch(`${base}/docs`, withTimeout());
  expect(
    page.ok && /^text\/html/.test(page.headers.get("content-type") ?? ""),
    `/docs returned ${page.status}`,
  );
  await page.body?.cancel();
  const document = await fetch(`${base}/openapi.json`, withTimeout());
  expect(document.ok, `/openapi.json returned ${document.status}`);
  const { paths } = (await document.json()) as { paths?: object };
  expect(Object.keys(paths ?? {}).length > 0, "/openapi.json has no operations");
}

const asksWhetherItMay = (base: string, origin: string) =>
  fetch(`${base}/api/v1/users/me`, {
    ...withTimeout(),
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization",
    },
  });

async function foreignOrigin(base: string): Promise<void> {
  const { headers, body } = await asksWhetherItMay(base, "https://nobody.invalid");
  await body?.cancel();
  const allowed = headers.get("access-control-allow-origin");
  expect(!allowed, `it allows ${allowed}: BACKEND_CORS_ORIGINS contains every origin`);
}

async function knownOrigin(base: string, origin: string): Promise<void> {
  const { status, headers, body } = await asksWhetherItMay(base, origin);
  await body?.cancel();
  expect(status < 300, `the preflight request returned ${status}`);
  const allowed = headers.get("access-control-allow-origin");
  expect(allowed === origin, `it allows ${allowed ?? "no origin"}: BACKEND_CORS_ORIGINS lacks ${origin}`);
}

async function refusals(base: string): Promise<void> {
  const unknown = await fetch(`${base}/api/v1/users/me`, withTimeout());
  const { detail } = (await unknown.json()) as { detail?: string };
  expect(unknown.status === 401 && detail, `/users/me without a token returned ${unknown.status}`);
  expect(unknown.headers.get("x-request-id"), "the response has no X-Request-ID. A proxy may remove it");
  const wrong = { email: `${crypto.randomUUID()}@nobody.invalid`, password: "wrong" };
  const { status } = await new Browser(base).send("POST", "/auth/login", wrong);
  expect(status === 401 || status === 403, `signing in with a wrong password returned ${status}`);
}

async function signIn(person: Browser, account: { email: string; password: string }): Promise<void> {
  const { status, body } = await person.send("POST", "/auth/login", account);
  expect(status === 200, `signing in returned ${status}`);
  person.signedInWith((body as { access_token: string }).access_token);
  const me = await person.send("GET", "/users/me");
  expect(me.status === 200, `/users/me returned ${me.status}`);
}

async function tutor(person: Browser, item: string): Promise<void> {
  const first = await greeting(person, item);
  const second = await greeting(person, item);
  expect(second.source === "cache", `the second answer came from ${second.source}, not from the tree`);
  expect(second.chunks.join("") === first.chunks.join(""), "the second answer differs from the first one");
}

/** The tutor's greeting in a new session, with its source. */
async function greeting(person: Browser, item: string): Promise<Streamed & { source: string | undefined }> {
  const opened = await person.send("POST", "/chat/sessions", { content_item_id: Number(item) });
  expect(opened.status === 201, `a session on ${item} returned ${opened.status}`);
  const session = `/chat/sessions/${(opened.body as { id: number }).id}`;
  const streamed = await person.stream(`${session}/greeting`, undefined, () => {});
  expect(streamed.status === 200, `the tutor returned ${streamed.status}`);
  expect(
    !streamed.error && streamed.messageId,
    `the answer was cut off: ${streamed.error ?? "it has no end"}`,
  );
  const { messages } = (await person.send("GET", session)).body as {
    messages: { id: number; meta: { source?: string } }[];
  };
  return { ...streamed, source: messages.find(({ id }) => id === streamed.messageId)?.meta.source };
}
