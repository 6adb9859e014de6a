/*
 * A tool on this machine, of Carlos Costa's ltijs: what it checks, signs and requests is that library's. Its arguments
 * are the folder of the installed packages and a database's address. Prints its own address.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { AnyJson } from "../lti-check/api.ts";

const [folder = "", database = ""] = process.argv.slice(2);
const load = createRequire(path.join(folder, "package.json"));
const { Provider: lti }: AnyJson = load("ltijs");
const Database: AnyJson = load("ltijs-sequelize");

const server = createServer((request, response) => lti.app(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
// Another site than the service: the tool's cookies are third-party.
const address = `http://localhost:${(server.address() as AddressInfo).port}`;

const { username, password, hostname, port, pathname } = new URL(database);
const plugin = new Database(pathname.slice(1), username, password, {
  ...{ host: hostname, port: Number(port), dialect: "postgres", logging: false },
});
lti.setup(
  "only for this check",
  { plugin },
  {
    appRoute: "/launch",
    cookies: { secure: true, sameSite: "None" },
    // In seconds.
    tokenMaxAge: 60,
    dynReg: { url: address, name: "ltijs", autoActivate: true },
  },
);

lti.onDeepLinking(async (token: AnyJson, _request: AnyJson, response: AnyJson) => {
  const link = {
    ...{ type: "ltiResourceLink", url: `${address}/launch`, title: "Tide quiz", custom: { quiz: "7" } },
    lineItem: { label: "Tide quiz", scoreMaximum: 20, tag: "quiz" },
  };
  response.send(await lti.DeepLinking.createDeepLinkingForm(token, [link]));
});

const finished = { activityProgress: "Completed", gradingProgress: "FullyGraded" };

async function report(token: AnyJson): Promise<object> {
  const { custom, endpoint } = token.platformContext;
  await lti.Grade.submitScore(token, endpoint.lineitem, { scoreGiven: 8, scoreMaximum: 10, ...finished });
  const own = { label: "Participation", scoreMaximum: 5, tag: "participation" };
  const { id } = await lti.Grade.createLineItem(token, own);
  // Without a maximum, the library reads the line item.
  await lti.Grade.submitScore(token, id, { scoreGiven: 4, ...finished });
  const { members, differences } = await lti.NamesAndRoles.getMembers(token, { limit: 2, pages: false });
  if (!differences) throw new Error("NRPS: no link to differences");
  return {
    custom,
    line_items: (await lti.Grade.getLineItems(token)).lineItems,
    results: (await lti.Grade.getScores(token, endpoint.lineitem)).scores,
    own_results: (await lti.Grade.getScores(token, id, { userId: token.user })).scores,
    members,
    changed_members: (await lti.NamesAndRoles.getMembers(token, { url: differences })).members,
    sub: token.user,
  };
}

const escapeHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

lti.onConnect(async (token: AnyJson, _request: AnyJson, response: AnyJson) => {
  const text = await report(token).catch((error) => ({ error: `${error} ${error.response?.body ?? ""}` }));
  response.send(`<pre id="report">${escapeHtml(JSON.stringify(text))}</pre>`);
});

await lti.deploy({ serverless: true, silent: true });
console.log(address);
