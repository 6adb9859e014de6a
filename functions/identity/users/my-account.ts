import { attemptsOf, settleAttempts } from "../../../lib/assessment/settled.ts";
import { accepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { jsonStream } from "../../../lib/http/json-stream.ts";
import { signIn } from "../../../lib/http/sign-in.ts";
import * as email from "../../../lib/identity/accounts/email.ts";
import * as passwords from "../../../lib/identity/accounts/passwords.ts";
import { clearAuthCookies } from "../../../lib/identity/auth/cookies.ts";
import { signedInByToken } from "../../../lib/identity/auth/guards.ts";
import { eraseAccount } from "../../../lib/operations/personal-data/erase.ts";
import { exportedText, noteExport } from "../../../lib/operations/personal-data/export.ts";
import {
  AccountErasure,
  AccountExport,
  EmailChange,
  MailNoted,
  PasswordChange,
} from "../../../schema/api/identity/accounts.ts";
import { TokenPair } from "../../../schema/api/identity/auth.ts";

export const changeMyPassword = endpoint(
  {
    id: "changeMyPassword",
    method: "post",
    path: "/me/password",
    summary: "Change one's own password",
    description:
      "All tokens of the person end, on every device; the answer has new ones, also in the cookies. A first password takes a sign-in of the last 10 minutes. A sign-in by a university's identity provider sets none: that takes a link by mail.",
    ...signedInByToken,
    setsCookies: true,
    body: PasswordChange,
    ...ok(TokenPair, "A new pair of tokens"),
    fails: [400, 403, 429],
  },
  async ({ deps, actor, body, http }) => {
    const version = await passwords.changePassword(deps.db, deps.config, actor, body, deps.now());
    return signIn({ deps, http }, { ...actor, token_version: version });
  },
);

export const changeMyEmail = endpoint(
  {
    id: "changeMyEmail",
    method: "post",
    path: "/me/email",
    summary: "Change one's own e-mail address, or have it verified",
    description:
      "A mail goes to the given address, and its link makes it the account's. For the address that the account has already, the link verifies it. One a minute and ten an hour at most go to an address, and out for a person. An account without a password takes a sign-in of the last 10 minutes for another address; no sign-in by a university's identity provider changes it.",
    ...signedInByToken,
    body: EmailChange,
    ...accepted(MailNoted, "A mail is on its way to that address"),
    fails: [400, 403, 429],
  },
  async ({ deps, actor, body }) => {
    await email.changeEmail(deps.db, deps.config, actor, body, deps.now());
    return { detail: "A mail with a link to confirm the address is on its way" };
  },
);

export const exportMyData = endpoint(
  {
    id: "exportMyData",
    method: "get",
    path: "/me/export",
    writes: "audit",
    summary: "Take along everything that is held on oneself",
    description:
      "One JSON object, sent as it is read, with the rows of each table under the table's name. A sign-in by a university's identity provider takes along only an account that has no other way in and belongs nowhere else.",
    ...signedInByToken,
    ...ok(AccountExport, "All rows that belong to the caller"),
    fails: [403],
  },
  async ({ deps, actor, http }) => {
    await settleAttempts(deps.db, deps.now(), attemptsOf(actor.id));
    const before = await noteExport(deps.db, actor);
    return jsonStream(http, exportedText(deps.db, actor.id, before, deps.now()));
  },
);

export const eraseMyAccount = endpoint(
  {
    id: "eraseMyAccount",
    method: "delete",
    path: "/me",
    summary: "Erase one's own account, with all that is one's own",
    description:
      "At once and for good. It takes the password, or without one a sign-in of the last 10 minutes; one by a university's " +
      "identity provider erases only an account that has no other way in and belongs nowhere else. " +
      "The record of examinations and the sums of reports stay under a number, without the person; open attempts at quizzes " +
      "with a limit of attempts are handed in.",
    ...signedInByToken,
    setsCookies: true,
    body: AccountErasure,
    ...noContent("The account is erased, and the cookies are cleared"),
    fails: [400, 403, 429],
  },
  async ({ deps, actor, body, http }) => {
    await eraseAccount(deps.db, deps.config, actor, body, deps.now());
    clearAuthCookies(http, deps.config);
  },
);
