import {
  attemptOfPersonCondition,
  closeAndGradeExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import { accepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { jsonStreamResponse } from "../../../lib/http/json-stream.ts";
import { issueTokenPairAndCookies } from "../../../lib/http/sign-in.ts";
import * as email from "../../../lib/identity/accounts/email.ts";
import * as passwords from "../../../lib/identity/accounts/password-changes.ts";
import { clearAuthCookies } from "../../../lib/identity/auth/cookies.ts";
import { tokenCheckedByHandler } from "../../../lib/identity/auth/guards.ts";
import { eraseAccount } from "../../../lib/operations/personal-data/erase.ts";
import { auditAccountExport, streamPersonalDataJson } from "../../../lib/operations/personal-data/export.ts";
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
    summary: "Change the caller's password",
    description:
      "Revokes all tokens of the person on every device and returns new ones, also as cookies. Setting a " +
      "first password requires a sign-in within the last 10 minutes. After a sign-in by a university's " +
      "identity provider, a first password can be set only by a mailed link.",
    ...tokenCheckedByHandler,
    setsCookies: true,
    body: PasswordChange,
    ...ok(TokenPair, "A new pair of tokens"),
    fails: [400, 403, 429],
  },
  async ({ deps, actor, body, http }) => {
    const version = await passwords.changePassword(deps.db, deps.config, actor, body, deps.now());
    return issueTokenPairAndCookies({ deps, http }, { ...actor, token_version: version });
  },
);

export const changeMyEmail = endpoint(
  {
    id: "changeMyEmail",
    method: "post",
    path: "/me/email",
    summary: "Change or verify the caller's email",
    description:
      "Mails a link that changes the account's address, or verifies the current one. At most one " +
      "mail a minute and ten an hour are sent per address and per person. To change the address of " +
      "an account without a password, the sign-in must be within the last 10 minutes. A sign-in by a " +
      "university's identity provider cannot change the address.",
    ...tokenCheckedByHandler,
    body: EmailChange,
    ...accepted(MailNoted, "A mail to the address is queued"),
    fails: [400, 403, 429],
  },
  async ({ deps, actor, body }) => {
    await email.requestEmailChangeOrVerification(deps.db, deps.config, actor, body, deps.now());
    return { detail: "A mail with a link to confirm the address is on its way" };
  },
);

export const exportMyData = endpoint(
  {
    id: "exportMyData",
    method: "get",
    path: "/me/export",
    writes: "audit",
    summary: "Export the caller's data",
    description:
      "Streams one JSON object with the rows of each table under its name. After a sign-in by a " +
      "university's identity provider, the account must have no other sign-in and no other university.",
    ...tokenCheckedByHandler,
    ...ok(AccountExport, "All rows that belong to the caller"),
    fails: [403],
  },
  async ({ deps, actor, http }) => {
    await closeAndGradeExpiredAttempts(deps.db, deps.now(), attemptOfPersonCondition(actor.id));
    const before = await auditAccountExport(deps.db, actor);
    return jsonStreamResponse(http, streamPersonalDataJson(deps.db, actor.id, before, deps.now()));
  },
);

export const eraseMyAccount = endpoint(
  {
    id: "eraseMyAccount",
    method: "delete",
    path: "/me",
    summary: "Erase the caller's account",
    description:
      "Takes effect immediately and cannot be undone. Send the password; without a password, the " +
      "sign-in must be within the last 10 minutes. After a sign-in by a university's identity " +
      "provider, the account must have no other sign-in and no other university. Exam records and " +
      "report totals are kept under a number, without personal data. Open attempts at quizzes with " +
      "an attempt limit are submitted.",
    ...tokenCheckedByHandler,
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
