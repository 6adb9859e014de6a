import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createPatientServer } from "./patient-server.ts";

type Resource = { sourcedId: string; dateLastModified?: string } & Record<string, unknown>;

export type Collections = Record<string, Resource[]>;

/** Faults of a provider that were seen in practice, or that an attacker may choose. */
export type ProviderFault =
  | "cut page"
  | "repeated page"
  | "other origin"
  | "redirect"
  | "web page"
  | "no list"
  | "busy"
  | "denied"
  | "no token"
  | "stalls"
  | "stalls in a page";

const rosteringOf = { "1.1": "/ims/oneroster/v1p1", "1.2": "/ims/oneroster/rostering/v1p2" };

/** A stand-in for a OneRoster provider, with pages, filters by date and common failures. */
export async function startOneRosterProvider(version: keyof typeof rosteringOf = "1.2") {
  const rostering = rosteringOf[version];
  const state = {
    collections: {} as Collections,
    fault: undefined as ProviderFault | undefined,
    /** Requests of collections, with their queries. */
    asked: [] as string[],
    /** The last credentials and form of a request for a token. */
    token: { authorization: "", form: "" },
    tokens: 0,
    /** Adds links to other pages. */
    links: true,
    /** Sends the pages of users that stalled. */
    resume: [] as (() => void)[],
  };
  const server = createPatientServer(async (request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const send = (status: number, body: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
    if (url.pathname === "/token") {
      state.token = { authorization: request.headers.authorization ?? "", form: await text(request) };
      if (state.fault === "no token") return send(401, { error: "invalid_client" });
      state.tokens += 1;
      return send(200, { access_token: `token-${state.tokens}`, token_type: "Bearer", expires_in: 3600 });
    }
    if (request.headers.authorization !== `Bearer token-${state.tokens}`) return send(401, {});
    const collection = url.pathname.slice(rostering.length + 1);
    state.asked.push(collection + url.search);
    const fault = collection === "users" ? state.fault : undefined;
    if (fault === "busy") return send(503, {}, { "retry-after": "1800" });
    if (fault === "denied") return send(403, {});
    if (fault === "redirect") return send(302, {}, { location: "http://169.254.169.254/latest/meta-data" });
    if (fault === "no list") return send(200, { people: [] });
    if (fault === "web page") {
      response.writeHead(200, { "content-type": "text/html" });
      return response.end("<h1>Sign in</h1>");
    }
    const since = /^dateLastModified>='([^']+)'$/.exec(url.searchParams.get("filter") ?? "")?.[1];
    const all = (state.collections[collection] ?? []).filter(
      ({ dateLastModified = "" }) => since === undefined || dateLastModified >= since,
    );
    const [limit, offset] = ["limit", "offset"].map((name) => Number(url.searchParams.get(name)));
    const at = fault === "repeated page" ? 0 : (offset ?? 0);
    const page = fault === "cut page" && at > 0 ? [] : all.slice(at, at + (limit ?? 0));
    const next = new URL(url);
    next.searchParams.set("offset", String((offset ?? 0) + page.length));
    if (fault === "other origin") next.hostname = "attacker.example.com";
    const hasNext = state.links && (fault === "repeated page" || at + page.length < all.length);
    if (fault === "stalls") await new Promise<void>((resolve) => state.resume.push(resolve));
    if (fault === "stalls in a page") {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`{"${collection}": [`);
      return;
    }
    send(
      200,
      { [collection]: page },
      {
        ...(fault !== "repeated page" && { "x-total-count": String(all.length) }),
        ...((hasNext || fault === "other origin") && { link: `<${next.href}>; rel="next"` }),
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    state,
    origin,
    service_url: origin + rostering,
    token_url: `${origin}/token`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type OneRosterProvider = Awaited<ReturnType<typeof startOneRosterProvider>>;

/** A course with a class, a teacher and so many students in it. */
export function schoolOf(
  students: number,
  tag: string,
  dateLastModified = "2026-01-01T00:00:00Z",
): Collections {
  const numbers = Array.from({ length: students }, (_, n) => n);
  const resource = (sourcedId: string, more: object) => ({
    sourcedId,
    status: "active",
    dateLastModified,
    ...more,
  });
  const person = (id: string, role: string) =>
    resource(id, {
      ...{ enabledUser: true, givenName: "Ada", familyName: id, email: `${tag}-${id}@example.edu` },
      roles: [{ roleType: "primary", role, org: { sourcedId: "o1" } }],
    });
  const seat = (user: string, role: string) =>
    resource(`e-${user}`, { role, class: { sourcedId: "cl1" }, user: { sourcedId: user } });
  return {
    academicSessions: [
      resource("t1", { title: "Spring", type: "term", startDate: "2026-01-10", endDate: "2026-06-30" }),
    ],
    courses: [resource("co1", { title: "Optics", courseCode: `OPT-${tag}` })],
    classes: [resource("cl1", { course: { sourcedId: "co1" }, terms: [{ sourcedId: "t1" }] })],
    users: [person("teacher", "teacher"), ...numbers.map((n) => person(`s${n}`, "student"))],
    enrollments: [seat("teacher", "teacher"), ...numbers.map((n) => seat(`s${n}`, "student"))],
  };
}

/** The same resources as version 1.1 has them: a person has one role and texts instead of truth values. */
export const asVersion1p1 = (collections: Collections): Collections => ({
  ...collections,
  users: (collections["users"] ?? []).map(({ roles, enabledUser, ...user }) => ({
    ...user,
    enabledUser: String(enabledUser),
    username: String(user["email"]),
    role: (roles as { role: string }[])[0]?.role,
    orgs: [{ sourcedId: "o1", type: "org" }],
  })),
});
