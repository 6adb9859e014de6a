import { verifyMailServerLogin } from "../../../lib/platform/mail/transport.ts";
import { checkConnection } from "./connection.ts";
import { type Finding, ok, wrong } from "./finding.ts";

/** Checks that the mail server is reachable and accepts the credentials; sends no mail. */
export async function checkMailServer(url: string): Promise<Finding> {
  const reached = await checkConnection("the mail server", url, "SMTP_URL");
  if (reached.state === "wrong") return reached;
  const { host, username } = new URL(url);
  try {
    await verifyMailServerLogin(url);
    return ok(`the mail server accepts ${username ? decodeURIComponent(username) : "any client"} at ${host}`);
  } catch (error) {
    return judge(host, error as Error & { code?: string; responseCode?: number });
  }
}

function judge(host: string, { code, responseCode }: { code?: string; responseCode?: number }): Finding {
  const reason = [responseCode && `it answered ${responseCode}`, code].filter(Boolean).join(", ");
  if (code === "EAUTH" || code === "ENOAUTH")
    return wrong(
      `the mail server at ${host} rejects the user or the password: ${reason}`,
      "check both in SMTP_URL, where all but letters and digits must be percent-encoded",
    );
  if (code === "ETLS" || code === "ESOCKET")
    return wrong(
      `the mail server at ${host} offers no encrypted connection: ${reason}`,
      "use smtps:// for a port with TLS from the start, usually 465, and smtp:// for a port with STARTTLS, usually 587",
    );
  return wrong(`the mail server at ${host} does not work correctly: ${reason}`, "check SMTP_URL");
}
