import * as z from "zod";
import type { Config } from "../../../lib/config.ts";
import { disableNotificationMail } from "../../../lib/courses/notifications/notifications.ts";
import { verifyUnsubscribeToken } from "../../../lib/courses/notifications/unsubscribing.ts";
import { notFound } from "../../../lib/errors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { text } from "../../../schema/api/platform/fields.ts";

/*
 * The target of an unsubscribe link. Link scanners must not unsubscribe, so a GET shows a page with a button.
 * The button and the mail program (RFC 8058) POST to the same URL.
 */

const params = z.object({ unsubscribe_token: text(128) });

const page = (description: string, example: string) => ({
  answer: { status: 200, description, schema: undefined, also: { "text/html": example } } as const,
});

const question = `<p>Get no more mail about notifications?</p>
    <form method="post"><button>Stop these mails</button></form>`;
const done =
  "<p>No more mail about notifications goes to you. You can have it again in your preferences.</p>";

export const showMailUnsubscription = endpoint(
  {
    id: "showMailUnsubscription",
    method: "get",
    path: "/notification-mail/{unsubscribe_token}/stop",
    summary: "Show the unsubscribe page",
    description: "The target of the link in notification mails. Opening it changes nothing.",
    ...anyone,
    params,
    ...page("A page with a button", question),
    fails: [404],
  },
  ({ deps, params, http }) => {
    personOf(deps.config, params.unsubscribe_token);
    return http.html(htmlOf(question), 200, headers);
  },
);

export const unsubscribeFromMail = endpoint(
  {
    id: "unsubscribeFromMail",
    method: "post",
    path: "/notification-mail/{unsubscribe_token}/stop",
    summary: "Unsubscribe from notification mails",
    description:
      "Ends notification mails of every kind for the link's recipient, without signing in. Supports " +
      "one-click unsubscribe (RFC 8058); the body is ignored.",
    ...anyone,
    shares: "nothing",
    params,
    ...page("Unsubscribed", done),
    fails: [404],
  },
  async ({ deps, params, http }) => {
    await disableNotificationMail(deps.db, personOf(deps.config, params.unsubscribe_token), deps.now());
    return http.html(htmlOf(done), 200, headers);
  },
);

function personOf(config: Config, token: string): number {
  const person = verifyUnsubscribeToken(config, token);
  if (person === undefined) throw notFound("Link");
  return person;
}

const headers = {
  "Content-Security-Policy":
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const htmlOf = (content: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Mail about notifications</title>
  </head>
  <body>
    ${content}
  </body>
</html>
`;
