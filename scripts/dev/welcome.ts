import { asc, eq, inArray } from "drizzle-orm";
import type { Db } from "../../lib/platform/db/client.ts";
import { contentItems } from "../../schema/db/courses/content-items.ts";
import { users } from "../../schema/db/identity/users.ts";
import type { Platform } from "./platform.ts";
import { demoAccounts, demoPassword, demoStudent } from "./seed/accounts.ts";

/** The console's welcome: addresses, accounts, and how to stream the tutor. */
export async function welcome(
  { base, config, db, practiceTutor }: Platform,
  milliseconds: number,
): Promise<string> {
  const api = base + config.API_V1_PREFIX;
  const tutor = practiceTutor
    ? "the practice tutor on this machine; for a real one, set LLM_PROVIDER and its key"
    : config.LLM_PROVIDER;
  return [
    "",
    `Ready in ${(milliseconds / 1000).toFixed(1)} s`,
    "",
    `  App    ${base}/app`,
    `  API    ${api}`,
    `  Docs   ${base}/docs`,
    `  Tutor  ${tutor}`,
    "",
    ...(await demonstration(db, api)),
    "A change in app/, functions/, lib/ or schema/ restarts the server on the same database.",
    "Ctrl-C stops everything.",
    "",
  ].join("\n");
}

async function demonstration(db: Db, api: string): Promise<string[]> {
  const emails = demoAccounts.map(({ email }) => email);
  const known = await db.select({ email: users.email }).from(users).where(inArray(users.email, emails));
  const [topic] = await db
    .select({ id: contentItems.id, title: contentItems.title })
    .from(contentItems)
    .where(eq(contentItems.is_active, true))
    .orderBy(asc(contentItems.id))
    .limit(1);
  if (known.length < demoAccounts.length || !topic) return [];
  return [
    `Demo accounts, password ${demoPassword}:`,
    ...demoAccounts.map(({ email, role }) => `  ${email.padEnd(26)} ${role}`),
    "",
    `Ask the tutor about “${topic.title}”:`,
    "",
    greetingCommand(api, topic.id),
    "",
  ];
}

/** A shell command with curl and Node: signs in, opens a session, and streams the greeting. */
function greetingCommand(api: string, contentItemId: number): string {
  const post = "curl -sN -d";
  const pick = (key: string) => `node -pe 'JSON.parse(fs.readFileSync(0)).${key}'`;
  return [
    `API=${api}`,
    `TOKEN=$(${post} '${JSON.stringify(demoStudent)}' -H 'Content-Type: application/json' $API/auth/login | ${pick("access_token")})`,
    `CHAT=$(${post} '{"content_item_id":${contentItemId}}' -H "Authorization: Bearer $TOKEN" $API/chat/sessions | ${pick("id")})`,
    `${post} '{"content":"Start."}' -H "Authorization: Bearer $TOKEN" $API/chat/sessions/$CHAT/messages`,
  ].join("; ");
}
