/* A browser's part between this service, as an LTI platform, and a tool, over the network. */

/** Cookies by host and name; both programs run on this machine. */
type Jar = Map<string, string>;

const keep = (jar: Jar, address: URL, answer: Response): void => {
  for (const cookie of answer.headers.getSetCookie()) {
    const [pair = ""] = cookie.split(";");
    jar.set(`${address.host} ${pair.slice(0, pair.indexOf("="))}`, pair);
  }
};

const cookiesFor = (jar: Jar, { host }: URL): string =>
  [...jar].flatMap(([key, pair]) => (key.startsWith(`${host} `) ? [pair] : [])).join("; ");

type Sent = { form?: Record<string, string> };

async function send(jar: Jar, to: string, { form }: Sent = {}): Promise<Response> {
  const address = new URL(to);
  const answer = await fetch(address, {
    method: form ? "POST" : "GET",
    redirect: "manual",
    headers: {
      cookie: cookiesFor(jar, address),
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
    },
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  keep(jar, address, answer);
  return answer;
}

/** Follows redirects from a page to the next one with a form or a body. */
async function follow(jar: Jar, to: string, sent: Sent = {}): Promise<Response> {
  const answer = await send(jar, to, sent);
  const next = answer.headers.get("location");
  return next ? follow(jar, new URL(next, to).href) : answer;
}

const unescapeHtml = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

/** The only form of a page. */
function formIn(html: string): { action: string; form: Record<string, string> } {
  const [, action = ""] = /<form[^>]*action=["']([^"']+)["']/.exec(html) ?? [];
  const fields = [...html.matchAll(/<input[^>]*>/g)].flatMap(([field]) => {
    const [, name] = /name=["']([^"']+)["']/.exec(field) ?? [];
    const [, value = ""] = /value=["']([^"']*)["']/.exec(field) ?? [];
    return name ? [[name, unescapeHtml(value)]] : [];
  });
  return { action: unescapeHtml(action), form: Object.fromEntries(fields) };
}

/** Opens a launch of this service at the tool. Returns the tool's page. */
export async function launchToolAndReadPage(launchUrl: string): Promise<{ text: string; status: number }> {
  const jar: Jar = new Map();
  const page = await follow(jar, launchUrl);
  const { action, form } = formIn(await page.text());
  if (!form["id_token"]) throw new Error(`the launch has no id token (${page.status})`);
  const answer = await follow(jar, action, { form });
  return { text: await answer.text(), status: answer.status };
}

/** Posts the tool's chosen content to this service. Returns the items that its page hands on. */
export async function submitToolDeepLinkForm(html: string): Promise<object[]> {
  const { action, form } = formIn(html);
  const page = await (await send(new Map(), action, { form })).text();
  const [, items = "null"] = /data-items="([^"]*)"/.exec(page) ?? [];
  return JSON.parse(unescapeHtml(items)) as object[];
}
