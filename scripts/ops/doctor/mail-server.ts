import { signInAtMailServer } from "../../../lib/platform/mail/transport.ts";
import { checkConnection } from "./connection.ts";
import { type Finding, ok, wrong } from "./finding.ts";

/** Checks that the mail server is reachable and accepts the credentials; sends no mail. */
export async function checkMailServer(url: string): Promise<Finding> {
  const reached = await checkConnection("the mail server", url, "SMTP_URL");
  if (reached.state === "wrong") return reached;
  const { host, username } = new URL(url);
  try {
    await signInAtMailServer(url);
    return ok(`the mail server lets ${username ? decodeURIComponent(username) : "anyone"} in at ${host}`);
  } catch (error) {
    return judge(host, error as Error & { code?: string; responseCode?: number });
  }
}

function judge(host: string, { code, responseCode }: { code?: string; responseCode?: number }): Finding {
  const reason = [responseCode && `it answered ${responseCode}`, code].filter(Boolean).join(", ");
  if (code === "EAUTH" || code === "ENOAUTH")
    return wrong(
      `the mail server at ${host} does not take the user or the password: ${reason}`,
      "look at both in SMTP_URL: what is not a letter or a digit is percent-encoded there",
    );
  if (code === "ETLS" || code === "ESOCKET")
    return wrong(
      `the mail server at ${host} cannot be spoken to in private: ${reason}`,
      "smtps:// is for a port that begins with TLS, usually 465; smtp:// for one that changes to it, usually 587",
    );
  return wrong(`the mail server at ${host} does not answer as it should: ${reason}`, "look at SMTP_URL");
}
