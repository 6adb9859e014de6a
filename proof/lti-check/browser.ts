/* A browser's part between LMS and tool, over the network. */

type Hint = { name: string; role: "Instructor" | "Learner"; link?: string; links?: boolean; custom?: object };

export type LaunchedPage = { html: string; address: string };

const form = (fields: Record<string, string>, cookie = "") => ({
  method: "POST",
  redirect: "manual" as const,
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    "sec-fetch-site": "same-origin",
    ...(cookie && { cookie }),
  },
  body: new URLSearchParams(fields).toString(),
});

/** Launches a user from the LMS. Returns the final address or page. */
export async function launchLtiTool(lms: string, user: string, hint: Hint): Promise<LaunchedPage> {
  const begun = await fetch(`${lms}/begin?${new URLSearchParams({ user, hint: JSON.stringify(hint) })}`);
  const login = await fetch((await begun.json()) as string, { redirect: "manual" });
  const [cookie = ""] = (login.headers.getSetCookie()[0] ?? "").split(";");
  const signed = await fetch(login.headers.get("location") ?? "");
  const { launch_url, id_token, state } = (await signed.json()) as Record<string, string>;
  const fields = { id_token: id_token ?? "", state: state ?? "", challenge: "" };
  const launched = await fetch(launch_url ?? "", form(fields, cookie));
  return { html: await launched.text(), address: launched.headers.get("location") ?? "" };
}

/** Opens the window that the page of an unbound launch offers. Returns its ticket, and the browser's cookie. */
export async function openWindowReturningTicket(
  tool: string,
  html: string,
): Promise<{ ticket: string; cookie: string }> {
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
  const [screen, ticket, key] = [value("screen"), value("ticket"), value("key")];
  const opened = await fetch(`${tool}/window`, form({ screen, ticket, key }));
  const [cookie = ""] = (opened.headers.getSetCookie()[0] ?? "").split(";");
  return { ticket, cookie };
}

/** Submits the selected links to the LMS, and returns what it accepted. */
export async function submitDeepLinks(address: string): Promise<Record<string, unknown>[]> {
  const { origin, pathname, hash } = new URL(address);
  const page = await (await fetch(origin + pathname, form({ links: hash.slice(1) }))).text();
  const [, to = ""] = /action="([^"]+)"/.exec(page) ?? [];
  const [, JWT = ""] = /name="JWT" value="([^"]+)"/.exec(page) ?? [];
  const taken = await fetch(to, form({ JWT }));
  const body = await taken.json();
  if (!taken.ok) throw new Error(`the LMS rejects the links: ${JSON.stringify(body)}`);
  return body as Record<string, unknown>[];
}
